// Keeps feet on the ground, and where they stand, when a pose is carried over to another rig.
//
// skel::RigMap keeps the directions of limbs. On legs of other proportions the ankles then end up
// a centimetre or two from where they belong, and slide while the body moves over them. Here the
// hips go where the standing feet want them, and a leg bends for what is left of more than a
// hundredth of its length. A nearly straight leg bends by ten degrees for a centimetre, so for less
// it keeps its directions. A foot on its ball tips until the ball is on the ground. A swinging leg
// keeps its directions. Where a foot belongs depends on the source's pose alone, so no history is
// needed.
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
  // Of the legs that both rigs have whole: none of them, and Apply does nothing.
  explicit FootPlant(const RigMap& map);

  // `in` is a pose of map.from(), and `out` what the map made of it. Bends legs of `out` that have
  // their rotations, if the hips' translation is there too, after the hips have moved by what the
  // standing feet are off. Feet keep their rotations, but one on its ball tips, so that the ball is
  // on the ground; a foot may be a hundredth of the leg beside its place.
  void Apply(const PoseView& in, const PoseSpan& out) const;

 private:
  static constexpr int kMostLegs = 2;
  // Where an ankle of `to` belongs, and how much its foot stands, from 0 to 1, and
  // counts for the place of the hips.
  struct Goal {
    Vec3 ankle;
    float stands = 0, vote = 0;
    float rolls = 0;  // from flat, 0, to on its ball, 1
  };
  struct Leg {
    int from_foot = -1, from_toes = -1;  // of `from`; toes may be lacking
    int upper = -1, lower = -1, foot = -1, toes = -1;
    Vec3 hinge;
    Quat turn_back;                // from the foot of `from` as it is turned at rest
    Vec3 ankle_from, ball_from;    // where they are at rest, in model space
    Vec3 ankle_shift, ball_shift;  // from there at scale to those of `to`
    Vec3 ball_from_ankle;          // of `to`
  };

  Goal GoalOf(const Leg& leg, const PoseView& in) const;
  // Turns the foot about its ankle, so that its ball comes that much higher.
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
