#include "libs/formats/obj/character_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/character/bind.h"
#include "libs/character/smooth_normals.h"
#include "libs/image/image.h"

namespace posewire::obj {
namespace {

using skel::Vec3;

// Calls `take(line, keyword, rest)` for each line that has both, until it returns an error.
template <typename Take>
absl::Status ForEachLine(absl::string_view text, Take take) {
  for (size_t line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    const absl::string_view all = absl::StripAsciiWhitespace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t space = std::min(all.find_first_of(" \t"), all.size());
    if (all.empty() || all[0] == '#' || space == all.size()) continue;
    const absl::Status s =
        take(all.substr(0, space), absl::StripLeadingAsciiWhitespace(all.substr(space)));
    if (s.ok()) continue;
    return absl::Status(s.code(), absl::StrCat("line ", line, ": ", s.message()));
  }
  return absl::OkStatus();
}

absl::string_view NextWord(absl::string_view& text) {
  const absl::string_view out = text.substr(0, text.find_first_of(" \t"));
  text = absl::StripLeadingAsciiWhitespace(text.substr(out.size()));
  return out;
}

// Reads the first `count` numbers of a line. Missing ones are those of `out`, but for the first.
absl::Status ReadFloats(absl::string_view text, size_t count, float* out, size_t least) {
  for (size_t i = 0; i < count && (i < least || !text.empty()); ++i) {
    const absl::string_view word = NextWord(text);
    if (!absl::SimpleAtof(word, &out[i]) || !character::Fits(out[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", word.substr(0, 40), "\" is no number up to 1e9"));
    }
  }
  return absl::OkStatus();
}

// A corner of a face: indices from 0; -1: none.
struct ObjCorner {
  int64_t point = -1, uv = -1, normal = -1;

  bool operator==(const ObjCorner&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const ObjCorner& c) {
    return H::combine(std::move(h), c.point, c.uv, c.normal);
  }
};

class ObjReader {
 public:
  ObjReader(const character::Limits& limits, const asset::ReadSidecar& read_sidecar,
            character::Character& out)
      : limits_(limits), read_sidecar_(read_sidecar), out_(out) {}

  absl::Status Run(absl::string_view text) {
    out_.nodes.emplace_back().name = "object";
    out_.order.push_back(0);
    const absl::Status s =
        ForEachLine(text, [&](absl::string_view key, absl::string_view rest) -> absl::Status {
          if (key == "v") return AddPoint(rest);
          if (key == "vt") return AddUv(rest);
          if (key == "vn") return AddNormal(rest);
          if (key == "f") return AddFace(rest);
          if (key == "o") objects_.push_back({std::string(rest), points_.size()});
          if (key == "usemtl") material_ = MaterialNamed(std::string(rest));
          if (key == "mtllib") ReadMaterials(std::string(rest));
          return absl::OkStatus();
        });
    if (!s.ok()) return s;
    for (auto& [key, build] : meshes_) Finish(key.first, key.second, build);
    out_.materials.emplace_back().double_sided = true;  // the last is for meshes without one
    for (character::Mesh& mesh : out_.meshes) {
      if (mesh.material < 0) mesh.material = static_cast<int>(out_.materials.size()) - 1;
    }
    if (out_.meshes.empty()) return absl::InvalidArgumentError("it has no faces");
    return absl::OkStatus();
  }

 private:
  struct Object {
    std::string name;
    size_t first = 0;  // point
  };
  struct MeshBuild {
    character::Mesh mesh;
    absl::flat_hash_map<ObjCorner, uint32_t> known;
    bool has_uv = true, has_normals = true;
  };

  absl::Status AddPoint(absl::string_view rest) {
    if (points_.size() >= limits_.points) return character::OverLimit("points", limits_.points);
    if (objects_.empty()) objects_.push_back({"", 0});
    float v[3] = {};
    if (absl::Status s = ReadFloats(rest, 3, v, 3); !s.ok()) return s;
    points_.push_back({v[0], v[1], v[2]});
    object_of_.push_back(static_cast<uint32_t>(objects_.size() - 1));
    return absl::OkStatus();
  }

  absl::Status AddUv(absl::string_view rest) {
    if (uv_.size() >= limits_.numbers) return character::OverLimit("numbers", limits_.numbers);
    float v[2] = {};
    if (absl::Status s = ReadFloats(rest, 2, v, 1); !s.ok()) return s;
    uv_.push_back({v[0], 1 - v[1]});  // OBJ counts from the bottom
    return absl::OkStatus();
  }

  absl::Status AddNormal(absl::string_view rest) {
    if (normals_.size() >= limits_.numbers) return character::OverLimit("numbers", limits_.numbers);
    float v[3] = {};
    if (absl::Status s = ReadFloats(rest, 3, v, 3); !s.ok()) return s;
    normals_.push_back(skel::Normalized(Vec3{v[0], v[1], v[2]}));
    return absl::OkStatus();
  }

  // Reads one of a corner's indices: from 1, or from the end backwards if negative.
  static absl::Status ReadIndex(absl::string_view word, size_t count, absl::string_view what,
                                int64_t* out) {
    int64_t value = 0;
    const auto n = static_cast<int64_t>(count);
    if (!absl::SimpleAtoi(word, &value) || value == 0 || value > n || value < -n) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", word.substr(0, 40), "\" is no ", what, ", expected 1 to ", count));
    }
    *out = value > 0 ? value - 1 : n + value;
    return absl::OkStatus();
  }

  absl::Status ReadCorner(absl::string_view word, ObjCorner* out) const {
    const absl::string_view first = word.substr(0, word.find('/'));
    if (absl::Status s = ReadIndex(first, points_.size(), "point", &out->point); !s.ok()) return s;
    word.remove_prefix(std::min(first.size() + 1, word.size()));
    const absl::string_view second = word.substr(0, word.find('/'));
    word.remove_prefix(std::min(second.size() + 1, word.size()));
    if (!second.empty()) {
      if (absl::Status s = ReadIndex(second, uv_.size(), "vt", &out->uv); !s.ok()) return s;
    }
    return word.empty() ? absl::OkStatus() : ReadIndex(word, normals_.size(), "vn", &out->normal);
  }

  absl::Status AddFace(absl::string_view rest) {
    std::vector<ObjCorner> corners;
    while (!rest.empty()) {
      ObjCorner corner;
      if (absl::Status s = ReadCorner(NextWord(rest), &corner); !s.ok()) return s;
      corners.push_back(corner);
    }
    if (corners.size() < 3) {
      return absl::InvalidArgumentError(
          absl::StrCat("a face has ", corners.size(), " corners, expected at least 3"));
    }
    triangles_ += corners.size() - 2;
    if (triangles_ > limits_.triangles) {
      return character::OverLimit("triangles", limits_.triangles);
    }
    const uint32_t object = object_of_[static_cast<size_t>(corners[0].point)];
    MeshBuild& build = meshes_[{object, material_}];
    std::vector<uint32_t> places;
    for (const ObjCorner& corner : corners) {
      if (object_of_[static_cast<size_t>(corner.point)] != object) {
        return absl::InvalidArgumentError("a face has points of two objects");
      }
      const auto [it, fresh] =
          build.known.try_emplace(corner, static_cast<uint32_t>(build.mesh.points.size()));
      places.push_back(it->second);
      if (!fresh) continue;
      if (++corners_ > limits_.points) return character::OverLimit("points", limits_.points);
      const auto point = static_cast<size_t>(corner.point);
      build.mesh.points.push_back(points_[point]);
      build.mesh.point_of.push_back(static_cast<uint32_t>(point - objects_[object].first));
      build.has_uv = build.has_uv && corner.uv >= 0;
      build.has_normals = build.has_normals && corner.normal >= 0;
      build.mesh.uv.push_back(corner.uv >= 0 ? uv_[static_cast<size_t>(corner.uv)]
                                             : std::array<float, 2>{});
      build.mesh.normals.push_back(corner.normal >= 0 ? normals_[static_cast<size_t>(corner.normal)]
                                                      : Vec3{});
    }
    for (size_t k = 2; k < places.size(); ++k) {
      build.mesh.triangles.insert(build.mesh.triangles.end(),
                                  {places[0], places[k - 1], places[k]});
    }
    return absl::OkStatus();
  }

  void Finish(uint32_t object, int material, MeshBuild& build) {
    character::Mesh& mesh = build.mesh;
    const size_t end = object + 1 < objects_.size() ? objects_[object + 1].first : points_.size();
    mesh.name = objects_[object].name;
    mesh.file_points = end - objects_[object].first;
    mesh.node = 0;
    mesh.material = material;
    mesh.per_point = 1;
    mesh.joints.assign(mesh.points.size(), 0);
    mesh.weights.assign(mesh.points.size(), 1);
    if (!build.has_uv) mesh.uv.clear();
    if (!build.has_normals) {
      mesh.normals = character::SmoothNormals(mesh.points, mesh.triangles,
                                              character::TwinsOf(mesh.points, {}));
    }
    out_.meshes.push_back(std::move(mesh));
  }

  int MaterialNamed(const std::string& name) {
    for (size_t m = 0; m < out_.materials.size(); ++m) {
      if (out_.materials[m].name == name) return static_cast<int>(m);
    }
    if (out_.materials.size() >= limits_.nodes) return -1;
    character::Material& material = out_.materials.emplace_back();
    material.name = name;
    material.double_sided = true;
    return static_cast<int>(out_.materials.size()) - 1;
  }

  void ReadMaterials(const std::string& name) {
    if (read_sidecar_ == nullptr) return;
    const absl::StatusOr<std::string> text = read_sidecar_(name);
    absl::Status s = text.status();
    int material = -1;
    if (s.ok()) {
      s = ForEachLine(*text, [&](absl::string_view key, absl::string_view rest) -> absl::Status {
        if (key == "newmtl") material = MaterialNamed(std::string(rest));
        if (material < 0) return absl::OkStatus();
        character::Material& m = out_.materials[static_cast<size_t>(material)];
        float v[3] = {};
        if (key == "Kd" || key == "d" || key == "Tr") {
          if (absl::Status bad = ReadFloats(rest, 3, v, 1); !bad.ok()) return bad;
          for (float& one : v) one = std::clamp(one, 0.0f, 1.0f);
        }
        // Black is what some programs write next to a picture.
        const bool black = v[0] == 0 && v[1] == 0 && v[2] == 0 && m.texture >= 0;
        if (key == "Kd" && !black) m.color = {v[0], v[1], v[2]};
        if (key == "d" || key == "Tr") m.alpha = key == "d" ? v[0] : 1 - v[0];
        if (m.alpha < 1) m.mode = character::Material::Alpha::kBlend;
        if (key == "map_Kd") m.texture = Texture(std::string(rest));
        const Vec3 c = m.color;
        if (key == "map_Kd" && m.texture >= 0 && c.x == 0 && c.y == 0 && c.z == 0) {
          m.color = {1, 1, 1};
        }
        return absl::OkStatus();
      });
    }
    if (!s.ok()) out_.notes.push_back(absl::StrCat(name, " is left out: ", s.message()));
  }

  int Texture(std::string name) {
    // Options, such as "-s 1 1 1", come before the name.
    if (name[0] == '-') name = name.substr(name.find_last_of(" \t") + 1);
    const auto [it, fresh] = pictures_.try_emplace(name, -1);
    if (!fresh) return it->second;
    absl::StatusOr<image::Image> picture =
        absl::ResourceExhaustedError(absl::StrCat("over ", limits_.pictures, " pictures"));
    if (out_.textures.size() < limits_.pictures) {
      const absl::StatusOr<std::string> bytes = read_sidecar_(name);
      picture = bytes.ok() ? image::Decode(*bytes, limits_.picture) : bytes.status();
    }
    if (!picture.ok()) {
      out_.notes.push_back(absl::StrCat(name, " is left out: ", picture.status().message()));
      return -1;
    }
    out_.textures.push_back({*std::move(picture)});
    return it->second = static_cast<int>(out_.textures.size()) - 1;
  }

  const character::Limits& limits_;
  const asset::ReadSidecar& read_sidecar_;
  character::Character& out_;
  std::vector<Object> objects_;
  std::vector<Vec3> points_, normals_;
  std::vector<uint32_t> object_of_;  // of each point
  std::vector<std::array<float, 2>> uv_;
  std::map<std::pair<uint32_t, int>, MeshBuild> meshes_;  // by object and material
  std::map<std::string, int> pictures_;
  size_t triangles_ = 0, corners_ = 0;
  int material_ = -1;
};

}  // namespace

absl::Status ReadCharacter(absl::string_view bytes, const skel::RigCatalog& rigs,
                           const character::Limits& limits, const asset::ReadSidecar& read_sidecar,
                           character::Character& out) {
  if (absl::Status s = ObjReader(limits, read_sidecar, out).Run(bytes); !s.ok()) return s;
  return character::Bind({}, rigs, out);
}

}  // namespace posewire::obj
