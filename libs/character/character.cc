#include "libs/character/character.h"

namespace posewire::character {

size_t Character::points() const {
  size_t n = 0;
  for (const Mesh& mesh : meshes) n += mesh.points.size();
  return n;
}

size_t Character::triangles() const {
  size_t n = 0;
  for (const Mesh& mesh : meshes) n += mesh.triangles.size() / 3;
  return n;
}

}  // namespace posewire::character
