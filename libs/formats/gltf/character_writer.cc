#include "libs/formats/gltf/character_writer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/formats/gltf/document_writer.h"
#include "libs/image/image.h"

namespace posewire::gltf {
namespace {

using character::Character;
using character::Material;
using skel::Vec3;

constexpr size_t kMostBytesOfCharacter = size_t{1} << 30;
constexpr size_t kInfluences = 4;
constexpr char kUnlit[] = "KHR_materials_unlit";
// glTF's wrap modes of textures.
constexpr int kRepeat = 10497, kClamp = 33071;

std::vector<float> Floats(absl::Span<const Vec3> all) {
  std::vector<float> out;
  out.reserve(all.size() * 3);
  for (const Vec3& v : all) out.insert(out.end(), {v.x, v.y, v.z});
  return out;
}

void WriteTexture(JsonWriter& json, const char* name, int texture, float scale = 1) {
  if (texture < 0) return;
  WriteObject(json, name, [&] {
    json.Key("index"), json.Int(texture);
    if (scale != 1) json.Key("scale"), json.Double(static_cast<double>(scale));
  });
}

void WriteMaterial(JsonWriter& json, const Material& m) {
  const auto share = [](float v) { return std::clamp(v, 0.0f, 1.0f); };
  WriteText(json, "name", m.name);
  WriteObject(json, "pbrMetallicRoughness", [&] {
    WriteNumbers(json, "baseColorFactor",
                 {share(m.color.x), share(m.color.y), share(m.color.z), share(m.alpha)});
    WriteTexture(json, "baseColorTexture", m.texture);
    json.Key("metallicFactor"), json.Int(0);
    json.Key("roughnessFactor"), json.Double(static_cast<double>(share(m.roughness)));
  });
  WriteTexture(json, "normalTexture", m.normal_map, m.normal_scale);
  WriteTexture(json, "emissiveTexture", m.emissive_texture);
  WriteNumbers(json, "emissiveFactor",
               {share(m.emissive.x), share(m.emissive.y), share(m.emissive.z)});
  if (m.mode == Material::Alpha::kBlend) json.Key("alphaMode"), json.String("BLEND");
  if (m.mode == Material::Alpha::kMask) {
    json.Key("alphaMode"), json.String("MASK");
    json.Key("alphaCutoff"), json.Double(static_cast<double>(m.cutoff));
  }
  if (m.double_sided) json.Key("doubleSided"), json.Bool(true);
  if (m.unlit) WriteObject(json, "extensions", [&] { WriteObject(json, kUnlit, [] {}); });
}

class CharacterBuilder {
 public:
  CharacterBuilder(const Character& of, const CharacterMotion* motion, DocumentWriter& out)
      : of_(of), motion_(motion), out_(out) {}

  // The document refers to this object until it is written.
  absl::Status Build() {
    for (const character::Texture& texture : of_.textures) {
      const absl::StatusOr<std::string> png =
          image::EncodePng(texture.width, texture.height, texture.rgba);
      if (!png.ok()) return png.status();
      pictures_.push_back(out_.AddView(png->data(), png->size()));
    }
    for (const character::Skin& skin : of_.skins) {
      out_.skins.push_back({skin.nodes, out_.AddMatrices(skin.inverse_bind)});
    }
    for (size_t m = 0; m < of_.meshes.size(); ++m) AddMesh(static_cast<int>(m));
    AddNodes();
    if (motion_ != nullptr) {
      if (absl::Status s = CheckMotion(); !s.ok()) return s;
      AddMotion();
    }
    if (std::any_of(of_.materials.begin(), of_.materials.end(),
                    [](const Material& m) { return m.unlit; })) {
      out_.extensions_used = {kUnlit};
    }
    out_.more = [this](JsonWriter& json) {
      WriteObjects(json, "materials", of_.materials,
                   [&](const Material& material) { WriteMaterial(json, material); });
      WritePictures(json);
      WriteExtras(json);
    };
    if (out_.bytes() <= kMostBytesOfCharacter) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(of_.name, " would have ", out_.bytes(),
                                                     " bytes as GLB; at most ",
                                                     kMostBytesOfCharacter, " are written"));
  }

 private:
  using Mesh = DocumentWriter::Mesh;

  void AddMesh(int place) {
    const character::Mesh& mesh = of_.meshes[static_cast<size_t>(place)];
    Mesh out = {.name = mesh.name, .material = mesh.material};
    const size_t points = mesh.points.size();
    out.attributes = {{"POSITION", out_.AddBounded(Floats(mesh.points), 3, kVertices)}};
    std::vector<Vec3> normals = mesh.normals;
    for (Vec3& n : normals) n = skel::Length(n) > 1e-6f ? skel::Normalized(n) : Vec3{0, 1, 0};
    if (normals.size() == points) {
      out.attributes.emplace_back("NORMAL", out_.Add(Floats(normals), 3, kVertices));
    }
    if (mesh.uv.size() == points) {
      std::vector<float> uv;
      for (const auto& one : mesh.uv) uv.insert(uv.end(), {one[0], one[1]});
      out.attributes.emplace_back("TEXCOORD_0", out_.Add(uv, 2, kVertices));
    }
    if (mesh.tangents.size() == points && normals.size() == points) {
      std::vector<float> tangents;
      for (const auto& one : mesh.tangents) tangents.insert(tangents.end(), one.begin(), one.end());
      out.attributes.emplace_back("TANGENT", out_.Add(tangents, 4, kVertices));
    }
    if (mesh.colors.size() == points) {
      std::vector<uint8_t> colors;
      for (const auto& one : mesh.colors) colors.insert(colors.end(), one.begin(), one.end());
      out.attributes.emplace_back("COLOR_0", out_.Add(colors, 4, kVertices));
    }
    if (mesh.point_of.size() == points) {
      // Vertex attributes cannot be 32-bit integers; floats count exactly to 16 million.
      const std::vector<float> numbers(mesh.point_of.begin(), mesh.point_of.end());
      out.attributes.emplace_back(kPointAttribute, out_.Add(numbers, 1, kVertices));
      out.file_points = mesh.file_points;
    }
    if (mesh.skin >= 0) AddInfluences(mesh, out);
    out.indices = out_.Add(mesh.triangles, 1, kTriangles);
    for (size_t s = 0; s < mesh.shapes.size(); ++s) AddShape(mesh, place, s, out);
    if (!out.targets.empty()) {
      out.weights = mesh.shape_weights;
      out.weights.resize(out.targets.size());
    }
    out_.meshes.push_back(std::move(out));
  }

  void AddInfluences(const character::Mesh& mesh, Mesh& out) {
    const auto per = static_cast<size_t>(mesh.per_point);
    std::vector<uint16_t> joints;
    std::vector<float> weights;
    std::vector<size_t> order(per);
    for (size_t p = 0; p < mesh.points.size(); ++p) {
      std::iota(order.begin(), order.end(), p * per);
      const size_t kept = std::min(per, kInfluences);
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept),
                        order.end(),
                        [&](size_t a, size_t b) { return mesh.weights[a] > mesh.weights[b]; });
      float sum = 0;
      for (size_t i = 0; i < kept; ++i) sum += std::max(mesh.weights[order[i]], 0.0f);
      for (size_t i = 0; i < kInfluences; ++i) {
        const float weight = i < kept && sum > 0    ? std::max(mesh.weights[order[i]], 0.0f) / sum
                             : i == 0 && !(sum > 0) ? 1.0f
                                                    : 0.0f;
        weights.push_back(weight);
        joints.push_back(weight > 0 ? static_cast<uint16_t>(mesh.joints[order[i]]) : uint16_t{0});
      }
    }
    out.attributes.emplace_back("JOINTS_0", out_.Add(joints, 4, kVertices));
    out.attributes.emplace_back("WEIGHTS_0", out_.Add(weights, 4, kVertices));
  }

  // Adds the shape at full strength.
  void AddShape(const character::Mesh& mesh, int place, size_t s, Mesh& out) {
    const mesh::BlendShape& shape = mesh.shapes[s];
    std::vector<Vec3> offsets(mesh.points.size());
    const mesh::BlendShape::Blend blend = shape.Find(1);
    for (const auto& [key, share] :
         {std::pair{blend.low, blend.low_part}, std::pair{blend.high, blend.high_part}}) {
      if (key == nullptr) continue;
      for (size_t i = 0; i < key->offsets.size(); ++i) {
        const size_t p = shape.indices().empty() ? i : static_cast<size_t>(shape.indices()[i]);
        if (p < offsets.size()) offsets[p] = offsets[p] + key->offsets[i] * share;
      }
    }
    out.targets.push_back(out_.AddBounded(Floats(offsets), 3, kVertices));
    std::string name = shape.name();
    for (const character::Drive& drive : of_.drives) {
      const bool same = drive.mesh == place && drive.shape == static_cast<int>(s) &&
                        drive.kind == character::Drive::Kind::kMean && drive.sources.size() == 1;
      if (same && of_.rig != nullptr) {
        name = of_.rig->shape_names()[static_cast<size_t>(drive.sources[0])];
      }
    }
    out.target_names.push_back(std::move(name));
  }

  // Adds the character's nodes, the root that transforms them into its space, and one node per
  // mesh.
  void AddNodes() {
    const int root = static_cast<int>(of_.nodes.size());
    const auto add = [&](const std::string& name, const character::CharacterNode& node) {
      out_.nodes.push_back({.name = name,
                            .translation = node.translation,
                            .rotation = skel::Normalized(node.rotation),
                            .scale = node.scale});
    };
    for (const character::CharacterNode& node : of_.nodes) add(node.name, node);
    add("character", of_.root);
    out_.roots = {root};
    const auto hang = [&](int node, int parent) {
      out_.nodes[static_cast<size_t>(parent < 0 ? root : parent)].children.push_back(node);
    };
    for (int n = 0; n < root; ++n) hang(n, of_.nodes[static_cast<size_t>(n)].parent);
    for (size_t m = 0; m < of_.meshes.size(); ++m) {
      const character::Mesh& mesh = of_.meshes[m];
      const int node = root + 1 + static_cast<int>(m);
      out_.nodes.push_back({.name = absl::StrCat("mesh_", m, "_", mesh.name),
                            .mesh = static_cast<int>(m),
                            .skin = mesh.skin});
      if (mesh.skin < 0) hang(node, mesh.node);
      if (mesh.skin >= 0) out_.roots.push_back(node);
    }
  }

  absl::Status CheckMotion() const {
    const size_t times = motion_->times_s.size();
    bool fits = times > 0 && motion_->nodes.size() == times &&
                (motion_->weights.empty() || motion_->weights.size() == of_.meshes.size());
    for (const std::vector<skel::Trs>& frame : motion_->nodes) {
      fits = fits && frame.size() == of_.nodes.size();
    }
    for (size_t m = 0; fits && m < motion_->weights.size(); ++m) {
      const size_t count = motion_->weights[m].size();
      fits = count == 0 || count == times * of_.meshes[m].shapes.size();
    }
    if (fits) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("the motion \"", motion_->name, "\" of ", times, " times and ",
                     motion_->nodes.size(), " poses does not have the ", of_.nodes.size(),
                     " nodes and ", of_.meshes.size(), " meshes of the character"));
  }

  // Adds a channel of `width` values per time if any differs from the first.
  void AddChannel(int node, const char* path, const std::vector<float>& values, size_t width) {
    bool moves = false;
    for (size_t i = width; i < values.size(); ++i) {
      moves = moves || std::fabs(values[i] - values[i % width]) > kLeastMove;
    }
    if (!moves) return;
    if (times_ < 0) times_ = out_.AddTimes(motion_->times_s);
    // Each weight of a mesh is an element of its own.
    const bool weights = absl::string_view(path) == "weights";
    out_.channels.push_back({node, times_, out_.Add(values, weights ? 1 : width), path});
  }

  void AddMotion() {
    out_.animation = motion_->name;
    for (size_t n = 0; n < of_.nodes.size(); ++n) {
      std::vector<float> turns, ways, sizes;
      skel::Quat last;
      for (const std::vector<skel::Trs>& frame : motion_->nodes) {
        const skel::Trs& here = frame[n];
        skel::Quat q = skel::Normalized(here.rotation);
        if (skel::Dot(q, last) < 0) q = -q;
        last = q;
        turns.insert(turns.end(), {q.x, q.y, q.z, q.w});
        ways.insert(ways.end(), {here.translation.x, here.translation.y, here.translation.z});
        sizes.insert(sizes.end(), {here.scale.x, here.scale.y, here.scale.z});
      }
      const int node = static_cast<int>(n);
      AddChannel(node, "rotation", turns, 4);
      AddChannel(node, "translation", ways, 3);
      AddChannel(node, "scale", sizes, 3);
    }
    for (size_t m = 0; m < motion_->weights.size(); ++m) {
      if (motion_->weights[m].empty()) continue;
      const int node = static_cast<int>(of_.nodes.size() + 1 + m);
      AddChannel(node, "weights", motion_->weights[m], of_.meshes[m].shapes.size());
    }
  }

  void WritePictures(JsonWriter& json) const {
    WriteObjects(json, "images", pictures_, [&](int view) {
      json.Key("bufferView"), json.Int(view);
      json.Key("mimeType"), json.String("image/png");
    });
    WriteObjects(json, "samplers", of_.textures, [&](const character::Texture& texture) {
      const int wrap = texture.repeats ? kRepeat : kClamp;
      json.Key("wrapS"), json.Int(wrap);
      json.Key("wrapT"), json.Int(wrap);
    });
    int place = 0;
    WriteObjects(json, "textures", pictures_, [&](int) {
      json.Key("sampler"), json.Int(place);
      json.Key("source"), json.Int(place++);
    });
  }

  void WriteExtras(JsonWriter& json) const {
    if (!of_.ace_mouth) return;
    WriteObject(json, "extras", [&] {
      WriteObject(json, "posewire", [&] {
        json.Key("version"), json.Int(1);
        json.Key("mouthClose"), json.String("ace");
      });
    });
  }

  const Character& of_;
  const CharacterMotion* const motion_;
  DocumentWriter& out_;
  int times_ = -1;             // accessor of the motion's times
  std::vector<int> pictures_;  // buffer views
};

}  // namespace

absl::StatusOr<std::string> WriteCharacter(const Character& character,
                                           const CharacterMotion* motion) {
  DocumentWriter document;
  CharacterBuilder builder(character, motion, document);
  if (absl::Status s = builder.Build(); !s.ok()) return s;
  std::string glb;
  const absl::Status put = document.PutGlb([&](absl::string_view bytes) {
    glb.append(bytes.data(), bytes.size());
    return absl::OkStatus();
  });
  if (!put.ok()) return put;
  return glb;
}

}  // namespace posewire::gltf
