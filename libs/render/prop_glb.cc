#include "libs/render/prop_glb.h"

#include <utility>

#include "libs/character/character.h"
#include "libs/render/character_glb.h"

namespace posewire::render {

absl::StatusOr<std::string> PropGlb(const Prop& prop) {
  PropMesh surface = MeshOf({&prop, 1});
  character::Mesh mesh;
  mesh.points = std::move(surface.points);
  mesh.normals = std::move(surface.normals);
  mesh.colors = std::move(surface.colors);
  mesh.triangles = std::move(surface.triangles);
  character::Material material;
  material.roughness = kPropRoughness;
  character::Character out;
  out.name = prop.shape;
  out.materials.push_back(std::move(material));
  out.meshes.push_back(std::move(mesh));
  return CharacterGlb(out);
}

}  // namespace posewire::render
