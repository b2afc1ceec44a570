// Objects shown with a character: a cup, a box, a table, or a model from a file.
#ifndef POSEWIRE_LIBS_CHARACTER_PROP_SHAPES_H_
#define POSEWIRE_LIBS_CHARACTER_PROP_SHAPES_H_

#include <memory>
#include <string>

#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/character/prop_model.h"
#include "libs/skel/math.h"

namespace posewire::character {

// An object drawn with the character, in its space. An unknown shape is a box. The origin of a box
// is its centre, that of a cup its bottom, that of a table on the ground.
struct PropShape {
  std::string shape;
  skel::Vec3 position;
  skel::Quat rotation;
  skel::Vec3 size{0.1f, 0.1f, 0.1f};  // width, height, depth; metres
  // Not null: drawn in the place of the shape, scaled to the size about its own origin.
  std::shared_ptr<const PropModel> model = nullptr;
};

inline constexpr float kPropRoughness = 0.45f;  // material roughness of all of them

// Returns all of them without a model as one mesh, with colours.
Mesh MeshOf(absl::Span<const PropShape> props);

// Returns one as a character without joints, for writers of characters; it is at its own origin.
Character AsCharacter(const PropShape& prop);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_PROP_SHAPES_H_
