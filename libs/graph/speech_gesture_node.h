// Moves the arms with somebody's words.
//
// A source announces a gesture ahead of the syllable that it goes with. One of two slots takes it:
// a clip is laid over the arms, with a weight that grows while the hand gets ready, is whole when
// the stroke falls, and goes back after the phrase, after a while, or when the other slot takes
// over. The clip waits just before its stroke, runs so that this is on the syllable, and stops
// where the hand is held. Every weight is continuous and starts from 0, so that nothing jumps and
// no easing is asked for.
#ifndef POSEWIRE_LIBS_GRAPH_SPEECH_GESTURE_NODE_H_
#define POSEWIRE_LIBS_GRAPH_SPEECH_GESTURE_NODE_H_

#include <array>
#include <memory>
#include <vector>

#include "libs/graph/number.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/stack_pose.h"
#include "libs/graph/turn_watch.h"
#include "libs/skel/mask.h"

namespace posewire::graph {

// See posewire.graph.v1.SpeechGestureNode. Without a gesture, what is below passes untouched. When
// the source is gone or starves, its gesture is taken back. A gesture whose stroke is less than
// 0.15 s away, or that finds both slots busy, is left out.
class SpeechGestureNode : public PassNode {
 public:
  static constexpr double kFresh_s = 20;  // no unit, or one that looks alike, is used within it

  struct Unit {
    int kind = 0;
    int number = 0;
    const clip::Clip* clip = nullptr;  // of the rig's size; outlives the node
    double stroke_s = 0, hold_s = 0;   // in the clip
    skel::Mask mask;
  };

  SpeechGestureNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below,
                    std::shared_ptr<const std::vector<Unit>> units);

  void set_rate(Number rate) { rate_ = rate; }
  void set_size(Number size) { size_ = size; }

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Contribute(const TickContext& ctx, const ContributionShare& share,
                  ContributionList& out) const override;

 private:
  struct Slot {
    int unit = -1;  // -1: free
    uint64_t playback_id = 0;
    double start_s = 0, ready_s = 0, stroke_at_s = 0, end_s = 0;
    float phase = 0;  // 0 at rest, 1 whole
    float most = 1;   // weight when whole
  };

  void Take(const TickContext& ctx, const ProviderInput& provider);
  static bool Alike(const Unit& a, const Unit& b);
  int Choose(const TickContext& ctx, int kind, int number) const;
  void Advance(const TickContext& ctx, Slot& slot);
  // Of a slot with a unit: where in its clip it is, and how much of it is taken.
  double TimeOf(const Slot& slot, double time_s) const;
  float WeightOf(const Slot& slot) const;

  std::shared_ptr<const std::vector<Unit>> units_;  // of all avatars of the graph
  std::vector<double> used_s_;                      // when each unit was chosen last
  std::array<Slot, 2> slots_;
  Number rate_{1}, size_{1};
  double size_now_ = 1;
  TurnWatch turns_;
  skel::Pose spare_;  // see StackPose
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_SPEECH_GESTURE_NODE_H_
