// The skeleton of the SMPL family of bodies (SMPL, SMPL-H, SMPL-X), used by motion data sets.
//
// A body rests in a T, with every joint's frame parallel to the world's: Y up, Z to the front. The
// joints' positions are in the models, which are not free; limbs point the same way in any T, so
// the positions here are those of the built-in rig vrm. Names and orders are those of smplx's
// JOINT_NAMES, which AMASS uses for its poses.
#ifndef POSEWIRE_LIBS_FORMATS_NPZ_SMPL_H_
#define POSEWIRE_LIBS_FORMATS_NPZ_SMPL_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/rig.h"

namespace posewire::npz {

// Returns the names of this many joints in their order: 22 (the body), 24 (SMPL), 52 (SMPL-H), 55
// (SMPL-X); empty for others.
std::vector<std::string> SmplJoints(size_t count);

// Returns how far the pelvis of such a body is above the point that its translation moves, in
// metres (it is below).
float SmplPelvis(size_t count);

// Returns the rest pose of these joints in their order; paths use the parents among them. Null if a
// name is not one of SMPL-X's, or a joint precedes its parent.
std::shared_ptr<const skel::Rig> SmplRest(absl::Span<const std::string> joints);

}  // namespace posewire::npz

#endif  // POSEWIRE_LIBS_FORMATS_NPZ_SMPL_H_
