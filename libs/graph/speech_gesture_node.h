// Moves the arms with somebody's words.
//
// A source announces a gesture ahead of the syllable that it goes with. One of four slots takes it:
// a clip is laid over the arms, with a weight that grows while the hand gets ready, is whole when
// the stroke falls, and goes back after the phrase, after a while, or under the next gesture. When
// that one is near, the hands stay up until it has them: they go straight from the one to the
// other. The clip waits just before its stroke, runs so that this is on the syllable, and stops
// where the hand is held; there it lives (ArmLife), and sinks a little. Every weight is continuous
// and starts from 0, so that nothing jumps and no easing is asked for.
#ifndef POSEWIRE_LIBS_GRAPH_SPEECH_GESTURE_NODE_H_
#define POSEWIRE_LIBS_GRAPH_SPEECH_GESTURE_NODE_H_

#include <array>
#include <memory>
#include <vector>

#include "libs/graph/arm_life.h"
#include "libs/graph/number.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/stack_pose.h"
#include "libs/graph/turn_watch.h"
#include "libs/graph/voice_watch.h"
#include "libs/skel/mask.h"

namespace posewire::graph {

// See posewire.graph.v1.SpeechGestureNode. Without a gesture, what is below passes untouched. When
// the source is gone or starves, its gesture is taken back. A gesture whose stroke is less than
// 0.15 s away, or that finds all slots busy, is left out; a greeting is made all the same, as soon
// as the hand is up.
class SpeechGestureNode : public PassNode {
 public:
  static constexpr double kFresh_s = 20;  // no unit, or one that looks alike, is used within it
  // Between the end of a gesture and the first move of the next one: hands stay up so long.
  static constexpr double kBridge_s = 1.0;

  struct Unit {
    int kind = 0;
    int number = 0;
    const clip::Clip* clip = nullptr;              // of the rig's size; outlives the node
    double ready_s = 0, stroke_s = 0, hold_s = 0;  // in the clip
    skel::Mask mask;
    std::array<bool, 2> arms{true, true};  // whether it moves the left and the right one
  };
  // Of all avatars of a graph.
  struct Stock {
    std::vector<Unit> units;
    ArmAxes axes;
  };

  SpeechGestureNode(std::shared_ptr<const skel::Rig> rig, std::unique_ptr<Node> below,
                    std::shared_ptr<const Stock> stock);

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
    float rate = 0;   // of the phase, a second
    float most = 1;   // weight when whole
  };

  void Take(const TickContext& ctx, const ProviderInput& provider);
  void MakeWayFor(const Slot& next);
  bool Shown(const Slot& slot) const { return slot.unit >= 0 && slot.phase > 0; }
  // The slots from the one that began first to the last.
  std::array<const Slot*, 4> InOrder() const;
  const Unit& UnitOf(const Slot& slot) const {
    return stock_->units[static_cast<size_t>(slot.unit)];
  }
  static bool Alike(const Unit& a, const Unit& b);
  int Choose(const TickContext& ctx, int kind, int number) const;
  void Advance(const TickContext& ctx, Slot& slot);
  // Of a slot with a unit: where in its clip it is, and how much of it is taken.
  double TimeOf(const Slot& slot, double time_s) const;
  float WeightOf(const Slot& slot, double time_s) const;

  std::shared_ptr<const Stock> stock_;
  std::vector<double> used_s_;  // when each unit was chosen last
  std::array<Slot, 4> slots_;
  VoiceWatch voice_;
  ArmLife life_;
  Number rate_{1}, size_{1};
  double size_now_ = 1;
  TurnWatch turns_;
  skel::Pose spare_;  // see StackPose
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_SPEECH_GESTURE_NODE_H_
