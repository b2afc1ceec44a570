#include "libs/render/character_glb.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "libs/image/image.h"

namespace posewire::render {
namespace {

using character::Character;
using character::Material;
using character::Mesh;
using skel::Vec3;

constexpr size_t kMostBytes = size_t{1} << 30;
constexpr size_t kInfluences = 4;
// glTF's numbers for what an accessor holds, what a view is for, and how a picture goes on.
constexpr int kUByte = 5121, kUShort = 5123, kUInt = 5125, kFloat = 5126;
constexpr int kVertices = 34962, kTriangles = 34963;
constexpr int kRepeat = 10497, kClamp = 33071;

class GlbWriter {
 public:
  explicit GlbWriter(const Character& of) : of_(of) {}

  absl::StatusOr<std::string> Write() {
    for (const character::Texture& texture : of_.textures) {
      absl::StatusOr<std::string> png =
          image::EncodePng(texture.width, texture.height, texture.rgba);
      if (!png.ok()) return png.status();
      pictures_.push_back(AddView(png->data(), png->size(), 0));
    }
    for (const character::Skin& skin : of_.skins) AddSkin(skin);
    for (const Mesh& mesh : of_.meshes) AddMesh(mesh);
    if (bytes_.size() > kMostBytes) {
      return absl::ResourceExhaustedError(absl::StrCat(of_.name, " would have ", bytes_.size(),
                                                       " bytes as GLB; at most ", kMostBytes,
                                                       " are written"));
    }
    std::string json = MakeJson();
    json.resize((json.size() + 3) / 4 * 4, ' ');
    std::string out = "glTF";
    const auto number = [&out](size_t n) {
      const auto word = static_cast<uint32_t>(n);
      out.append(reinterpret_cast<const char*>(&word), sizeof(word));
    };
    number(2), number(12 + 8 + json.size() + 8 + bytes_.size());
    number(json.size());
    out += "JSON" + json;
    number(bytes_.size());
    out.append("BIN\0", 4);
    return out + bytes_;
  }

 private:
  using Json = rapidjson::Writer<rapidjson::StringBuffer>;
  struct View {
    size_t offset = 0, bytes = 0;
    int target = 0;
  };
  struct Array {
    int view = 0, component = kFloat;
    size_t count = 0;
    const char* type = "SCALAR";
    bool normalized = false;
    std::vector<float> low, high;
  };
  struct Part {
    int points = -1, normals = -1, uv = -1, colors = -1, joints = -1, weights = -1, indices = -1;
    std::vector<int> targets;
    std::vector<std::string> names;
  };

  int AddView(const void* data, size_t bytes, int target) {
    views_.push_back({bytes_.size(), bytes, target});
    bytes_.append(static_cast<const char*>(data), bytes);
    bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
    return static_cast<int>(views_.size()) - 1;
  }

  template <typename T>
  int Add(const std::vector<T>& values, const char* type, size_t width, int component,
          int target = 0) {
    Array array;
    array.view = AddView(values.data(), values.size() * sizeof(T), target);
    array.component = component;
    array.count = values.size() / width;
    array.type = type;
    arrays_.push_back(std::move(array));
    return static_cast<int>(arrays_.size()) - 1;
  }

  int AddVectors(absl::Span<const Vec3> all, bool bounds, int target = kVertices) {
    std::vector<float> values;
    values.reserve(all.size() * 3);
    for (const Vec3& v : all) values.insert(values.end(), {v.x, v.y, v.z});
    const int at = Add(values, "VEC3", 3, kFloat, target);
    if (bounds && !all.empty()) {
      Array& array = arrays_.back();
      array.low.assign(values.begin(), values.begin() + 3), array.high = array.low;
      for (size_t i = 0; i < values.size(); ++i) {
        array.low[i % 3] = std::min(array.low[i % 3], values[i]);
        array.high[i % 3] = std::max(array.high[i % 3], values[i]);
      }
    }
    return at;
  }

  void AddSkin(const character::Skin& skin) {
    std::vector<float> matrices;
    for (const skel::Affine& m : skin.inverse_bind) {
      for (size_t r = 0; r < 4; ++r) {
        const Vec3 row = m.row[r];
        matrices.insert(matrices.end(), {row.x, row.y, row.z, r == 3 ? 1.0f : 0.0f});
      }
    }
    binds_.push_back(Add(matrices, "MAT4", 16, kFloat));
  }

  void AddMesh(const Mesh& mesh) {
    Part part;
    part.points = AddVectors(mesh.points, true);
    std::vector<Vec3> normals = mesh.normals;
    for (Vec3& n : normals) n = skel::Length(n) > 1e-6f ? skel::Normalized(n) : Vec3{0, 1, 0};
    if (normals.size() == mesh.points.size()) part.normals = AddVectors(normals, false);
    if (mesh.uv.size() == mesh.points.size()) {
      std::vector<float> uv;
      for (const auto& one : mesh.uv) uv.insert(uv.end(), {one[0], one[1]});
      part.uv = Add(uv, "VEC2", 2, kFloat, kVertices);
    }
    if (mesh.colors.size() == mesh.points.size()) {
      std::vector<uint8_t> colors;
      for (const auto& one : mesh.colors) colors.insert(colors.end(), one.begin(), one.end());
      part.colors = Add(colors, "VEC4", 4, kUByte, kVertices);
      arrays_.back().normalized = true;
    }
    if (mesh.skin >= 0) AddInfluences(mesh, part);
    part.indices = Add(mesh.triangles, "SCALAR", 1, kUInt, kTriangles);
    const auto place = static_cast<int>(&mesh - of_.meshes.data());
    for (size_t s = 0; s < mesh.shapes.size(); ++s) AddShape(mesh, place, s, part);
    parts_.push_back(std::move(part));
  }

  void AddInfluences(const Mesh& mesh, Part& part) {
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
    part.joints = Add(joints, "VEC4", 4, kUShort, kVertices);
    part.weights = Add(weights, "VEC4", 4, kFloat, kVertices);
  }

  // What it is at full strength.
  void AddShape(const Mesh& mesh, int place, size_t s, Part& part) {
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
    part.targets.push_back(AddVectors(offsets, true));
    std::string name = shape.name();
    for (const character::Drive& drive : of_.drives) {
      const bool same = drive.mesh == place && drive.shape == static_cast<int>(s) &&
                        drive.kind == character::Drive::Kind::kMean && drive.sources.size() == 1;
      if (same && of_.rig != nullptr) {
        name = of_.rig->shape_names()[static_cast<size_t>(drive.sources[0])];
      }
    }
    part.names.push_back(std::move(name));
  }

  static void Text(Json& json, const char* name, const std::string& text) {
    json.Key(name);
    json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }
  template <typename List>
  static void Wholes(Json& json, const char* name, const List& all) {
    json.Key(name);
    json.StartArray();
    for (const int one : all) json.Int(one);
    json.EndArray();
  }
  static void Numbers(Json& json, const char* name, absl::Span<const float> all) {
    json.Key(name);
    json.StartArray();
    for (const float one : all) json.Double(static_cast<double>(one));
    json.EndArray();
  }
  static void Place(Json& json, const character::Node& node) {
    const Vec3 t = node.translation, s = node.scale;
    const skel::Quat q = skel::Normalized(node.rotation);
    Numbers(json, "translation", {t.x, t.y, t.z});
    Numbers(json, "rotation", {q.x, q.y, q.z, q.w});
    if (s.x != 1 || s.y != 1 || s.z != 1) Numbers(json, "scale", {s.x, s.y, s.z});
  }

  std::string MakeJson() const {
    rapidjson::StringBuffer text;
    rapidjson::Writer<rapidjson::StringBuffer> json(text);
    const auto array = [&json](const char* name, auto fill) {
      json.Key(name);
      json.StartArray();
      fill();
      json.EndArray();
    };
    json.StartObject();
    json.Key("asset");
    json.StartObject();
    json.Key("version"), json.String("2.0");
    json.Key("generator"), json.String("Posewire");
    json.EndObject();
    if (unlit()) {
      array("extensionsUsed", [&] { json.String("KHR_materials_unlit"); });
    }
    json.Key("scene"), json.Int(0);
    const int root = static_cast<int>(of_.nodes.size());
    std::vector<int> tops = {root};
    for (size_t m = 0; m < parts_.size(); ++m) {
      if (of_.meshes[m].skin >= 0) tops.push_back(root + 1 + static_cast<int>(m));
    }
    array("scenes", [&] {
      json.StartObject();
      Wholes(json, "nodes", tops);
      json.EndObject();
    });
    array("nodes", [&] { WriteNodes(json, root); });
    if (!of_.skins.empty()) {
      array("skins", [&] {
        for (size_t s = 0; s < of_.skins.size(); ++s) {
          json.StartObject();
          Wholes(json, "joints", of_.skins[s].nodes);
          json.Key("inverseBindMatrices"), json.Int(binds_[s]);
          json.EndObject();
        }
      });
    }
    array("meshes", [&] {
      for (size_t m = 0; m < parts_.size(); ++m) WriteMesh(json, of_.meshes[m], parts_[m]);
    });
    if (!of_.materials.empty()) {
      array("materials", [&] {
        for (const Material& material : of_.materials) WriteMaterial(json, material);
      });
    }
    WritePictures(json);
    array("accessors", [&] {
      for (const Array& one : arrays_) {
        json.StartObject();
        json.Key("bufferView"), json.Int(one.view);
        json.Key("componentType"), json.Int(one.component);
        if (one.normalized) json.Key("normalized"), json.Bool(true);
        json.Key("count"), json.Uint64(one.count);
        json.Key("type"), json.String(one.type);
        if (!one.low.empty()) Numbers(json, "min", one.low), Numbers(json, "max", one.high);
        json.EndObject();
      }
    });
    array("bufferViews", [&] {
      for (const View& one : views_) {
        json.StartObject();
        json.Key("buffer"), json.Int(0);
        json.Key("byteOffset"), json.Uint64(one.offset);
        json.Key("byteLength"), json.Uint64(one.bytes);
        if (one.target != 0) json.Key("target"), json.Int(one.target);
        json.EndObject();
      }
    });
    array("buffers", [&] {
      json.StartObject();
      json.Key("byteLength"), json.Uint64(bytes_.size());
      json.EndObject();
    });
    if (of_.ace_mouth) {
      json.Key("extras");
      json.StartObject();
      json.Key("posewire");
      json.StartObject();
      json.Key("version"), json.Int(1);
      json.Key("mouthClose"), json.String("ace");
      json.EndObject();
      json.EndObject();
    }
    json.EndObject();
    return {text.GetString(), text.GetSize()};
  }

  bool unlit() const {
    return std::any_of(of_.materials.begin(), of_.materials.end(),
                       [](const Material& m) { return m.unlit; });
  }

  // The character's, what takes them into its space, and one a mesh.
  void WriteNodes(Json& json, int root) const {
    std::vector<std::vector<int>> children(of_.nodes.size() + 1);
    for (size_t n = 0; n < of_.nodes.size(); ++n) {
      const int parent = of_.nodes[n].parent;
      children[parent < 0 ? of_.nodes.size() : static_cast<size_t>(parent)].push_back(
          static_cast<int>(n));
    }
    for (size_t m = 0; m < parts_.size(); ++m) {
      const Mesh& mesh = of_.meshes[m];
      if (mesh.skin >= 0) continue;
      children[mesh.node < 0 ? of_.nodes.size() : static_cast<size_t>(mesh.node)].push_back(
          root + 1 + static_cast<int>(m));
    }
    for (size_t n = 0; n <= of_.nodes.size(); ++n) {
      const bool top = n == of_.nodes.size();
      const character::Node& node = top ? of_.root : of_.nodes[n];
      json.StartObject();
      Text(json, "name", top ? std::string("character") : node.name);
      if (!children[n].empty()) Wholes(json, "children", children[n]);
      Place(json, node);
      json.EndObject();
    }
    for (size_t m = 0; m < parts_.size(); ++m) {
      json.StartObject();
      Text(json, "name", absl::StrCat("mesh_", m, "_", of_.meshes[m].name));
      json.Key("mesh"), json.Int(static_cast<int>(m));
      if (of_.meshes[m].skin >= 0) json.Key("skin"), json.Int(of_.meshes[m].skin);
      json.EndObject();
    }
  }

  static void WriteMesh(Json& json, const Mesh& mesh, const Part& part) {
    json.StartObject();
    Text(json, "name", mesh.name);
    json.Key("primitives");
    json.StartArray();
    json.StartObject();
    json.Key("attributes");
    json.StartObject();
    const std::pair<const char*, int> attributes[] = {
        {"POSITION", part.points}, {"NORMAL", part.normals},  {"TEXCOORD_0", part.uv},
        {"COLOR_0", part.colors},  {"JOINTS_0", part.joints}, {"WEIGHTS_0", part.weights}};
    for (const auto& [name, at] : attributes) {
      if (at >= 0) json.Key(name), json.Int(at);
    }
    json.EndObject();
    json.Key("indices"), json.Int(part.indices);
    if (mesh.material >= 0) json.Key("material"), json.Int(mesh.material);
    if (!part.targets.empty()) {
      json.Key("targets");
      json.StartArray();
      for (const int target : part.targets) {
        json.StartObject();
        json.Key("POSITION"), json.Int(target);
        json.EndObject();
      }
      json.EndArray();
    }
    json.EndObject();
    json.EndArray();
    if (!part.targets.empty()) {
      std::vector<float> weights = mesh.shape_weights;
      weights.resize(part.targets.size());
      Numbers(json, "weights", weights);
      json.Key("extras");
      json.StartObject();
      json.Key("targetNames");
      json.StartArray();
      for (const std::string& name : part.names) {
        json.String(name.data(), static_cast<rapidjson::SizeType>(name.size()));
      }
      json.EndArray();
      json.EndObject();
    }
    json.EndObject();
  }

  static void WriteTexture(Json& json, const char* name, int texture, float scale = 1) {
    if (texture < 0) return;
    json.Key(name);
    json.StartObject();
    json.Key("index"), json.Int(texture);
    if (scale != 1) json.Key("scale"), json.Double(static_cast<double>(scale));
    json.EndObject();
  }

  static void WriteMaterial(Json& json, const Material& m) {
    const auto share = [](float v) { return std::clamp(v, 0.0f, 1.0f); };
    json.StartObject();
    Text(json, "name", m.name);
    json.Key("pbrMetallicRoughness");
    json.StartObject();
    Numbers(json, "baseColorFactor",
            {share(m.color.x), share(m.color.y), share(m.color.z), share(m.alpha)});
    WriteTexture(json, "baseColorTexture", m.texture);
    json.Key("metallicFactor"), json.Int(0);
    json.Key("roughnessFactor"), json.Double(static_cast<double>(share(m.roughness)));
    json.EndObject();
    WriteTexture(json, "normalTexture", m.normal_map, m.normal_scale);
    WriteTexture(json, "emissiveTexture", m.emissive_texture);
    Numbers(json, "emissiveFactor",
            {share(m.emissive.x), share(m.emissive.y), share(m.emissive.z)});
    if (m.mode == Material::Alpha::kBlend) json.Key("alphaMode"), json.String("BLEND");
    if (m.mode == Material::Alpha::kMask) {
      json.Key("alphaMode"), json.String("MASK");
      json.Key("alphaCutoff"), json.Double(static_cast<double>(m.cutoff));
    }
    if (m.double_sided) json.Key("doubleSided"), json.Bool(true);
    if (m.unlit) {
      json.Key("extensions");
      json.StartObject();
      json.Key("KHR_materials_unlit");
      json.StartObject();
      json.EndObject();
      json.EndObject();
    }
    json.EndObject();
  }

  void WritePictures(Json& json) const {
    if (pictures_.empty()) return;
    const auto list = [&](const char* name, auto each) {
      json.Key(name);
      json.StartArray();
      for (size_t i = 0; i < pictures_.size(); ++i) {
        json.StartObject();
        each(i);
        json.EndObject();
      }
      json.EndArray();
    };
    list("images", [&](size_t i) {
      json.Key("bufferView"), json.Int(pictures_[i]);
      json.Key("mimeType"), json.String("image/png");
    });
    list("samplers", [&](size_t i) {
      const int wrap = of_.textures[i].repeats ? kRepeat : kClamp;
      json.Key("wrapS"), json.Int(wrap);
      json.Key("wrapT"), json.Int(wrap);
    });
    list("textures", [&](size_t i) {
      json.Key("sampler"), json.Int(static_cast<int>(i));
      json.Key("source"), json.Int(static_cast<int>(i));
    });
  }

  const Character& of_;
  std::string bytes_;
  std::vector<View> views_;
  std::vector<Array> arrays_;
  std::vector<int> pictures_, binds_;  // views and arrays
  std::vector<Part> parts_;            // of the meshes
};

}  // namespace

absl::StatusOr<std::string> CharacterGlb(const Character& character) {
  return GlbWriter(character).Write();
}

}  // namespace posewire::render
