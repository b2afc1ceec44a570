#include "libs/avatar/glb.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/avatar/surface.h"

// The library's writer, without its readers of pictures.
#define TINYGLTF_NO_STB_IMAGE
#define TINYGLTF_NO_STB_IMAGE_WRITE
#define TINYGLTF_NO_EXTERNAL_IMAGE
#include <tiny_gltf.h>

namespace posewire::avatar {
namespace {

using skel::Vec3;

// Fills the one buffer; a view for each array.
class BufferWriter {
 public:
  explicit BufferWriter(tinygltf::Model& gltf) : gltf_(gltf) { gltf_.buffers.resize(1); }

  int View(const void* data, size_t bytes, int target) {
    std::vector<unsigned char>& all = gltf_.buffers[0].data;
    all.resize((all.size() + 3) / 4 * 4);
    tinygltf::BufferView view;
    view.buffer = 0;
    view.byteOffset = all.size();
    view.byteLength = bytes;
    view.target = target;
    const auto* from = static_cast<const unsigned char*>(data);
    all.insert(all.end(), from, from + bytes);
    gltf_.bufferViews.push_back(view);
    return static_cast<int>(gltf_.bufferViews.size()) - 1;
  }

  int Accessor(int view, int component, int type, size_t count, bool normalized = false) {
    tinygltf::Accessor accessor;
    accessor.bufferView = view;
    accessor.componentType = component;
    accessor.type = type;
    accessor.count = count;
    accessor.normalized = normalized;
    gltf_.accessors.push_back(std::move(accessor));
    return static_cast<int>(gltf_.accessors.size()) - 1;
  }

  template <typename T>
  int Attribute(const std::vector<T>& values, int component, int type, size_t count,
                bool normalized = false) {
    const int view = View(values.data(), values.size() * sizeof(T), TINYGLTF_TARGET_ARRAY_BUFFER);
    return Accessor(view, component, type, count, normalized);
  }

  int Vectors(const std::vector<Vec3>& values) {
    return Attribute(values, TINYGLTF_COMPONENT_TYPE_FLOAT, TINYGLTF_TYPE_VEC3, values.size());
  }

  int Positions(const std::vector<Vec3>& values) {
    const int index = Vectors(values);
    SetRange(index, values, false);
    return index;
  }

  // Zeros but for `values` at `indices`.
  int Sparse(size_t count, const std::vector<int32_t>& indices, const std::vector<Vec3>& values,
             bool with_range) {
    const int index = Accessor(-1, TINYGLTF_COMPONENT_TYPE_FLOAT, TINYGLTF_TYPE_VEC3, count);
    const std::vector<uint32_t> places(indices.begin(), indices.end());
    const int at = View(places.data(), places.size() * sizeof(uint32_t), 0);
    const int what = View(values.data(), values.size() * sizeof(Vec3), 0);
    auto& sparse = gltf_.accessors[static_cast<size_t>(index)].sparse;
    sparse.isSparse = true;
    sparse.count = static_cast<int>(indices.size());
    sparse.indices.bufferView = at;
    sparse.indices.byteOffset = 0;
    sparse.indices.componentType = TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT;
    sparse.values.bufferView = what;
    sparse.values.byteOffset = 0;
    if (with_range) SetRange(index, values, indices.size() < count);
    return index;
  }

 private:
  void SetRange(int index, const std::vector<Vec3>& values, bool with_zero) {
    Vec3 low = with_zero || values.empty() ? Vec3{} : values[0], high = low;
    for (const Vec3& v : values) {
      low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
      high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
    }
    auto& accessor = gltf_.accessors[static_cast<size_t>(index)];
    accessor.minValues = {low.x, low.y, low.z};
    accessor.maxValues = {high.x, high.y, high.z};
  }

  tinygltf::Model& gltf_;
};

std::vector<uint8_t> Bytes(const std::vector<Vec3>& colors) {
  std::vector<uint8_t> out;
  const auto byte = [](float v) {
    return static_cast<uint8_t>(std::lround(std::clamp(v, 0.0f, 1.0f) * 255));
  };
  for (const Vec3& c : colors) out.insert(out.end(), {byte(c.x), byte(c.y), byte(c.z), 255});
  return out;
}

// How each shape turns the normals, by the triangles before and after.
struct NormalDeltas {
  std::vector<int32_t> indices;
  std::vector<Vec3> offsets;
};

NormalDeltas DeltasOf(const Surface& surface, const Target& target) {
  std::vector<Vec3> moved = surface.points;
  for (size_t i = 0; i < target.indices.size(); ++i) {
    Vec3& p = moved[static_cast<size_t>(target.indices[i])];
    p = p + target.offsets[i];
  }
  const std::vector<Vec3> rest = SmoothNormals(surface.points, surface.triangles);
  const std::vector<Vec3> normals = SmoothNormals(moved, surface.triangles);
  NormalDeltas out;
  for (size_t i = 0; i < normals.size(); ++i) {
    const Vec3 delta = normals[i] - rest[i];
    if (skel::Dot(delta, delta) < 1e-5f) continue;
    out.indices.push_back(static_cast<int32_t>(i));
    out.offsets.push_back(delta);
  }
  if (out.indices.empty()) {
    out.indices.push_back(0);
    out.offsets.push_back({});
  }
  return out;
}

void AddMaterials(const Model& model, tinygltf::Model& gltf) {
  for (const Material& m : model.materials) {
    tinygltf::Material material;
    material.name = m.name;
    material.pbrMetallicRoughness.baseColorFactor = {m.color.x, m.color.y, m.color.z, 1};
    material.pbrMetallicRoughness.metallicFactor = 0;
    material.pbrMetallicRoughness.roughnessFactor = m.roughness;
    gltf.materials.push_back(std::move(material));
  }
}

// Nodes 0..joints-1, and the skin.
void AddJoints(const Model& model, BufferWriter& buffer, tinygltf::Model& gltf) {
  const skel::Rig& rig = *model.rig;
  const skel::PoseView rest = rig.rest();
  std::vector<float> inverse;
  tinygltf::Skin skin;
  skin.name = "skin";
  for (int j = 0; j < rig.joints(); ++j) {
    tinygltf::Node node;
    const Vec3 t = rest.translation(j);
    const skel::Quat q = rest.rotation(j);
    node.name = rig.joint_names()[static_cast<size_t>(j)];
    node.translation = {t.x, t.y, t.z};
    node.rotation = {q.x, q.y, q.z, q.w};
    for (int c = j + 1; c < rig.joints(); ++c) {
      if (rig.topology().parent(c) == j) node.children.push_back(c);
    }
    gltf.nodes.push_back(std::move(node));
    skin.joints.push_back(j);
    // Rows of a row-vector matrix are the columns that glTF stores.
    const skel::Affine m =
        skel::Inverse(model.bind[static_cast<size_t>(j)]).value_or(skel::Affine{});
    for (size_t r = 0; r < 4; ++r) {
      inverse.insert(inverse.end(), {m.row[r].x, m.row[r].y, m.row[r].z, r == 3 ? 1.0f : 0.0f});
    }
  }
  const int view = buffer.View(inverse.data(), inverse.size() * sizeof(float), 0);
  skin.inverseBindMatrices =
      buffer.Accessor(view, TINYGLTF_COMPONENT_TYPE_FLOAT, TINYGLTF_TYPE_MAT4, skin.joints.size());
  gltf.skins.push_back(std::move(skin));
}

void AddTargets(const Model& model, const Surface& surface, BufferWriter& buffer,
                tinygltf::Mesh& mesh, tinygltf::Primitive& primitive) {
  tinygltf::Value::Array names;
  for (const Target& target : surface.targets) {
    const NormalDeltas normals = DeltasOf(surface, target);
    const size_t count = surface.points.size();
    primitive.targets.push_back(
        {{"POSITION", buffer.Sparse(count, target.indices, target.offsets, true)},
         {"NORMAL", buffer.Sparse(count, normals.indices, normals.offsets, false)}});
    names.emplace_back(model.rig->shape_names()[static_cast<size_t>(target.shape)]);
    mesh.weights.push_back(0);
  }
  if (!names.empty()) {
    mesh.extras = tinygltf::Value(tinygltf::Value::Object{{"targetNames", tinygltf::Value(names)}});
  }
}

tinygltf::Mesh MeshOf(const Model& model, const Surface& surface, BufferWriter& buffer) {
  std::vector<uint8_t> joints;
  std::vector<float> weights;
  for (const Influences& point : surface.influences) {
    for (size_t i = 0; i < 4; ++i) {
      joints.push_back(static_cast<uint8_t>(point.joint[i]));
      weights.push_back(point.weight[i]);
    }
  }
  const size_t count = surface.points.size();
  tinygltf::Primitive primitive;
  primitive.mode = TINYGLTF_MODE_TRIANGLES;
  primitive.material = surface.material;
  primitive.attributes["POSITION"] = buffer.Positions(surface.points);
  primitive.attributes["NORMAL"] = buffer.Vectors(surface.normals);
  primitive.attributes["COLOR_0"] =
      buffer.Attribute(Bytes(surface.colors), TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE,
                       TINYGLTF_TYPE_VEC4, count, true);
  primitive.attributes["JOINTS_0"] =
      buffer.Attribute(joints, TINYGLTF_COMPONENT_TYPE_UNSIGNED_BYTE, TINYGLTF_TYPE_VEC4, count);
  primitive.attributes["WEIGHTS_0"] =
      buffer.Attribute(weights, TINYGLTF_COMPONENT_TYPE_FLOAT, TINYGLTF_TYPE_VEC4, count);
  const std::vector<uint32_t> indices(surface.triangles.begin(), surface.triangles.end());
  const int view = buffer.View(indices.data(), indices.size() * sizeof(uint32_t),
                               TINYGLTF_TARGET_ELEMENT_ARRAY_BUFFER);
  primitive.indices = buffer.Accessor(view, TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT,
                                      TINYGLTF_TYPE_SCALAR, indices.size());
  tinygltf::Mesh mesh;
  mesh.name = surface.name;
  AddTargets(model, surface, buffer, mesh, primitive);
  mesh.primitives.push_back(std::move(primitive));
  return mesh;
}

}  // namespace

absl::StatusOr<std::string> WriteGlb(const Model& model) {
  if (model.rig->joints() > 256) {
    return absl::InvalidArgumentError(
        absl::StrCat("the rig has ", model.rig->joints(), " joints; a GLB holds at most 256"));
  }
  tinygltf::Model gltf;
  gltf.asset.version = "2.0";
  gltf.asset.generator = "Posewire";
  BufferWriter buffer(gltf);
  AddMaterials(model, gltf);
  AddJoints(model, buffer, gltf);
  tinygltf::Node root;
  root.name = "avatar";
  for (int j = 0; j < model.rig->joints(); ++j) {
    if (model.rig->topology().parent(j) < 0) root.children.push_back(j);
  }
  for (const Surface& surface : model.surfaces) {
    tinygltf::Node node;
    node.name = surface.name;
    node.mesh = static_cast<int>(gltf.meshes.size());
    node.skin = 0;
    gltf.meshes.push_back(MeshOf(model, surface, buffer));
    root.children.push_back(static_cast<int>(gltf.nodes.size()));
    gltf.nodes.push_back(std::move(node));
  }
  tinygltf::Scene scene;
  scene.nodes.push_back(static_cast<int>(gltf.nodes.size()));
  gltf.nodes.push_back(std::move(root));
  gltf.scenes.push_back(std::move(scene));
  gltf.defaultScene = 0;

  std::ostringstream out;
  tinygltf::TinyGLTF writer;
  if (!writer.WriteGltfSceneToStream(&gltf, out, /*prettyPrint=*/false, /*writeBinary=*/true)) {
    return absl::InternalError("the avatar cannot be written as GLB");
  }
  return std::move(out).str();
}

}  // namespace posewire::avatar
