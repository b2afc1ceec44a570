// Puts what walking does to hips, trunk and arms into a pose.
#ifndef POSEWIRE_LIBS_GRAPH_GAIT_BODY_H_
#define POSEWIRE_LIBS_GRAPH_GAIT_BODY_H_

#include "libs/graph/body_parts.h"
#include "libs/graph/gait.h"
#include "libs/skel/pose.h"

namespace posewire::graph {

// On top of the pose. The hips move and turn, spine and neck turn back so that the head stays
// level, and arms swing as far as they hang: one that gestures or reaches is left alone. The legs
// are not brought back to their feet here. Any thread; no allocation.
void PoseGaitBody(const BodyParts& parts, const GaitBody& body, const skel::PoseSpan& pose);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_GAIT_BODY_H_
