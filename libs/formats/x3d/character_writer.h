// Writes characters and scenes of them as X3D with H-Anim humanoids.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_CHARACTER_WRITER_H_
#define POSEWIRE_LIBS_FORMATS_X3D_CHARACTER_WRITER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/character/scene.h"

namespace posewire::x3d {

struct WrittenX3d {
  std::string xml;
  // The pictures of its materials, to be put next to it: names and PNGs.
  std::vector<std::pair<std::string, std::string>> pictures;
};

// Writes each member as an HAnimHumanoid of version 2: joints at their centres, one skinCoord with
// the points of all meshes as they are at rest, and a Shape of its skin for each mesh, with a
// PhysicalMaterial. A blend shape is a displacer of the joint that moves most of its points; an
// in-between is one of its own. The motion becomes interpolators that a looping TimeSensor drives.
// Metres; `stem` begins the pictures' names. Joints have names as in WriteX3d.
//
// H-Anim's joints rest without rotation, and its skin is bound as it is at rest: a skin that is
// bound in another pose moves only nearly alike. Springs and variants are dropped, and correctives
// are only in the motion. INVALID_ARGUMENT for a motion of other sizes, and names as in WriteX3d;
// INTERNAL for a picture that cannot be encoded.
absl::StatusOr<WrittenX3d> WriteScene(absl::Span<const character::SceneMember> members,
                                      absl::string_view stem);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_CHARACTER_WRITER_H_
