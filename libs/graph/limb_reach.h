// Moves a point at the end of an arm or leg to a target while its joints stay within their limits.
#ifndef POSEWIRE_LIBS_GRAPH_LIMB_REACH_H_
#define POSEWIRE_LIBS_GRAPH_LIMB_REACH_H_

#include <optional>

#include "libs/graph/body_parts.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::graph {

// Solves two bones (skel::TwoBoneIkJob) for the target `to`, in model space. Then, if the first
// joint of the limb is beyond its limits, rotates the whole limb about the line to the target, as
// little as necessary. `limb` must be complete, and `end` its end or below it; `offset` is the
// point in its space. `pole`: direction of the elbow or knee. Returns false if no rotation of the
// limb is within the limits; then it is as near to them as a rotation can bring it. No allocation;
// any thread.
bool ReachWithLimb(const skel::Rig& rig, const BodyParts::Limb& limb, int end, skel::Vec3 offset,
                   skel::Vec3 to, std::optional<skel::Vec3> pole, const skel::PoseSpan& pose);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LIMB_REACH_H_
