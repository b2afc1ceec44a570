// Moves the arms in time with speech.
//
// A source announces a gesture ahead of the syllable to which it belongs. One of four slots takes
// it: a clip is applied to the arms, with a weight that grows while the hand gets ready, is full at
// the stroke, and returns to 0 after the phrase, after some time, or when the next gesture begins.
// If the next gesture is near, the hands stay up until then and move directly from one to the
// other. The clip waits just before its stroke, runs so that the stroke is on the syllable, and
// stops where the hand is held; there ArmLife moves it slightly, and it sinks a little. Every
// weight is continuous and starts from 0, so nothing jumps and no easing is requested.
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

// See posewire.graph.v1.SpeechGestureNode. Without a gesture, the pose passes unchanged. If the
// source is gone or runs out of data, its gesture ends. A gesture whose stroke is less than 0.15 s
// away, or for which all slots are busy, is skipped; a greeting is still made as soon as the hand
// is up.
class SpeechGestureNode : public PassNode {
 public:
  static constexpr double kFresh_s = 20;  // no unit, or one that looks alike, is repeated within
                                          // this time
  // Hands stay up if the next gesture's first move is at most this long after the end of a gesture.
  static constexpr double kBridge_s = 1.0;

  struct Unit {
    int kind = 0;
    int number = 0;
    const clip::Clip* clip = nullptr;              // of the rig's size; must outlive the node
    double ready_s = 0, stroke_s = 0, hold_s = 0;  // in the clip
    skel::Mask mask;
    std::array<bool, 2> arms{true, true};  // whether it moves the left and the right arm
  };
  // Shared by all avatars of a graph.
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
    float rate = 0;   // change of the phase per second
    float most = 1;   // weight at full phase
  };

  void Take(const TickContext& ctx, const ProviderInput& provider);
  void MakeWayFor(const Slot& next);
  bool Shown(const Slot& slot) const { return slot.unit >= 0 && slot.phase > 0; }
  // Returns the slots from the one that began first to the last.
  std::array<const Slot*, 4> InOrder() const;
  const Unit& UnitOf(const Slot& slot) const {
    return stock_->units[static_cast<size_t>(slot.unit)];
  }
  static bool Alike(const Unit& a, const Unit& b);
  int Choose(const TickContext& ctx, int kind, int number) const;
  void Advance(const TickContext& ctx, Slot& slot);
  // For a slot with a unit: the time in its clip, and its weight.
  double TimeOf(const Slot& slot, double time_s) const;
  float WeightOf(const Slot& slot, double time_s) const;

  std::shared_ptr<const Stock> stock_;
  std::vector<double> used_s_;  // when each unit was last chosen
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
