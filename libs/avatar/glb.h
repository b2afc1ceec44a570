// The avatar as one binary glTF 2.0 file.
#ifndef POSEWIRE_LIBS_AVATAR_GLB_H_
#define POSEWIRE_LIBS_AVATAR_GLB_H_

#include <string>

#include "absl/status/statusor.h"
#include "libs/avatar/model.h"

namespace posewire::avatar {

// Writes the model, in memory. What a reader finds:
//   - one scene with one root node, "avatar"; below it the node of each surface and the joints
//   - a node for each joint of the rig, by the joint's name, at the rig's rest pose
//   - one skin, "skin", whose joints stand in the order of the rig
//   - a mesh for each surface, with position, normal, colour, joints and weights; those that shapes
//     move (head, eyes, teeth, tongue) with morph targets as sparse accessors. `extras.targetNames`
//     of a mesh names its targets as the rig names its shapes; a mesh has only those that move it
//   - materials of the metallic-roughness kind
// INTERNAL when the writer fails.
absl::StatusOr<std::string> WriteGlb(const Model& model);

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_GLB_H_
