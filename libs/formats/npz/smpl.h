// The skeleton of the SMPL family of bodies (SMPL, SMPL-H, SMPL-X), which motion data sets are on.
//
// A body of it rests in a T, with every joint's frame as the world's: Y up, Z to the front. Where
// its joints lie is in the models, which are not free; the limbs point the same way in any T, so
// the places here are those of the built-in rig vrm. Names and orders are those of smplx's
// JOINT_NAMES, in which AMASS keeps its poses.
#ifndef POSEWIRE_LIBS_FORMATS_NPZ_SMPL_H_
#define POSEWIRE_LIBS_FORMATS_NPZ_SMPL_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/rig.h"

namespace posewire::npz {

// The names of so many joints in their order: 22 (the body), 24 (SMPL), 52 (SMPL-H), 55 (SMPL-X);
// empty for others.
std::vector<std::string> SmplJoints(size_t count);

// How high the pelvis of such a body lies above the point that its translation moves, in metres: it
// lies below.
float SmplPelvis(size_t count);

// At rest, with these of the joints in their order; paths by the parents that are among them. Null
// where a name is none of SMPL-X's, or a joint stands before its parent.
std::shared_ptr<const skel::Rig> SmplRest(absl::Span<const std::string> joints);

}  // namespace posewire::npz

#endif  // POSEWIRE_LIBS_FORMATS_NPZ_SMPL_H_
