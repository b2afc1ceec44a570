// Brings a point at the end of an arm or leg to a place, the joints staying within their limits.
#ifndef POSEWIRE_LIBS_GRAPH_LIMB_REACH_H_
#define POSEWIRE_LIBS_GRAPH_LIMB_REACH_H_

#include <optional>

#include "libs/graph/body_parts.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::graph {

// Two bones (skel::TwoBoneIkJob) to `to`, in model space; then, where the joint that begins the
// limb would leave its limits, the whole limb is turned about the line to the target, as little as
// it takes. `limb` is complete, and `end` is its end or below it; `offset` is the point in its
// space. `pole`: where the elbow or knee goes. False where no turn of the limb is within the
// limits: then it is as near to them as a turn brings it. No allocation; any thread.
bool ReachWithLimb(const skel::Rig& rig, const BodyParts::Limb& limb, int end, skel::Vec3 offset,
                   skel::Vec3 to, std::optional<skel::Vec3> pole, const skel::PoseSpan& pose);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LIMB_REACH_H_
