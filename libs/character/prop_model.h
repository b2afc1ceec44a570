// The surface of a prop from a file: a hat, a backpack, a picture on a card.
#ifndef POSEWIRE_LIBS_CHARACTER_PROP_MODEL_H_
#define POSEWIRE_LIBS_CHARACTER_PROP_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "libs/character/character.h"
#include "libs/character/limits.h"
#include "libs/mesh/extent.h"
#include "libs/skel/math.h"

namespace posewire::character {

// Limits for one prop. The file and all arrays, and the pixels of all pictures together after
// pictures with a side over 1024 have been halved.
struct PropLimits {
  uint64_t bytes = 16u << 20;
  size_t triangles = 100'000;
  size_t pixels = 4u << 20;

  // The same for readers of characters.
  Limits ForReaders() const;
};

// A named point of a prop, in its own space: where a hand grips it, or what touches the body.
struct PropModelSite {
  std::string name;  // 1 to 128 bytes without a slash
  skel::Vec3 position;
  skel::Quat rotation;  // of unit length
};

// Metres, right-handed, Y up, +Z to the front. Immutable once read; shared by all threads.
struct PropModel {
  static constexpr size_t kMostSites = 16;

  std::vector<Texture> textures;
  std::vector<Material> materials;  // at least one
  std::vector<Mesh> meshes;         // in the prop's own space: without nodes, skins and shapes
  std::vector<PropModelSite> sites;
  mesh::Extent extent;
  std::vector<std::string> notes;  // for the log: parts of the file that are left out

  // At least 0.1 mm on each axis, since the size of a prop must be above 0.
  skel::Vec3 size() const;
  // Memory of its pictures and meshes.
  size_t bytes() const;
  // Returns the factors about the origin that give it this size. An axis on which it is flat keeps
  // its own.
  skel::Vec3 ScaleTo(skel::Vec3 size) const;
};

// Sets the extent, and checks the model: INVALID_ARGUMENT without a triangle, over 100 m in any
// direction, or more than 10 km from its origin; RESOURCE_EXHAUSTED over a limit.
absl::Status Finish(const PropLimits& limits, PropModel& out);

// Appends the points of a mesh, scaled by `scale` about the origin, and its normals.
void ScaleMesh(const Mesh& mesh, skel::Vec3 scale, std::vector<skel::Vec3>& points,
               std::vector<skel::Vec3>& normals);

// Returns the model at a scale as a character without joints, for writers of characters.
Character AsCharacter(const PropModel& model, const std::string& name,
                      skel::Vec3 scale = {1, 1, 1});

// Returns an upright card with a picture on both sides: its longer side is 0.3 m, its origin the
// middle of its lower edge; the picture faces +Z. Its sites are `grip` at the lower edge, and
// `top`.
PropModel CardOf(image::Image picture);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_PROP_MODEL_H_
