// Keeps what hands touch: each other, the head, the chest, the hips, a knee, the other arm.
//
// skel::RigMap keeps the directions of limbs. On arms and a trunk of other proportions, hands that
// met in front of the chest then miss each other, and a hand on the hip stands in the air or in the
// flesh. HandTouch says where they belong; here its bodies are two rigs, whose flesh is not known:
// how far a palm is off a bone is kept at the scale of the trunk.
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
  // Of the arms that both rigs have whole: none of them, and Apply does nothing.
  explicit HandContact(const RigMap& map);

  // `in` is a pose of map.from(), and `out` what the map made of it, with its feet where they
  // stand. Bends arms of `out` that have their rotations; hands keep theirs.
  void Apply(const PoseView& in, const PoseSpan& out) const;

 private:
  // From one joint to another, in both rigs; where `end` is -1, straight up from the joint.
  struct Bone {
    int from = -1, from_end = -1, to = -1, to_end = -1;
    Vec3 from_way, to_way;  // to the end where there is no joint, in the joint's space
  };
  struct Arm {
    int upper = -1, lower = -1, hand = -1;
    Vec3 palm;   // in the hand's space
    Vec3 hinge;  // in the space of the joint above the elbow
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
