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
#include "libs/formats/gltf/extras_writer.h"
#include "libs/formats/gltf/scene_nodes.h"
#include "libs/image/image.h"

namespace posewire::gltf {
namespace {

using character::Character;
using character::CharacterMotion;
using character::LinearShapes;
using character::Material;
using character::SceneMember;
using skel::Vec3;

constexpr size_t kMostBytesOfCharacter = size_t{1} << 30;
constexpr size_t kSet = 4;  // influences in one attribute
constexpr char kUnlit[] = "KHR_materials_unlit";
// glTF's wrap modes of textures.
constexpr int kRepeat = 10497, kClamp = 33071;

std::vector<float> Floats(absl::Span<const Vec3> all) {
  std::vector<float> out;
  out.reserve(all.size() * 3);
  for (const Vec3& v : all) out.insert(out.end(), {v.x, v.y, v.z});
  return out;
}

// `first` is the place of the character's first texture in the file.
void WriteTexture(JsonWriter& json, const char* name, int texture, int first, float scale = 1) {
  if (texture < 0) return;
  WriteObject(json, name, [&] {
    json.Key("index"), json.Int(first + texture);
    if (scale != 1) json.Key("scale"), json.Double(static_cast<double>(scale));
  });
}

void WriteMaterial(JsonWriter& json, const Material& m, int first) {
  const auto share = [](float v) { return std::clamp(v, 0.0f, 1.0f); };
  WriteText(json, "name", m.name);
  WriteObject(json, "pbrMetallicRoughness", [&] {
    WriteNumbers(json, "baseColorFactor",
                 {share(m.color.x), share(m.color.y), share(m.color.z), share(m.alpha)});
    WriteTexture(json, "baseColorTexture", m.texture, first);
    json.Key("metallicFactor"), json.Int(0);
    json.Key("roughnessFactor"), json.Double(static_cast<double>(share(m.roughness)));
  });
  WriteTexture(json, "normalTexture", m.normal_map, first, m.normal_scale);
  WriteTexture(json, "emissiveTexture", m.emissive_texture, first);
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

// Adds one member of a scene to a document. Indices of the member begin at those that the document
// has by then.
class MemberWriter {
 public:
  MemberWriter(const SceneMember& member, const WriteOptions& options, DocumentWriter& out)
      : of_(*member.character), member_(member), options_(options), out_(out) {}

  // The document refers to this object until it is written.
  absl::Status Add(size_t textures, size_t materials) {
    first_texture_ = static_cast<int>(textures);
    first_material_ = static_cast<int>(materials);
    first_skin_ = static_cast<int>(out_.skins.size());
    first_mesh_ = static_cast<int>(out_.meshes.size());
    first_node_ = static_cast<int>(out_.nodes.size());
    if (member_.motion != nullptr) {
      if (absl::Status s = CheckMotion(*member_.motion, of_); !s.ok()) return s;
    }
    for (const character::Texture& texture : of_.textures) {
      const absl::StatusOr<std::string> png =
          image::EncodePng(texture.width, texture.height, texture.rgba);
      if (!png.ok()) return png.status();
      pictures_.push_back(out_.AddView(png->data(), png->size()));
    }
    PlaceNodes();
    for (const character::Skin& skin : of_.skins) {
      std::vector<int> joints;
      for (const int n : skin.nodes) joints.push_back(NodeOf(n));
      out_.skins.push_back({std::move(joints), out_.AddMatrices(skin.inverse_bind)});
    }
    for (size_t m = 0; m < of_.meshes.size(); ++m) {
      targets_.emplace_back(of_, m);
      AddMesh(m);
    }
    AddNodes();
    if (member_.motion != nullptr) AddMotion(*member_.motion);
    if (member_.prop != nullptr) {
      DocumentWriter::Node& node = out_.nodes[static_cast<size_t>(root_)];
      node.prop_shape = member_.prop->shape;
      node.prop_size = member_.prop->size;
      AddPlaces(root_, member_.prop->times_s, member_.prop->places, out_);
    }
    if (member_.camera != nullptr) AddCamera(*member_.camera, member_.place, out_);
    return absl::OkStatus();
  }

  const Character& character() const { return of_; }
  absl::Span<const LinearShapes> targets() const { return targets_; }
  absl::Span<const int> pictures() const { return pictures_; }  // buffer views
  int first_texture() const { return first_texture_; }

  // A node of the mesh's name, unless a bone or another mesh has it: programs number equal names.
  std::string NameOfMesh(size_t place) const {
    const std::string& name = of_.meshes[place].name;
    bool taken = name.empty();
    for (size_t n = 0; n < of_.nodes.size(); ++n) {
      taken = taken || (node_at_[n] >= 0 && of_.nodes[n].name == name);
    }
    for (size_t m = 0; m < of_.meshes.size(); ++m) {
      taken = taken || (m != place && of_.meshes[m].name == name);
    }
    return taken ? absl::StrCat("mesh_", place, "_", name) : name;
  }

 private:
  using Mesh = DocumentWriter::Mesh;

  int NodeOf(int node) const { return node_at_[static_cast<size_t>(node)]; }

  // Drops nodes that only held meshes: those of skins are roots in glTF.
  void PlaceNodes() {
    const std::vector<bool> keep = character::BodyNodes(of_);
    int next = first_node_;
    for (size_t n = 0; n < keep.size(); ++n) node_at_.push_back(keep[n] ? next++ : -1);
    root_ = next;
  }

  void AddMesh(size_t place) {
    const character::Mesh& mesh = of_.meshes[place];
    Mesh out = {.name = mesh.name, .material = first_material_ + mesh.material};
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
    if (!mesh.shapes.empty()) {
      AddTargets(targets_[place], out);
      out.weights = targets_[place].WeightsOf(mesh.shape_weights);
    }
    out_.meshes.push_back(std::move(out));
  }

  void AddTargets(const LinearShapes& shapes, Mesh& out) {
    for (size_t s = 0; s < shapes.names().size(); ++s) {
      out.targets.push_back(out_.AddOffsets(shapes.Offsets(s), kVertices));
      if (!shapes.has_normals()) continue;
      out.target_normals.push_back(out_.AddOffsets(shapes.NormalOffsets(s), kVertices));
    }
    out.target_names = shapes.names();
  }

  void AddInfluences(const character::Mesh& mesh, Mesh& out) {
    const auto per = static_cast<size_t>(mesh.per_point);
    const size_t sets = per <= kSet || options_.influences <= static_cast<int>(kSet) ? 1 : 2;
    std::vector<std::vector<uint16_t>> joints(sets);
    std::vector<std::vector<float>> weights(sets);
    std::vector<size_t> order(per);
    for (size_t p = 0; p < mesh.points.size(); ++p) {
      std::iota(order.begin(), order.end(), p * per);
      const size_t kept = std::min(per, sets * kSet);
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept),
                        order.end(),
                        [&](size_t a, size_t b) { return mesh.weights[a] > mesh.weights[b]; });
      float sum = 0;
      for (size_t i = 0; i < kept; ++i) sum += std::max(mesh.weights[order[i]], 0.0f);
      for (size_t i = 0; i < sets * kSet; ++i) {
        const float weight = i < kept && sum > 0    ? std::max(mesh.weights[order[i]], 0.0f) / sum
                             : i == 0 && !(sum > 0) ? 1.0f
                                                    : 0.0f;
        weights[i / kSet].push_back(weight);
        joints[i / kSet].push_back(weight > 0 ? static_cast<uint16_t>(mesh.joints[order[i]])
                                              : uint16_t{0});
      }
    }
    constexpr const char* kJoints[] = {"JOINTS_0", "JOINTS_1"};
    constexpr const char* kWeights[] = {"WEIGHTS_0", "WEIGHTS_1"};
    for (size_t set = 0; set < sets; ++set) {
      out.attributes.emplace_back(kJoints[set], out_.Add(joints[set], 4, kVertices));
      out.attributes.emplace_back(kWeights[set], out_.Add(weights[set], 4, kVertices));
    }
  }

  // Adds the character's nodes, the root that transforms them into its space, and one node per
  // mesh.
  void AddNodes() {
    const auto add = [&](const std::string& name, const skel::Trs& node) {
      out_.nodes.push_back({.name = name,
                            .translation = node.translation,
                            .rotation = skel::Normalized(node.rotation),
                            .scale = node.scale});
    };
    for (size_t n = 0; n < of_.nodes.size(); ++n) {
      const character::CharacterNode& node = of_.nodes[n];
      if (node_at_[n] >= 0) add(node.name, {node.translation, node.rotation, node.scale});
    }
    const skel::Affine own = skel::FromTrs(of_.root.translation, of_.root.rotation, of_.root.scale);
    const skel::Trs& place = member_.place;
    add(member_.name.empty() ? "character" : member_.name,
        skel::Decompose(
            skel::Mul(own, skel::FromTrs(place.translation, place.rotation, place.scale))));
    out_.roots.push_back(root_);
    const auto hang = [&](int node, int parent) {
      const int above = parent < 0 ? root_ : NodeOf(parent);
      out_.nodes[static_cast<size_t>(above)].children.push_back(node);
    };
    for (size_t n = 0; n < of_.nodes.size(); ++n) {
      if (node_at_[n] >= 0) hang(node_at_[n], of_.nodes[n].parent);
    }
    for (size_t m = 0; m < of_.meshes.size(); ++m) {
      const character::Mesh& mesh = of_.meshes[m];
      const int node = NodeOfMesh(m);
      out_.nodes.push_back({.name = NameOfMesh(m),
                            .mesh = first_mesh_ + static_cast<int>(m),
                            .skin = mesh.skin < 0 ? -1 : first_skin_ + mesh.skin});
      if (mesh.skin < 0) hang(node, mesh.node);
      if (mesh.skin >= 0) out_.roots.push_back(node);
    }
  }

  int NodeOfMesh(size_t mesh) const { return root_ + 1 + static_cast<int>(mesh); }

  // Adds a channel of `width` values per time if any differs from the first, or the first from
  // `rest`, the value without a channel.
  void AddChannel(int node, const char* path, const std::vector<float>& values,
                  absl::Span<const float> rest) {
    const size_t width = rest.size();
    bool moves = false;
    for (size_t i = 0; i < values.size(); ++i) {
      moves = moves || std::fabs(values[i] - rest[i % width]) > kLeastMove;
    }
    if (!moves) return;
    if (times_ < 0) times_ = out_.AddTimes(member_.motion->times_s);
    // Each weight of a mesh is an element of its own.
    const bool weights = absl::string_view(path) == "weights";
    out_.channels.push_back({node, times_, out_.Add(values, weights ? 1 : width), path});
  }

  void AddMotion(const CharacterMotion& motion) {
    if (!motion.name.empty()) out_.animation = motion.name;
    for (size_t n = 0; n < of_.nodes.size(); ++n) {
      const int node = node_at_[n];
      if (node < 0) continue;
      const character::CharacterNode& at_rest = of_.nodes[n];
      skel::Quat last = skel::Normalized(at_rest.rotation);
      const float rest_turn[] = {last.x, last.y, last.z, last.w};
      std::vector<float> turns, ways, sizes;
      for (const std::vector<skel::Trs>& frame : motion.nodes) {
        const skel::Trs& here = frame[n];
        skel::Quat q = skel::Normalized(here.rotation);
        if (skel::Dot(q, last) < 0) q = -q;
        last = q;
        turns.insert(turns.end(), {q.x, q.y, q.z, q.w});
        ways.insert(ways.end(), {here.translation.x, here.translation.y, here.translation.z});
        sizes.insert(sizes.end(), {here.scale.x, here.scale.y, here.scale.z});
      }
      const Vec3 t = at_rest.translation, s = at_rest.scale;
      AddChannel(node, "rotation", turns, rest_turn);
      AddChannel(node, "translation", ways, {t.x, t.y, t.z});
      AddChannel(node, "scale", sizes, {s.x, s.y, s.z});
    }
    const size_t times = motion.times_s.size();
    for (size_t m = 0; m < motion.weights.size(); ++m) {
      if (motion.weights[m].empty()) continue;
      const absl::Span<const float> all = motion.weights[m];
      const size_t shapes = all.size() / times;
      std::vector<float> values;
      for (size_t f = 0; f < times; ++f) {
        const std::vector<float> now = targets_[m].WeightsOf(all.subspan(f * shapes, shapes));
        values.insert(values.end(), now.begin(), now.end());
      }
      AddChannel(NodeOfMesh(m), "weights", values,
                 targets_[m].WeightsOf(of_.meshes[m].shape_weights));
    }
  }

  const Character& of_;
  const SceneMember& member_;
  const WriteOptions& options_;
  DocumentWriter& out_;
  std::vector<LinearShapes> targets_;  // by mesh
  std::vector<int> node_at_;           // by node of the character; -1: not written
  int root_ = 0;
  int first_texture_ = 0, first_material_ = 0, first_skin_ = 0, first_mesh_ = 0, first_node_ = 0;
  int times_ = -1;             // accessor of the motion's times
  std::vector<int> pictures_;  // buffer views
};

void WritePictures(JsonWriter& json, absl::Span<const MemberWriter> members) {
  std::vector<int> views;
  std::vector<const character::Texture*> textures;
  for (const MemberWriter& member : members) {
    views.insert(views.end(), member.pictures().begin(), member.pictures().end());
    for (const character::Texture& texture : member.character().textures) {
      textures.push_back(&texture);
    }
  }
  WriteObjects(json, "images", views, [&](int view) {
    json.Key("bufferView"), json.Int(view);
    json.Key("mimeType"), json.String("image/png");
  });
  WriteObjects(json, "samplers", textures, [&](const character::Texture* texture) {
    const int wrap = texture->repeats ? kRepeat : kClamp;
    json.Key("wrapS"), json.Int(wrap);
    json.Key("wrapT"), json.Int(wrap);
  });
  int place = 0;
  WriteObjects(json, "textures", views, [&](int) {
    json.Key("sampler"), json.Int(place);
    json.Key("source"), json.Int(place++);
  });
}

void WriteMaterials(JsonWriter& json, absl::Span<const MemberWriter> members) {
  std::vector<std::pair<const Material*, int>> materials;
  for (const MemberWriter& member : members) {
    for (const Material& material : member.character().materials) {
      materials.emplace_back(&material, member.first_texture());
    }
  }
  WriteObjects(json, "materials", materials,
               [&](const auto& one) { WriteMaterial(json, *one.first, one.second); });
}

}  // namespace

absl::StatusOr<std::string> WriteScene(absl::Span<const SceneMember> members,
                                       const WriteOptions& options) {
  DocumentWriter document;
  std::vector<MemberWriter> writers;
  writers.reserve(members.size());
  size_t textures = 0, materials = 0;
  for (const SceneMember& member : members) {
    const Character& of = *member.character;
    MemberWriter& writer = writers.emplace_back(member, options, document);
    if (absl::Status s = writer.Add(textures, materials); !s.ok()) return s;
    textures += of.textures.size();
    materials += of.materials.size();
    if (std::any_of(of.materials.begin(), of.materials.end(),
                    [](const Material& m) { return m.unlit; })) {
      document.extensions_used = {kUnlit};
    }
    if (document.bytes() <= kMostBytesOfCharacter) continue;
    return absl::ResourceExhaustedError(absl::StrCat(of.name, " would have ", document.bytes(),
                                                     " bytes as GLB; at most ",
                                                     kMostBytesOfCharacter, " are written"));
  }
  if (members.size() > 1) document.animation = "scene";
  document.more = [&](JsonWriter& json) {
    WriteMaterials(json, writers);
    WritePictures(json, writers);
    if (writers.size() == 1) {
      const Character& of = writers[0].character();
      std::vector<std::string> mesh_names;
      for (size_t m = 0; m < of.meshes.size(); ++m) mesh_names.push_back(writers[0].NameOfMesh(m));
      WriteCharacterExtras(json, of, writers[0].targets(), mesh_names);
    }
  };
  std::string glb;
  const auto append = [&](absl::string_view bytes) {
    glb.append(bytes.data(), bytes.size());
    return absl::OkStatus();
  };
  const absl::Status put = options.as_json ? document.PutGltf(append) : document.PutGlb(append);
  if (!put.ok()) return put;
  return glb;
}

absl::StatusOr<std::string> WriteCharacter(const Character& character,
                                           const CharacterMotion* motion,
                                           const WriteOptions& options) {
  const SceneMember alone = {.character = &character, .motion = motion};
  return WriteScene({&alone, 1}, options);
}

}  // namespace posewire::gltf
