// Keeps feet on the ground and in place when a pose is retargeted to another rig.
//
// skel::RigMap keeps the directions of limbs. With legs of other proportions, the ankles are then a
// centimetre or two from their correct places, and slide while the body moves over them. FootPlant
// first moves the hips to where the standing feet require them. Each leg then bends for the
// remaining error, if it is more than a hundredth of its length; below that, a nearly straight leg
// would bend visibly (by ten degrees for a centimetre), so it keeps its directions. A foot on its
// ball tips until the ball is on the ground. A swinging leg keeps its directions. The target of a
// foot depends only on the source's pose, so no history is needed.
#ifndef POSEWIRE_LIBS_SKEL_FOOT_PLANT_H_
#define POSEWIRE_LIBS_SKEL_FOOT_PLANT_H_

#include <array>
#include <memory>

#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/skel/rig_map.h"

namespace posewire::skel {

// Immutable; Apply may run on any thread and does not allocate.
class FootPlant {
 public:
  // Uses the legs that both rigs have completely. With none, Apply does nothing.
  explicit FootPlant(const RigMap& map);

  // `in` is a pose of map.from(), and `out` the result of the map. If the hips' translation is
  // present, moves the hips by the error of the standing feet, then bends legs of `out` whose
  // rotations are present. Feet keep their rotations, except that a foot on its ball tips so that
  // the ball is on the ground. A foot may be off its place by a hundredth of the leg.
  void Apply(const PoseView& in, const PoseSpan& out) const;

 private:
  static constexpr int kMostLegs = 2;
  // The target of an ankle of `to`, how much its foot stands (0 to 1), and its weight for the
  // position of the hips.
  struct Goal {
    Vec3 ankle;
    float stands = 0, vote = 0;
    float rolls = 0;  // from 0 (flat) to 1 (on its ball)
  };
  struct Leg {
    int from_foot = -1, from_toes = -1;  // of `from`; toes may be missing
    int upper = -1, lower = -1, foot = -1, toes = -1;
    Vec3 hinge;
    Quat turn_back;                // inverse of the rest rotation of the foot of `from`
    Vec3 ankle_from, ball_from;    // rest positions in model space
    Vec3 ankle_shift, ball_shift;  // from those positions, scaled, to those of `to`
    Vec3 ball_from_ankle;          // of `to`
  };

  Goal GoalOf(const Leg& leg, const PoseView& in) const;
  // Rotates the foot about its ankle to raise its ball by `lift_m`.
  void TipFoot(const Leg& leg, float lift_m, const PoseSpan& out) const;

  std::shared_ptr<const Rig> from_, to_;
  int hips_ = -1;    // of `to`
  float scale_ = 1;  // of lengths
  float leg_m_ = 1;  // of `from`, from the hip joint to the ankle
  std::array<Leg, kMostLegs> leg_;
  int legs_ = 0;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_FOOT_PLANT_H_
