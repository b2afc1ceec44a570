#include "libs/character/scene.h"

#include <algorithm>
#include <cmath>

#include "libs/asset/spike.h"
#include "libs/character/shown_parts.h"

namespace posewire::character {
namespace {

// The mesh that writers of clips add, so that any program shows the bones.
bool IsOfBones(const Mesh& mesh) { return mesh.name == asset::kBonesName; }

}  // namespace

std::optional<std::pair<double, double>> SpanOf_s(absl::Span<const SceneMember> members) {
  std::optional<std::pair<double, double>> out;
  const auto add = [&](double time_s) {
    if (!out) out = {time_s, time_s};
    out->first = std::min(out->first, time_s);
    out->second = std::max(out->second, time_s);
  };
  const auto add_all = [&](const std::vector<double>& times_s) {
    if (!times_s.empty()) add(times_s.front()), add(times_s.back());
  };
  for (const SceneMember& member : members) {
    if (member.motion != nullptr) add_all(member.motion->times_s);
    if (member.prop != nullptr && member.prop->times_s.size() > 1) add_all(member.prop->times_s);
    if (member.voice != nullptr) add(member.voice->start_s);
    if (member.camera == nullptr) continue;
    for (const std::vector<double>& times_s : member.camera->camera_time_codes_s) add_all(times_s);
  }
  return out;
}

bool SceneModels::shows_characters() const {
  return std::any_of(characters.begin(), characters.end(), [](const Model& model) {
    const std::vector<Mesh>& meshes = model.character.meshes;
    return !std::all_of(meshes.begin(), meshes.end(), IsOfBones);
  });
}

void KeepDistinct(std::vector<double>& times) {
  std::sort(times.begin(), times.end());
  const auto same = [](double a, double b) {
    return static_cast<float>(a) == static_cast<float>(b);
  };
  times.erase(std::unique(times.begin(), times.end(), same), times.end());
}

Character TakeOwn(int owner, const std::vector<int>& owners, Character& whole) {
  Character out;
  out.name = whole.name;
  out.nodes = whole.nodes;
  out.order = whole.order;
  out.skins = whole.skins;
  out.materials = whole.materials;
  out.meshes.resize(whole.meshes.size());
  out.textures.resize(whole.textures.size());
  std::vector<bool> keep;
  for (size_t m = 0; m < owners.size(); ++m) {
    keep.push_back(owners[m] == owner);
    if (owners[m] != owner) continue;
    out.meshes[m] = std::move(whole.meshes[m]);
    const Material& material = whole.materials[static_cast<size_t>(out.meshes[m].material)];
    for (const int texture : {material.texture, material.normal_map, material.emissive_texture}) {
      if (texture < 0) continue;
      const auto at = static_cast<size_t>(texture);
      if (out.textures[at].rgba.empty()) out.textures[at] = whole.textures[at];
    }
  }
  KeepMeshes(keep, out);
  return out;
}

Character TakeFixed(int owner, const std::vector<int>& owners, Character& whole) {
  Character out = TakeOwn(owner, owners, whole);
  for (Mesh& mesh : out.meshes) mesh.skin = -1;
  out.skins.clear();
  out.nodes.clear();
  out.order.clear();
  return out;
}

skel::Affine PlaceOf(const asset::RigidPlace& place) {
  return skel::FromTrs(place.at, place.turn, {1, 1, 1});
}

void MoveMeshes(const skel::Affine& by, Character& character) {
  const skel::Affine turn = skel::NormalTransform(by);
  for (Mesh& mesh : character.meshes) {
    for (skel::Vec3& p : mesh.points) p = skel::TransformPoint(by, p);
    for (skel::Vec3& n : mesh.normals) {
      const skel::Vec3 there = skel::TransformVector(turn, n);
      if (skel::Length(there) > 1e-9f) n = skel::Normalized(there);
    }
    mesh.tangents.clear();
    mesh.shapes.clear();
    mesh.shape_weights.clear();
    mesh.node = -1;
  }
}

std::vector<std::string> ShapeNamesOf(const Character& character, size_t mesh) {
  std::vector<std::string> out;
  for (const mesh::BlendShape& shape : character.meshes[mesh].shapes) out.push_back(shape.name());
  if (character.rig == nullptr) return out;
  for (const Drive& drive : character.drives) {
    if (drive.mesh != static_cast<int>(mesh) || drive.kind != Drive::Kind::kMean) continue;
    if (drive.sources.size() != 1) continue;
    out[static_cast<size_t>(drive.shape)] =
        character.rig->shape_names()[static_cast<size_t>(drive.sources[0])];
  }
  return out;
}

std::vector<bool> BodyNodes(const Character& character) {
  std::vector<bool> joint(character.nodes.size(), false), out(character.nodes.size(), false);
  for (const Skin& skin : character.skins) {
    for (const int n : skin.nodes) joint[static_cast<size_t>(n)] = true;
  }
  if (character.skins.empty()) out.assign(out.size(), true);
  for (const Lattice& lattice : character.after_skin.lattices) {
    out[static_cast<size_t>(lattice.node)] = true;
  }
  for (const Mesh& mesh : character.meshes) {
    if (mesh.skin < 0 && mesh.node >= 0) out[static_cast<size_t>(mesh.node)] = true;
  }
  for (const Link& link : character.links) out[static_cast<size_t>(link.node)] = true;
  for (auto n = character.order.rbegin(); n != character.order.rend(); ++n) {
    const auto node = static_cast<size_t>(*n);
    const int parent = character.nodes[node].parent;
    const bool end = parent >= 0 && joint[static_cast<size_t>(parent)];
    out[node] = out[node] || joint[node] || end;
    if (out[node] && parent >= 0) out[static_cast<size_t>(parent)] = true;
  }
  return out;
}

}  // namespace posewire::character
