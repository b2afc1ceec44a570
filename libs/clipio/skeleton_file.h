// Skeletons at rest, from files that hold one: clips, characters and rig files.
#ifndef POSEWIRE_LIBS_CLIPIO_SKELETON_FILE_H_
#define POSEWIRE_LIBS_CLIPIO_SKELETON_FILE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/skel/rig.h"

namespace posewire::clipio {

// Of a rig file, or of an X3D file with a humanoid.
inline constexpr size_t kMostRigFile_bytes = size_t{64} << 20;

// Whether a file of this name may hold a skeleton.
bool HoldsSkeleton(absl::string_view path);

// The skeleton of a file (.glb, .gltf, .vrm, .bvh, .usda, .x3d, .x3dv or a rig file) as it stands
// at rest. But for a rig file, it has ARKit's shapes, and those of a glTF's morph targets and
// of a clip.
// INVALID_ARGUMENT for one that has none; else as OpenClip and skel::Rig::Parse.
absl::StatusOr<std::shared_ptr<const skel::Rig>> ReadSkeleton(const std::string& path);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_SKELETON_FILE_H_
