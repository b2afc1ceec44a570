// Plays clips on top of a pose, one at a time.
#ifndef POSEWIRE_LIBS_GRAPH_CLIP_LAYER_H_
#define POSEWIRE_LIBS_GRAPH_CLIP_LAYER_H_

#include <memory>
#include <utility>
#include <vector>

#include "libs/graph/node.h"
#include "libs/graph/transition_requests.h"
#include "libs/skel/mask.h"

namespace posewire::graph {

// A clip affects only its own elements. Requests easing of a switch for the elements of the clips
// involved; all other elements pass unchanged. The owner decides which clip is shown when.
class ClipLayer {
 public:
  explicit ClipLayer(const skel::Rig& rig);

  void set_ease_s(double ease_s) { ease_s_ = ease_s; }
  void set_mask(skel::Mask mask) { mask_ = std::make_unique<skel::Mask>(std::move(mask)); }

  // Whether, from now on, the shapes of gaze and lids come from below instead of from the clip.
  void LeaveEyes(bool leave);

  // Call once per Update with the clip to show at this tick (null: none). A different clip is a
  // switch, and with `jump` so is another time in the same clip. The clip must have the rig's size
  // and stay alive while it is shown.
  void Show(const clip::Clip* clip, double time_s, bool jump);
  const clip::Clip* clip() const { return clip_; }

  // Applies the clip to `out`.
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out);
  // Adds the clip to `out` with its part of `share`, and reduces `share` to what remains for the
  // nodes below.
  void Contribute(ContributionShare& share, ContributionList& out) const;

 private:
  void Lay(const TickContext& ctx, const skel::PoseSpan& out);
  void AskFor(const clip::Clip* clip, TransitionRequests& asks) const;

  double ease_s_ = kSwitchEase_s;
  std::unique_ptr<skel::Mask> mask_;  // null: all
  std::vector<int> eyes_;             // the shapes of gaze and lids
  skel::Pose spare_;                  // see StackPose
  const clip::Clip* clip_ = nullptr;
  double time_s_ = 0;
  const clip::Clip* shown_ = nullptr;  // at the last Evaluate
  bool jump_ = false, leaves_eyes_ = false, eyes_jump_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_CLIP_LAYER_H_
