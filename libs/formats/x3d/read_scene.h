// Reads X3D files in their XML and their classic form.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_READ_SCENE_H_
#define POSEWIRE_LIBS_FORMATS_X3D_READ_SCENE_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/x3d/scene.h"

namespace posewire::x3d {

struct Limits {
  size_t bytes = size_t{64} << 20;
  size_t nodes = size_t{1} << 17;
  int depth = 256;
  // Nodes visited in a walk through the scene: one that is used twice counts twice, with all below.
  size_t walked = size_t{1} << 20;
};

// Reads XML, or the classic form if the file begins with "#X3D" or, for VRML97, "#VRML V2.0".
// Memory is limited by the size of the bytes, and recursion by Limits::depth. INVALID_ARGUMENT with
// the line for broken files, and for files that are not X3D; RESOURCE_EXHAUSTED over a limit.
// Prototypes are expanded (prototypes.h). Fields that a script declares are dropped.
absl::StatusOr<Scene> ReadScene(absl::string_view bytes, const Limits& limits = {});

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_READ_SCENE_H_
