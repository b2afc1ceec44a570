// The hands that beat time: from the gestures' neutral stance to a raised, open hand.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_ARM_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_ARM_H_

#include <array>
#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "libs/gesture/body.h"
#include "libs/skel/math.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::a2f_source {

// How far an arm is into a beat. All zero: the neutral stance.
struct ArmBeat {
  float raise = 0;   // 0..1: forearm forward, palm turning up
  float offer = 0;   // 0..1: from a hand before the body to one held out to the side
  float stroke = 0;  // -0.5..1: the beat itself, a short throw down and to the front
  float follow = 0;  // the same, a moment later, for the hand that lags behind
};

// Makes the poses on the standard rig. One thread.
class ArmPoser {
 public:
  // Fails when the standard rig cannot be made.
  static absl::StatusOr<ArmPoser> Make();

  // Parent-local rotations of shoulder, elbow and wrist.
  std::array<skel::Quat, 3> Pose(const ArmBeat& beat, gesture::Side side);

 private:
  ArmPoser(std::shared_ptr<const skel::Rig> rig, gesture::Body body);

  std::shared_ptr<const skel::Rig> rig_;
  gesture::Body body_;
  skel::Pose scratch_;
  gesture::ArmAngles neutral_{}, before_{}, before_low_{}, aside_{}, aside_low_{};
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SAY_ARM_H_
