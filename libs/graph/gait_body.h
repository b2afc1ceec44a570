// Applies the effect of walking on hips, trunk and arms to a pose.
#ifndef POSEWIRE_LIBS_GRAPH_GAIT_BODY_H_
#define POSEWIRE_LIBS_GRAPH_GAIT_BODY_H_

#include "libs/graph/body_parts.h"
#include "libs/graph/gait.h"
#include "libs/skel/pose.h"

namespace posewire::graph {

// Changes the pose: the hips move and turn, spine and neck counter-rotate so that the head stays
// level, and arms swing as far as they hang; arms that gesture or reach are not changed. Does not
// bring the legs back to their feet. Any thread; no allocation.
void PoseGaitBody(const BodyParts& parts, const GaitBody& body, const skel::PoseSpan& pose);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_GAIT_BODY_H_
