// How coarse each track of a clip may be, so that no point off a joint is farther from its place in
// model space than allowed.
#ifndef POSEWIRE_LIBS_CLIP_STEP_SEARCH_H_
#define POSEWIRE_LIBS_CLIP_STEP_SEARCH_H_

#include "absl/types/span.h"
#include "libs/clip/stop_check.h"
#include "libs/clip/tracks.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::clip {

// Sets the steps of all tracks but weights such that the errors of all joints on the way from the
// root add up to at most `error_m`, with the longest levers that the hierarchy has: no measuring,
// and never more than that while nothing is scaled.
void BoundSteps(const skel::Rig& rig, absl::Span<const skel::Pose> poses, float error_m,
                Tracks& tracks);

// From bounded steps: widens them as far as the error measured on (up to a few hundred of) the
// frames allows: errors of several joints seldom add up. The caller measures again on all frames.
// When it was stopped, the steps are of no use.
void WidenSteps(const skel::Rig& rig, absl::Span<const skel::Pose> poses, float error_m,
                Tracks& tracks, StopCheck stopped);

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_STEP_SEARCH_H_
