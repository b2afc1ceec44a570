// The surfaces of simple things: a cup, a box, a table.
#ifndef POSEWIRE_LIBS_RENDER_PROP_SHAPES_H_
#define POSEWIRE_LIBS_RENDER_PROP_SHAPES_H_

#include <string>

#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/skel/math.h"

namespace posewire::render {

// A thing to draw beside the character, in its space. A shape that is not known is a box. The
// origin of a box is in its middle, that of a cup at its bottom, that of a table on the ground.
struct Prop {
  std::string shape;
  skel::Vec3 position;
  skel::Quat rotation;
  skel::Vec3 size{0.1f, 0.1f, 0.1f};  // wide, high, deep; metres
};

inline constexpr float kPropRoughness = 0.45f;  // of all of them, as of a material

// All of them as one, with colours.
character::Mesh MeshOf(absl::Span<const Prop> props);

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_PROP_SHAPES_H_
