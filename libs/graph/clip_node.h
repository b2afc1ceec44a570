// Plays one clip.
#ifndef POSEWIRE_LIBS_GRAPH_CLIP_NODE_H_
#define POSEWIRE_LIBS_GRAPH_CLIP_NODE_H_

#include <memory>
#include <optional>
#include <vector>

#include "libs/graph/node.h"
#include "libs/graph/number.h"
#include "libs/graph/turn_watch.h"

namespace posewire::graph {

// The clip is at its start at the tick of Play and advances by dt * speed * pace from there. After
// its end it holds its last frame (backwards: its first), or wraps around if it loops. Without a
// clip the node's pose is empty.
//
// Requests easing whenever the pose jumps: another clip, a restart, wrapping around in a clip that
// was not made to loop, and an amplitude that flips a joint to the other side.
class ClipNode : public Node {
 public:
  // `clip` must have the size of the node's rig and outlive its playback; null stops playback.
  void Play(const clip::Clip* clip);
  const clip::Clip* clip() const { return clip_; }
  double time_s() const { return time_s_; }
  // True once the time has passed the last frame of a clip that does not loop, or the first one if
  // it runs backwards.
  bool ended() const { return ended_; }

  // Negative speeds play backwards; 0 holds.
  void set_speed(Number speed) { speed_ = speed; }
  // Start time. A clip that runs backwards from 0 starts at its end.
  void set_offset_s(double offset_s) { offset_s_ = offset_s; }
  // Overrides the clip's own setting.
  void set_loop(bool loop) { loop_ = loop; }
  // Rising times within the clip that correspond to phases 0, 1/n, 2/n... of its cycle. If empty:
  // only 0.
  void set_sync_marks(std::vector<double> marks_s) { marks_s_ = std::move(marks_s); }
  // Scales the motion about the clip's first frame, 0 or more. Smoothed, so it may jump. It never
  // moves shape weights out of 0..1.
  void set_amplitude(Number amplitude) { amplitude_ = amplitude; }
  // Plays clips[choice] of a choice (null: none) from its start whenever the value changes.
  void Follow(int variable, std::vector<const clip::Clip*> clips);
  // Required if the amplitude may differ from 1.
  void WatchTurns(int joints) { turns_ = std::make_unique<TurnWatch>(joints); }

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override;
  double remaining_s() const override;
  double phase() const override;
  void SetPhase(double phase) override;
  double cycle_s() const override;
  void SetPace(double pace) override { pace_ = pace; }
  void Restart() override;
  const skel::Vec3* camera_at() const override;
  void Adopt(const Node& old) override;

 private:
  bool loops() const { return loop_.value_or(clip_ != nullptr && clip_->loops()); }
  double rate() const { return speed_.value() * pace_; }
  void Advance(double dt_s);
  void Choose(const TickContext& ctx);

  const clip::Clip* clip_ = nullptr;
  double time_s_ = 0;
  bool fresh_ = false, ended_ = false;

  Number speed_{1}, amplitude_{1};
  double offset_s_ = 0, pace_ = 1;
  double shown_amplitude_ = -1;  // below 0: not set yet
  std::optional<bool> loop_;
  std::vector<double> marks_s_;
  int variable_ = -1, choice_ = -1;
  std::vector<const clip::Clip*> clips_;
  std::unique_ptr<TurnWatch> turns_;
  bool jump_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_CLIP_NODE_H_
