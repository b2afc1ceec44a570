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
#include "libs/formats/x3d/segment_names.h"

namespace posewire::x3d {

struct WrittenX3d {
  std::string xml;
  // The pictures of its materials, to be put next to it: names and PNGs.
  std::vector<std::pair<std::string, std::string>> pictures;
};

struct X3dOptions {
  HAnimVersion version = HAnimVersion::k2;  // of the names of joints and segments
  bool frames = false;                      // rotations and translations as an HAnimMotion
};

// Writes each member as an HAnimHumanoid: joints at their centres with limits and stiffness,
// segments with their masses (those of its file, or estimated), sites, one skinCoord with the
// points of all meshes as they are at rest, and a Shape of its skin for each mesh, with a
// PhysicalMaterial. A blend shape is a displacer of each joint that moves its points; an
// in-between is one of its own. The motion becomes interpolators that a looping TimeSensor drives.
// Metres; `stem` begins the pictures' names. Joints have names as in WriteX3d.
//
// H-Anim's joints rest without rotation, and its skin is bound as it is at rest: a skin that is
// bound in another pose moves only nearly alike. Springs and variants are dropped, and correctives
// are only in the motion. INVALID_ARGUMENT for a motion of other sizes, and names as in WriteX3d;
// INTERNAL for a picture that cannot be encoded.
absl::StatusOr<WrittenX3d> WriteScene(absl::Span<const character::SceneMember> members,
                                      absl::string_view stem, const X3dOptions& options = {});

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_CHARACTER_WRITER_H_
