// Reads skeletons at rest from clip, character and rig files.
#ifndef POSEWIRE_LIBS_CLIPIO_SKELETON_FILE_H_
#define POSEWIRE_LIBS_CLIPIO_SKELETON_FILE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/skel/rig.h"

namespace posewire::clipio {

// Maximum size of a rig file, or of an X3D file with a humanoid.
inline constexpr size_t kMostRigFile_bytes = size_t{64} << 20;

// Returns true if a file of this name may contain a skeleton.
bool HoldsSkeleton(absl::string_view path);

// Returns the skeleton of a file (.glb, .gltf, .vrm, .bvh, .usda, .x3d, .x3dv or a rig file) in its
// rest pose. Except for a rig file, it has ARKit's shapes and those of a glTF's morph targets and
// of a clip.
// INVALID_ARGUMENT for a file without a skeleton; otherwise errors are those of OpenClip and
// skel::Rig::Parse.
absl::StatusOr<std::shared_ptr<const skel::Rig>> ReadSkeleton(const std::string& path);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_SKELETON_FILE_H_
