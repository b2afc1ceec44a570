#include "libs/character/shown_parts.h"

#include <array>
#include <utility>

namespace posewire::character {

void KeepMeshes(const std::vector<bool>& keep, Character& c) {
  std::vector<int> mesh_at(c.meshes.size(), -1), material_at(c.materials.size(), -1),
      texture_at(c.textures.size(), -1), skin_at(c.skins.size(), -1);
  std::vector<Mesh> meshes;
  std::vector<Material> materials;
  std::vector<Texture> textures;
  std::vector<Skin> skins;
  for (size_t m = 0; m < c.meshes.size(); ++m) {
    if (!keep[m]) continue;
    Mesh& mesh = c.meshes[m];
    mesh_at[m] = static_cast<int>(meshes.size());
    int& material = material_at[static_cast<size_t>(mesh.material)];
    if (material < 0) {
      material = static_cast<int>(materials.size());
      materials.push_back(c.materials[static_cast<size_t>(mesh.material)]);
    }
    mesh.material = material;
    if (mesh.skin >= 0) {
      int& skin = skin_at[static_cast<size_t>(mesh.skin)];
      if (skin < 0) {
        skin = static_cast<int>(skins.size());
        skins.push_back(c.skins[static_cast<size_t>(mesh.skin)]);
      }
      mesh.skin = skin;
    }
    meshes.push_back(std::move(mesh));
  }
  for (Material& m : materials) {
    for (int* const texture : {&m.texture, &m.normal_map, &m.emissive_texture}) {
      if (*texture < 0) continue;
      int& at = texture_at[static_cast<size_t>(*texture)];
      if (at < 0) {
        at = static_cast<int>(textures.size());
        textures.push_back(std::move(c.textures[static_cast<size_t>(*texture)]));
      }
      *texture = at;
    }
  }
  std::vector<Drive> drives;
  for (Drive drive : c.drives) {
    drive.mesh = mesh_at[static_cast<size_t>(drive.mesh)];
    if (drive.mesh >= 0) drives.push_back(std::move(drive));
  }
  std::vector<Lattice> lattices;
  for (Lattice& lattice : c.after_skin.lattices) {
    const bool of_all = lattice.meshes.empty();
    std::vector<int> kept;
    for (const int m : lattice.meshes) {
      if (mesh_at[static_cast<size_t>(m)] >= 0) kept.push_back(mesh_at[static_cast<size_t>(m)]);
    }
    lattice.meshes = std::move(kept);
    if (of_all || !lattice.meshes.empty()) lattices.push_back(std::move(lattice));
  }
  c.after_skin.lattices = std::move(lattices);
  c.meshes = std::move(meshes);
  c.materials = std::move(materials);
  c.textures = std::move(textures);
  c.skins = std::move(skins);
  c.drives = std::move(drives);
}

Character ShownParts(const Deformer& deformer) {
  Character out = deformer.character();
  for (size_t m = 0; m < out.materials.size(); ++m) {
    const std::array<float, 4>& color = deformer.color(m);
    out.materials[m].color = {color[0], color[1], color[2]};
    out.materials[m].alpha = color[3];
  }
  std::vector<bool> shown;
  for (size_t m = 0; m < out.meshes.size(); ++m) shown.push_back(deformer.shown(m));
  KeepMeshes(shown, out);
  out.variants.clear();
  return out;
}

}  // namespace posewire::character
