// Inverse kinematics of a limb: hip-knee-ankle, shoulder-elbow-wrist.
#ifndef POSEWIRE_LIBS_SKEL_TWO_BONE_IK_JOB_H_
#define POSEWIRE_LIBS_SKEL_TWO_BONE_IK_JOB_H_

#include <optional>

#include "absl/status/status.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// Bends `middle` about its hinge until a point on `end` is as far from `start` as the target is,
// and rotates `start` by the smallest rotation until that point reaches the target. The limb never
// bends through straight to the other side. There may be other joints between the three.
//
// Law of cosines for any pose of the limb: with u from start to middle and w from there to the
// point, |u + R(a) w|^2 = target^2 has two roots in the hinge's angle a; the one on the hinge's
// positive side of straight is used.
struct TwoBoneIkJob {
  const Rig* rig = nullptr;
  int start = -1, middle = -1, end = -1;
  Vec3 offset = {};  // of the point, in the end joint's space
  Vec3 target = {};  // in model space
  // Positive rotations about this axis bend the limb. In the space of `middle`'s parent, of unit
  // length. See HingeOf.
  Vec3 hinge = {};
  // Point towards which `middle` is rotated, about the line from start to target; none: it stays in
  // its plane.
  std::optional<Vec3> pole = {};
  // The limb straightens softly within this fraction of its length, so that it does not snap.
  float soft = 0.01f;
  // The end joint keeps its rotation in model space (a standing foot).
  bool keep_end = false;
  PoseSpan pose = {};  // read and written; absent joints are at rest

  // INVALID_ARGUMENT: no rig, a size other than the rig's, joints that are not ancestors of each
  // other, a hinge of zero length.
  absl::Status Validate() const;
  // Returns false and writes nothing unless Validate() is OK. No allocation; any thread.
  bool Run() const;
};

// Returns the axis about which positive rotations bend an elbow or knee: the direction that its
// limits allow more; else the direction in which it is bent at rest; else elbows bend to the front,
// and joints below a hip to the back. Does not allocate; too slow for every frame.
Vec3 HingeOf(const Rig& rig, int start, int middle, int end);

// The rotations that move a limb's point to a target, in the space of the vectors: first everything
// below the middle joint about the hinge, then the whole limb by `swing`.
struct LimbTurn {
  Quat bend, swing;
};
// `upper` goes from start to middle, `lower` from there to the point, and `line` from start to the
// target; `axis` is the hinge, of unit length. The computation of TwoBoneIkJob; pure.
LimbTurn TurnLimb(Vec3 upper, Vec3 lower, Vec3 axis, Vec3 line, float soft);

// Returns whether `above` is `joint` or an ancestor of it.
bool IsAbove(const Rig& rig, int above, int joint);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_TWO_BONE_IK_JOB_H_
