// Idle motion: the avatar stands in NeutralStance, breathes, blinks, looks around and shifts its
// weight. It is never still and never repeats.
#ifndef POSEWIRE_LIBS_GRAPH_IDLE_NODE_H_
#define POSEWIRE_LIBS_GRAPH_IDLE_NODE_H_

#include <array>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "libs/graph/drift.h"
#include "libs/graph/eyes.h"
#include "libs/graph/idle_body.h"
#include "libs/graph/idle_breath.h"
#include "libs/graph/idle_feet.h"
#include "libs/graph/node.h"
#include "libs/graph/number.h"
#include "libs/graph/voice_watch.h"

namespace posewire::graph {

// Outputs every element of its rig. Breath moves the spine, the clavicles and the arms, about once
// in four seconds, and during speech in its pauses. Sway and shifts of weight move the pelvis over
// the feet, which stay in place or occasionally take a small step. The gaze goes to the eyeLook
// shapes and, later and less, to the head; eye, lid and jaw joints stay at rest. Blinks are not in
// the pose: a node above all others adds blink(). When a source begins a new topic, the weight
// moves to the other foot with its first word; otherwise at random times.
//
// All randomness comes from the context's rng: the same seed and ticks give the same motion.
class IdleNode : public Node {
 public:
  // INVALID_ARGUMENT for a rig without the joints of H-Anim LOA-3.
  static absl::StatusOr<std::unique_ptr<IdleNode>> Make(std::shared_ptr<const skel::Rig> rig);
  explicit IdleNode(std::shared_ptr<const IdleBody> body)
      : body_(std::move(body)), voice_(body_->rig->FindShape("jawOpen")) {}

  // Enables occasional small steps; by default the feet stay in place.
  void set_steps(bool steps) { steps_ = steps; }
  // The shape jawOpen in the rig of live sources, if that is not the body's; -1: it has none.
  void set_jaw_shape(int shape) { voice_ = VoiceWatch(shape); }

  // Factors within kLeast..kMostTempo or kMostAmplitude on the speed of everything except blinks,
  // and on the size of the motion.
  static constexpr double kLeast = 0.1, kMostTempo = 4, kMostAmplitude = 2;
  void set_tempo(Number tempo) { tempo_ = tempo; }
  void set_amplitude(Number amplitude) { amplitude_ = amplitude; }

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

  // 0 open, 1 closed.
  float blink() const { return blinker_.value(); }

 private:
  // Signals that drift independently.
  enum DriftId {
    kSwayX,
    kSwayZ,
    kTwist,
    kLeanX,
    kLeanZ,
    kHeadX,
    kHeadY,
    kHeadZ,
    kArmLeft,
    kArmRight,
    kHandLeft,
    kHandRight,
    kBrow,
    kMouth,
    kDrifts,
  };

  void Start(Random& rng);
  void StepWeight(float dt_s, Random& rng);
  // Records when the next announced gesture is due, and shifts the weight for a new topic.
  void HearGestures(const TickContext& ctx, float dt_s);
  // Everything that determines a pose.
  struct Signals {
    std::array<float, kDrifts> drifts{};
    float size = 1, breath = 0, lean = 0;
    skel::Vec3 middle;  // between the feet
    float gaze_x = 0, gaze_y = 0, follow_x = 0, follow_y = 0;
  };
  Signals Now() const;
  void PoseTorso(const Signals& s, const skel::PoseSpan& out) const;
  void PoseArms(const Signals& s, const skel::PoseSpan& out) const;
  void PoseFace(const Signals& s, const skel::PoseSpan& out) const;
  float drift(DriftId id) const { return size_ * drifts_[id].value(); }

  std::shared_ptr<const IdleBody> body_;
  Number tempo_{1}, amplitude_{1};
  float size_ = 1;  // the amplitude of this tick
  bool started_ = false;
  std::array<Drift, kDrifts> drifts_;
  Blinker blinker_;
  Gaze gaze_;
  VoiceWatch voice_;
  IdleBreath breath_;
  IdleFeet feet_;
  bool steps_ = false;
  float soon_s_ = 0;                                    // until the announced gesture
  float weight_ = 0, weight_from_ = 0, weight_to_ = 0;  // -1 on the right foot, 1 on the left
  float weight_t_ = 1, weight_length_s_ = 1, weight_wait_s_ = 3;
  bool new_topic_ = false;             // the next shift is for a new topic
  float follow_x_ = 0, follow_y_ = 0;  // how far the head has followed the gaze
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_IDLE_NODE_H_
