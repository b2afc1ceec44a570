// Chooses the step of each track of a clip, as large as possible while no point near a joint moves
// farther in model space than allowed.
#ifndef POSEWIRE_LIBS_CLIP_STEP_SEARCH_H_
#define POSEWIRE_LIBS_CLIP_STEP_SEARCH_H_

#include "absl/types/span.h"
#include "libs/clip/stop_check.h"
#include "libs/clip/tracks.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::clip {

// Sets the steps of all tracks except weights such that the errors of all joints on the way from
// the root add up to at most `error_m`, with the longest levers that the hierarchy has. Uses no
// measurement, and guarantees the bound while nothing is scaled.
void BoundSteps(const skel::Rig& rig, absl::Span<const skel::Pose> poses, float error_m,
                Tracks& tracks);

// Starts from bounded steps, and widens them as far as the error allows that is measured on (up to
// a few hundred of) the frames: errors of several joints seldom add up. The caller must measure
// again on all frames. When stopped, the steps are unusable.
void WidenSteps(const skel::Rig& rig, absl::Span<const skel::Pose> poses, float error_m,
                Tracks& tracks, StopCheck stopped);

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_STEP_SEARCH_H_
