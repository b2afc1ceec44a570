// Scenes whose Inlines name other files.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_INLINE_H_
#define POSEWIRE_LIBS_FORMATS_X3D_INLINE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/limits.h"
#include "libs/formats/x3d/read_scene.h"
#include "libs/formats/x3d/scene.h"

namespace posewire::x3d {

// ReadScene, with each Inline as a Group of what its file holds, or a Transform if that has another
// UNIT of length. The first of its addresses that can be read counts. Each must be a file in the
// folder of `bytes` or below it: an address with a scheme or "..", or from the root, is not asked
// for, and `read` (null: none) must not follow links out. Without a file that can be read,
// the Inline stays, with a note. So it does for a file with another UNIT of angles. Relative `url`s
// of a file that is put in become relative to the folder of `bytes`.
//
// RESOURCE_EXHAUSTED for over 64 files, 8 of them in each other, and for bytes, nodes and depth
// over `limits` for all files together.
absl::StatusOr<Scene> ReadSceneWithInlines(absl::string_view bytes, const Limits& limits,
                                           const asset::ReadSidecar& read);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_INLINE_H_
