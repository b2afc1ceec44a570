#include "libs/formats/gltf/scene.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "libs/character/smooth_normals.h"
#include "libs/formats/gltf/draco_mesh.h"
#include "libs/mesh/influences.h"

namespace posewire::gltf {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

constexpr float kLeastOffset = 1e-7f;  // metres or the file's unit
constexpr float kLeastTurn = 1e-4f;    // of a normal

std::vector<Vec3> Vectors(const std::vector<float>& values) {
  std::vector<Vec3> out(values.size() / 3);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = {values[i * 3], values[i * 3 + 1], values[i * 3 + 2]};
  }
  return out;
}

// Converts a matrix stored as in glTF, column after column. Its columns are our rows.
Affine AffineOf(const float* m) {
  return {{Vec3{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}, {m[12], m[13], m[14]}}};
}

// The arrays of a primitive, from its accessors or from Draco's bytes.
class Primitive {
 public:
  Primitive(Document& document, Json json, size_t most)
      : document_(document), json_(std::move(json)) {
    const Json packed = json_["extensions"]["KHR_draco_mesh_compression"];
    if (!packed.exists()) return;
    const int view = packed["bufferView"].Index(document_.root()["bufferViews"].size());
    if (view < 0) {
      packed.Wrong("names no bufferView");
      return;
    }
    auto mesh = DracoMesh::Unpack(document_.View(view), most);
    if (!mesh.ok()) {
      packed.Wrong(mesh.status().message());
      return;
    }
    draco_ = *std::move(mesh);
    ids_ = packed["attributes"];
    document_.Take(draco_->points() * 8, packed.path());
  }

  bool Has(absl::string_view name) const { return json_["attributes"][name].exists(); }

  std::vector<float> Floats(absl::string_view name, int width) {
    return Read<float>(name, width,
                       [&](int accessor) { return document_.Floats(accessor, width); });
  }
  std::vector<uint32_t> Wholes(absl::string_view name, int width) {
    return Read<uint32_t>(name, width,
                          [&](int accessor) { return document_.Wholes(accessor, width); });
  }
  int WidthOf(absl::string_view name) const {
    const int accessor = AccessorOf(json_["attributes"][name]);
    return accessor < 0 ? 0 : document_.WidthOf(accessor);
  }

  std::vector<uint32_t> Indices(size_t points) {
    std::vector<uint32_t> out;
    if (draco_ != nullptr) {
      out = draco_->Triangles();
    } else if (json_["indices"].exists()) {
      const int accessor = AccessorOf(json_["indices"]);
      if (accessor >= 0) out = document_.Wholes(accessor, 1);
    } else {
      out.resize(points);
      for (size_t i = 0; i < points; ++i) out[i] = static_cast<uint32_t>(i);
    }
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i] < points) continue;
      json_["indices"].Wrong(
          absl::StrCat("[", i, "] is ", out[i], ", and there are ", points, " points"));
      return {};
    }
    return out;
  }

  // Returns the offsets of a target's attribute; empty if it has none.
  std::vector<Vec3> Offsets(size_t target, absl::string_view name, size_t points) {
    const Json at = json_["targets"].At(target)[name];
    if (!at.exists()) return {};
    const int accessor = AccessorOf(at);
    if (accessor < 0) return {};
    std::vector<Vec3> out = Vectors(document_.Floats(accessor, 3));
    if (out.size() == points || !document_.status().ok()) return out;
    at.Wrong(absl::StrCat("has ", out.size(), " offsets for ", points, " points"));
    return {};
  }

 private:
  int AccessorOf(const Json& at) const { return at.Index(document_.root()["accessors"].size()); }
  template <typename T, typename FromAccessor>
  std::vector<T> Read(absl::string_view name, int width, FromAccessor from_accessor) {
    const Json at = json_["attributes"][name];
    if (!at.exists()) return {};
    if (draco_ != nullptr && ids_[name].exists()) {
      const auto id = static_cast<uint32_t>(ids_[name].Whole(0, 0, 1 << 20));
      std::vector<T> out;
      if constexpr (std::is_same_v<T, float>) {
        out = draco_->Floats(id, width);
      } else {
        out = draco_->Wholes(id, width);
      }
      if (out.empty()) ids_[name].Wrong("is no such attribute of the Draco mesh");
      return out;
    }
    const int accessor = AccessorOf(at);
    return accessor < 0 ? std::vector<T>() : from_accessor(accessor);
  }

  Document& document_;
  Json json_;
  std::unique_ptr<DracoMesh> draco_;
  Json ids_;
};

// Returns fans and strips as triangles, without degenerate ones.
std::vector<uint32_t> TrianglesOf(std::vector<uint32_t> indices, int64_t mode) {
  if (mode == 4) {
    indices.resize(indices.size() / 3 * 3);
    return indices;
  }
  std::vector<uint32_t> out;
  for (size_t i = 2; i < indices.size(); ++i) {
    const uint32_t a = mode == 6 ? indices[0] : indices[i - 2], b = indices[i - 1], c = indices[i];
    if (a == b || b == c || a == c) continue;
    if (mode == 5 && i % 2 == 1) {
      out.insert(out.end(), {b, a, c});
    } else {
      out.insert(out.end(), {a, b, c});
    }
  }
  return out;
}

class SceneReader {
 public:
  SceneReader(Document& document, const character::Limits& limits,
              const std::vector<Inbetween>& inbetweens, character::Character& out,
              std::vector<character::MeshOrigin>& origins)
      : document_(document),
        limits_(limits),
        inbetweens_(inbetweens),
        out_(out),
        origins_(origins) {}

  absl::Status Run() {
    ReadNodes();
    ReadSkins();
    if (document_.status().ok()) {
      if (absl::Status s = ReadMaterials(document_, limits_, out_, uv_of_); !s.ok()) return s;
      ReadMeshes();
    }
    if (document_.status().ok() && out_.meshes.empty()) {
      return absl::InvalidArgumentError("its scene has no mesh with triangles");
    }
    return document_.status();
  }

 private:
  bool good() const { return document_.status().ok(); }

  void ReadNodes() {
    const Json nodes = document_.root()["nodes"];
    out_.nodes.resize(nodes.size());
    for (size_t i = 0; i < nodes.size() && good(); ++i) {
      const Json from = nodes.At(i);
      character::CharacterNode& node = out_.nodes[i];
      node.name = from["name"].Text();
      if (const std::vector<float> m = from["matrix"].Floats(16); !m.empty()) {
        const skel::Trs parts = skel::Decompose(AffineOf(m.data()));
        node.translation = parts.translation;
        node.rotation = parts.rotation;
        node.scale = parts.scale;
      }
      if (const std::vector<float> t = from["translation"].Floats(3); !t.empty()) {
        node.translation = {t[0], t[1], t[2]};
      }
      if (const std::vector<float> q = from["rotation"].Floats(4); !q.empty()) {
        node.rotation = skel::Normalized(Quat{q[3], q[0], q[1], q[2]});
      }
      if (const std::vector<float> s = from["scale"].Floats(3); !s.empty()) {
        node.scale = {s[0], s[1], s[2]};
      }
      const Json children = from["children"];
      for (size_t k = 0; k < children.size(); ++k) {
        const int child = children.At(k).Index(nodes.size());
        if (child >= 0) out_.nodes[static_cast<size_t>(child)].parent = static_cast<int>(i);
      }
    }
    Order();
  }

  // Sorts parents before children, and marks the nodes of the scene that is shown.
  void Order() {
    std::vector<std::vector<int>> children(out_.nodes.size());
    std::vector<int> todo;
    for (size_t i = 0; i < out_.nodes.size(); ++i) {
      const int parent = out_.nodes[i].parent;
      if (parent < 0) {
        todo.push_back(static_cast<int>(i));
      } else {
        children[static_cast<size_t>(parent)].push_back(static_cast<int>(i));
      }
    }
    in_scene_.assign(out_.nodes.size(), false);
    const Json scenes = document_.root()["scenes"];
    const int index = document_.root()["scene"].Index(scenes.size());
    const Json roots = scenes.At(static_cast<size_t>(std::max(index, 0)))["nodes"];
    for (size_t i = 0; i < roots.size(); ++i) {
      const int root = roots.At(i).Index(out_.nodes.size());
      if (root >= 0) in_scene_[static_cast<size_t>(root)] = true;
    }
    if (!roots.exists()) in_scene_.assign(out_.nodes.size(), true);
    for (size_t k = 0; k < todo.size(); ++k) {
      const auto node = static_cast<size_t>(todo[k]);
      out_.order.push_back(todo[k]);
      for (const int child : children[node]) {
        if (in_scene_[node]) in_scene_[static_cast<size_t>(child)] = true;
        todo.push_back(child);
      }
    }
  }

  void ReadSkins() {
    const Json skins = document_.root()["skins"];
    const size_t accessors = document_.root()["accessors"].size();
    for (size_t i = 0; i < skins.size() && good(); ++i) {
      const Json from = skins.At(i);
      const Json joints = from["joints"];
      character::Skin skin;
      if (joints.size() == 0 || joints.size() > limits_.joints) {
        return from.Wrong(
            absl::StrCat(".joints has ", joints.size(), " nodes, expected 1 to ", limits_.joints));
      }
      for (size_t k = 0; k < joints.size(); ++k) {
        const int node = joints.At(k).Index(out_.nodes.size());
        if (node < 0) return;
        skin.nodes.push_back(node);
      }
      skin.inverse_bind.resize(skin.nodes.size());
      if (const Json inverse = from["inverseBindMatrices"]; inverse.exists()) {
        const int accessor = inverse.Index(accessors);
        const std::vector<float> values =
            accessor < 0 ? std::vector<float>() : document_.Floats(accessor, 16);
        if (!good()) return;
        if (values.size() < skin.nodes.size() * 16) {
          return inverse.Wrong(absl::StrCat("has ", values.size() / 16, " matrices for ",
                                            skin.nodes.size(), " joints"));
        }
        for (size_t k = 0; k < skin.nodes.size(); ++k) {
          skin.inverse_bind[k] = AffineOf(&values[k * 16]);
        }
      }
      out_.skins.push_back(std::move(skin));
    }
  }

  // glTF requires all joints of a skin to be in the scene that shows it, but viewers accept others.
  void NoteJointsElsewhere(int skin) {
    if (skin < 0 || !elsewhere_.insert(skin).second) return;
    const std::vector<int>& joints = out_.skins[static_cast<size_t>(skin)].nodes;
    for (size_t k = 0; k < joints.size(); ++k) {
      if (in_scene_[static_cast<size_t>(joints[k])]) continue;
      out_.notes.push_back(absl::StrCat("skins[", skin, "].joints[", k, "] is node ", joints[k],
                                        ", which is not in the scene; it moves the skin all the "
                                        "same"));
      return;
    }
  }

  void ReadMeshes() {
    const Json nodes = document_.root()["nodes"], meshes = document_.root()["meshes"];
    std::optional<std::string> left_out;
    for (size_t i = 0; i < out_.nodes.size() && good(); ++i) {
      if (!in_scene_[i]) continue;
      const int index = nodes.At(i)["mesh"].Index(meshes.size());
      if (index < 0) continue;
      const int skin = nodes.At(i)["skin"].Index(out_.skins.size());
      NoteJointsElsewhere(skin);
      const Json mesh = meshes.At(static_cast<size_t>(index));
      const Json primitives = mesh["primitives"];
      for (size_t k = 0; k < primitives.size() && good(); ++k) {
        const Json primitive = primitives.At(k);
        const int64_t mode = primitive["mode"].Whole(4, 0, 6);
        if (mode < 4) {
          left_out = primitive.path();
          continue;
        }
        if (!primitive["attributes"]["POSITION"].exists()) continue;
        ReadPrimitive(nodes.At(i), mesh, primitive, mode, static_cast<int>(i), skin);
        if (good() && origins_.size() < out_.meshes.size()) {
          origins_.push_back({static_cast<int>(i), index});
        }
      }
    }
    if (left_out)
      out_.notes.push_back(absl::StrCat("points and lines are left out (", *left_out, ")"));
  }

  void ReadPrimitive(const Json& node, const Json& mesh, const Json& json, int64_t mode,
                     int node_index, int skin) {
    Primitive from(document_, json, limits_.points);
    character::Mesh out;
    out.name = out_.nodes[static_cast<size_t>(node_index)].name;
    if (out.name.empty()) out.name = mesh["name"].Text();
    out.node = node_index;
    out.skin = skin;
    const int material = json["material"].Index(out_.materials.size() - 1);
    out.material = material < 0 ? static_cast<int>(out_.materials.size()) - 1 : material;
    out.points = Vectors(from.Floats("POSITION", 3));
    const size_t count = out.points.size();
    out.triangles = TrianglesOf(from.Indices(count), mode);
    points_ += count;
    triangles_ += out.triangles.size() / 3;
    if (!good()) return;
    if (points_ > limits_.points || triangles_ > limits_.triangles) {
      return json.Wrong(absl::StrCat("brings the scene to ", points_, " points and ", triangles_,
                                     " triangles, and at most ", limits_.points, " and ",
                                     limits_.triangles, " are read"));
    }
    if (out.triangles.empty()) return;
    const auto check = [&](absl::string_view name, size_t have) {
      if (have == count || !good()) return;
      json.Wrong(
          absl::StrCat(".attributes.", name, " has ", have, " values for ", count, " points"));
    };
    if (from.Has("NORMAL")) {
      out.normals = Vectors(from.Floats("NORMAL", 3));
      check("NORMAL", out.normals.size());
    }
    if (from.Has("TEXCOORD_0")) {
      const std::vector<float> uv = from.Floats("TEXCOORD_0", 2);
      check("TEXCOORD_0", uv.size() / 2);
      const Affine& lay = uv_of_[static_cast<size_t>(out.material)];
      for (size_t i = 0; i < uv.size() / 2; ++i) {
        const Vec3 at = skel::TransformPoint(lay, {uv[i * 2], uv[i * 2 + 1], 0});
        out.uv.push_back({at.x, at.y});
      }
    }
    if (from.Has("TANGENT") && from.Has("NORMAL") &&
        out_.materials[static_cast<size_t>(out.material)].normal_map >= 0) {
      const std::vector<float> tangents = from.Floats("TANGENT", 4);
      check("TANGENT", tangents.size() / 4);
      for (size_t i = 0; i + 3 < tangents.size(); i += 4) {
        out.tangents.push_back({tangents[i], tangents[i + 1], tangents[i + 2], tangents[i + 3]});
      }
    }
    if (from.Has("COLOR_0")) ReadColors(from, count, check, out);
    if (from.Has(kPointAttribute)) ReadPointNumbers(from, mesh, check, out);
    ReadInfluences(from, json, count, out);
    if (!good()) return;
    const std::vector<uint32_t> twins = character::TwinsOf(out.points, out.normals);
    if (out.normals.empty())
      out.normals = character::SmoothNormals(out.points, out.triangles, twins);
    ReadShapes(from, node, mesh, json, twins, out);
    if (good()) out_.meshes.push_back(std::move(out));
  }

  // Files of ours number the points of the file that they were made from, and keep its mesh's name.
  template <typename Check>
  void ReadPointNumbers(Primitive& from, const Json& mesh, const Check& check,
                        character::Mesh& out) {
    const std::vector<float> numbers = from.Floats(kPointAttribute, 1);
    check(kPointAttribute, numbers.size());
    const int64_t most =
        mesh["extras"]["posewire"]["points"].Whole(0, 0, static_cast<int64_t>(limits_.points));
    if (!good()) return;
    const bool fit = std::all_of(numbers.begin(), numbers.end(),
                                 [&](float n) { return n >= 0 && n < static_cast<float>(most); });
    if (!fit) return;  // of another program
    out.point_of.assign(numbers.begin(), numbers.end());
    out.file_points = static_cast<size_t>(most);
    out.name = mesh["name"].Text(out.name);
  }

  template <typename Check>
  void ReadColors(Primitive& from, size_t count, const Check& check, character::Mesh& out) {
    const int width = from.WidthOf("COLOR_0") == 3 ? 3 : 4;
    const std::vector<float> values = from.Floats("COLOR_0", width);
    const auto w = static_cast<size_t>(width);
    check("COLOR_0", values.size() / w);
    if (!good()) return;
    for (size_t i = 0; i < count; ++i) {
      std::array<uint8_t, 4> color{255, 255, 255, 255};
      for (size_t k = 0; k < w; ++k) {
        color[k] =
            static_cast<uint8_t>(std::lround(std::clamp(values[i * w + k], 0.0f, 1.0f) * 255));
      }
      out.colors.push_back(color);
    }
  }

  void ReadInfluences(Primitive& from, const Json& json, size_t count, character::Mesh& out) {
    if (out.skin < 0 || !from.Has("JOINTS_0") || !from.Has("WEIGHTS_0")) {
      if (out.skin >= 0) json.Wrong("has a skin, but no JOINTS_0 or no WEIGHTS_0");
      out.per_point = 1;
      out.joints.assign(count, 0);
      out.weights.assign(count, 1);
      return;
    }
    out.per_point = from.Has("JOINTS_1") && from.Has("WEIGHTS_1") ? 8 : 4;
    const auto per = static_cast<size_t>(out.per_point);
    out.joints.resize(count * per);
    out.weights.resize(count * per);
    const size_t most = out_.skins[static_cast<size_t>(out.skin)].nodes.size();
    for (size_t set = 0; set < per / 4; ++set) {
      const std::string joints_name = absl::StrCat("JOINTS_", set);
      const std::vector<uint32_t> joints = from.Wholes(joints_name, 4);
      const std::vector<float> weights = from.Floats(absl::StrCat("WEIGHTS_", set), 4);
      if (!good()) return;
      if (joints.size() != count * 4 || weights.size() != count * 4) {
        return json.Wrong(absl::StrCat(".attributes.", joints_name, " has ", joints.size() / 4,
                                       " values and its weights ", weights.size() / 4, " for ",
                                       count, " points"));
      }
      for (size_t i = 0; i < count * 4; ++i) {
        const size_t at = i / 4 * per + set * 4 + i % 4;
        if (weights[i] <= 0) continue;
        if (joints[i] >= most) {
          return json.Wrong(absl::StrCat(".attributes.", joints_name, ": point ", i / 4,
                                         " has joint ", joints[i], " of ", most));
        }
        out.joints[at] = static_cast<int>(joints[i]);
        out.weights[at] = weights[i];
      }
    }
    if (const absl::Status s = mesh::NormalizeWeights(absl::MakeSpan(out.weights), out.per_point);
        !s.ok()) {
      json.Wrong(s.message());
    }
    // Points without weights follow the skin's first joint.
    for (size_t i = 0; i < count; ++i) {
      float sum = 0;
      for (size_t k = 0; k < per; ++k) sum += out.weights[i * per + k];
      if (sum == 0) out.weights[i * per] = 1;
    }
  }

  struct Target {
    std::string name;
    std::vector<Vec3> offsets, normals;  // one per point
  };

  void ReadShapes(Primitive& from, const Json& node, const Json& mesh, const Json& json,
                  const std::vector<uint32_t>& twins, character::Mesh& out) {
    const size_t count = json["targets"].size();
    if (count > limits_.targets) {
      return json.Wrong(absl::StrCat(".targets has ", count, " targets, and at most ",
                                     limits_.targets, " are read"));
    }
    Json names = mesh["extras"].IsObject() ? mesh["extras"]["targetNames"] : Json();
    if (!names.exists() && json["extras"].IsObject()) names = json["extras"]["targetNames"];
    std::vector<Target> targets;
    for (size_t t = 0; t < count && good(); ++t) {
      Target target;
      if (t < names.size()) target.name = names.At(t).Text();
      if (target.name.empty()) target.name = absl::StrCat("target_", t);  // the name that clips use
      target.offsets = from.Offsets(t, "POSITION", out.points.size());
      target.normals = from.Offsets(t, "NORMAL", out.points.size());
      if (!target.offsets.empty() && target.normals.empty()) {
        target.normals = TurnsOf(out, target.offsets, twins);
      }
      targets.push_back(std::move(target));
    }
    const Json weights = node["weights"].exists() ? node["weights"] : mesh["weights"];
    for (size_t t = 0; t < count && good(); ++t) {
      out.shape_weights.push_back(
          t < weights.size() ? static_cast<float>(weights.At(t).Number(0, -100, 100)) : 0);
      out.shapes.push_back(ShapeOf(targets, t, json));
    }
  }

  // Returns the changes to the mesh's normals by a target that has none of its own.
  static std::vector<Vec3> TurnsOf(const character::Mesh& mesh, const std::vector<Vec3>& offsets,
                                   const std::vector<uint32_t>& twins) {
    std::vector<Vec3> moved = mesh.points;
    std::vector<uint32_t> touched;
    std::vector<char> moves(moved.size(), 0);
    for (size_t i = 0; i < moved.size(); ++i) {
      moves[i] = skel::Dot(offsets[i], offsets[i]) > 0;
      moved[i] = moved[i] + offsets[i];
    }
    for (size_t i = 0; i < moved.size(); ++i) moves[twins[i]] |= moves[i];
    // A point's normal depends on all its triangles, so those of the neighbours count too.
    std::vector<char> near(moved.size(), 0);
    for (size_t i = 0; i < mesh.triangles.size(); i += 3) {
      const uint32_t* t = &mesh.triangles[i];
      if (moves[twins[t[0]]] || moves[twins[t[1]]] || moves[twins[t[2]]]) {
        for (size_t k = 0; k < 3; ++k) near[twins[t[k]]] = 1;
      }
    }
    for (size_t i = 0; i < mesh.triangles.size(); i += 3) {
      const uint32_t* t = &mesh.triangles[i];
      if (near[twins[t[0]]] || near[twins[t[1]]] || near[twins[t[2]]]) {
        touched.insert(touched.end(), t, t + 3);
      }
    }
    std::vector<Vec3> out(moved.size());
    const std::vector<Vec3> before = character::SmoothNormals(mesh.points, touched, twins);
    const std::vector<Vec3> after = character::SmoothNormals(moved, touched, twins);
    for (size_t i = 0; i < out.size(); ++i) {
      if (near[twins[i]]) out[i] = after[i] - before[i];
    }
    return out;
  }

  mesh::BlendShape ShapeOf(const std::vector<Target>& targets, size_t t, const Json& json) {
    const Target& target = targets[t];
    std::vector<std::pair<float, const Target*>> keys = {{1.0f, &target}};
    for (const Inbetween& between : inbetweens_) {
      if (between.shape != target.name) continue;
      for (const Target& other : targets) {
        if (other.name != between.target) continue;
        keys.emplace_back(between.at, &other);
        break;
      }
    }
    mesh::BlendShapeParts parts;
    parts.name = target.name;
    const size_t points = target.offsets.size();
    for (size_t i = 0; i < points; ++i) {
      const bool moves = std::any_of(keys.begin(), keys.end(), [&](const auto& key) {
        const Target& of = *key.second;
        return of.offsets.size() == points &&
               (skel::Length(of.offsets[i]) > kLeastOffset ||
                (!of.normals.empty() && skel::Length(of.normals[i]) > kLeastTurn));
      });
      if (moves) parts.indices.push_back(static_cast<int32_t>(i));
    }
    for (const auto& [weight, of] : keys) {
      if (of->offsets.size() != points) continue;
      mesh::ShapeKey key;
      key.weight = weight;
      for (const int32_t i : parts.indices) {
        key.offsets.push_back(of->offsets[static_cast<size_t>(i)]);
        key.normal_offsets.push_back(of->normals.empty() ? Vec3{}
                                                         : of->normals[static_cast<size_t>(i)]);
      }
      if (of == &target) {
        parts.offsets = std::move(key.offsets);
        parts.normal_offsets = std::move(key.normal_offsets);
      } else {
        parts.inbetweens.push_back(std::move(key));
      }
    }
    auto shape = mesh::BlendShape::Make(std::move(parts), &out_.notes);
    if (shape.ok()) return *std::move(shape);
    json.Wrong(shape.status().message());
    return *mesh::BlendShape::Make({target.name, {}, {}, {}, {}});
  }

  Document& document_;
  const character::Limits& limits_;
  const std::vector<Inbetween>& inbetweens_;
  character::Character& out_;
  std::vector<character::MeshOrigin>& origins_;
  std::vector<bool> in_scene_;
  absl::flat_hash_set<int> elsewhere_;  // skins already checked for joints outside the scene
  std::vector<Affine> uv_of_;
  size_t points_ = 0, triangles_ = 0;
};

}  // namespace

absl::Status ReadScene(Document& document, const character::Limits& limits,
                       const std::vector<Inbetween>& inbetweens, character::Character& out,
                       std::vector<character::MeshOrigin>& origins) {
  return SceneReader(document, limits, inbetweens, out, origins).Run();
}

}  // namespace posewire::gltf
