// Chooses the quantisation step of each track of a clip (Track::step): as large as possible while
// no point near a joint moves farther in model space than allowed (model_error.h).
#ifndef POSEWIRE_LIBS_CLIP_STEP_SEARCH_H_
#define POSEWIRE_LIBS_CLIP_STEP_SEARCH_H_

#include "absl/types/span.h"
#include "libs/clip/stop_check.h"
#include "libs/clip/tracks.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::clip {

// Sets the steps of all tracks except weights so that the errors of the joints on any path from
// the root to a leaf add up to at most `error_m`. Assumes that the chain of bones below each joint
// is stretched out, so the poses need not be measured. The bound holds if no joint is scaled.
void BoundSteps(const skel::Rig& rig, absl::Span<const skel::Pose> poses, float error_m,
                Tracks& tracks);

// Replaces the steps of BoundSteps with larger ones, because errors of several joints seldom add
// up. Measures the error on at most a few hundred frames, so the caller must measure it again on
// all frames. If stopped, the steps are unusable.
void WidenSteps(const skel::Rig& rig, absl::Span<const skel::Pose> poses, float error_m,
                Tracks& tracks, StopCheck stopped);

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_STEP_SEARCH_H_
