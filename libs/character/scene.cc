#include "libs/character/scene.h"

namespace posewire::character {

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
