// Keeps what hands touch: each other, the head, the chest, the hips, a knee, the other arm.
//
// skel::RigMap keeps the directions of limbs. On arms and a trunk of other proportions, hands that
// met in front of the chest then miss each other, and a hand on the hip stands in the air or in the
// flesh. Here a palm that is near a bone of the source's body is put beside the same bone of this
// body: as far along it by its length, and as far off it at the scale of the trunk; and two palms
// that are near each other are put as far apart as they were. Far from everything nothing changes,
// so that arms that point, wave or hang keep their directions. All follows from the source's pose
// alone and changes smoothly with it, so no history is needed.
#ifndef POSEWIRE_LIBS_SKEL_HAND_CONTACT_H_
#define POSEWIRE_LIBS_SKEL_HAND_CONTACT_H_

#include <array>
#include <memory>
#include <vector>

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
  static constexpr int kMostHands = 2;
  // From one joint to another, in both rigs; where `end` is -1, straight up from the joint.
  struct Bone {
    int from = -1, from_end = -1, to = -1, to_end = -1;
    Vec3 from_way, to_way;  // to the end where there is no joint, in the joint's space
    float near_m = 0, far_m = 0;
    float counts_from = 0, counts_to = 1;  // of its length: beyond these it is not touched
    bool arm = false;                      // the other one, which may move itself
  };
  struct Arm {
    int from_hand = -1;
    int upper = -1, lower = -1, hand = -1;
    Vec3 hinge;
    Vec3 from_palm, to_palm;  // in the hands' spaces
    std::vector<Bone> bones;  // that it may touch
  };
  // Where a palm is, and where it is to be.
  struct Palm {
    bool moves = false;
    float on_arm = 0;  // how much it touches the other arm, from 0 to 1
    Vec3 from, is, goal;
  };

  void FindBones(bool left, Arm& arm) const;
  void Draw(const Arm& arm, const PoseView& in, const PoseView& out, Palm& palm) const;
  void Put(const Arm& arm, Vec3 goal, const PoseSpan& out) const;

  std::shared_ptr<const Rig> from_, to_;
  float scale_ = 1;   // of lengths off a bone
  float unit_m_ = 1;  // of `from`: the length of an arm, by that of a grown person
  std::array<Arm, kMostHands> arm_;
  int arms_ = 0;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_HAND_CONTACT_H_
