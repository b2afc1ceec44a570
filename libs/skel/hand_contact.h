// Preserves contacts of hands after retargeting: with each other, the head, the chest, the hips, a
// knee, the other arm.
//
// skel::RigMap keeps the directions of limbs. With arms and a trunk of other proportions, hands
// that met in front of the chest then miss each other, and a hand on the hip is in the air or
// inside the body. HandTouch computes the correct places; here its bodies are two rigs without
// known surfaces, so the distance of a palm from a bone is kept at the scale of the trunk.
#ifndef POSEWIRE_LIBS_SKEL_HAND_CONTACT_H_
#define POSEWIRE_LIBS_SKEL_HAND_CONTACT_H_

#include <array>
#include <memory>

#include "libs/skel/hand_touch.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/skel/rig_map.h"

namespace posewire::skel {

// Immutable; Apply may run on any thread and does not allocate.
class HandContact {
 public:
  // Uses the arms if both rigs have them completely; otherwise Apply does nothing.
  explicit HandContact(const RigMap& map);

  // `in` is a pose of map.from(), and `out` the result of the map after feet were planted. Bends
  // arms of `out` whose rotations are present; hands keep their rotations.
  void Apply(const PoseView& in, const PoseSpan& out) const;

 private:
  // A line from one joint to another, in both rigs. If `end` is -1, it goes straight up from the
  // joint.
  struct Bone {
    int from = -1, from_end = -1, to = -1, to_end = -1;
    Vec3 from_way, to_way;  // offset to the end if there is no joint, in the joint's space
  };
  struct Arm {
    int upper = -1, lower = -1, hand = -1;
    Vec3 palm;   // in the hand's space
    Vec3 hinge;  // in the space of the elbow's parent joint
  };

  void FindBones(float unit);
  static HandTouch::Arm PlacesOf(const Rig& rig, const PoseView& pose, const Arm& arm);

  std::shared_ptr<const Rig> from_, to_;
  HandTouch touch_;
  std::array<Bone, HandTouch::kParts> bones_;
  std::array<Arm, HandTouch::kHands> from_arms_, to_arms_;
  bool whole_ = false;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_HAND_CONTACT_H_
