// Inverse kinematics of a chain of joints.
#ifndef POSEWIRE_LIBS_SKEL_CHAIN_IK_JOB_H_
#define POSEWIRE_LIBS_SKEL_CHAIN_IK_JOB_H_

#include "absl/status/status.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// Moves a point on `end` to the target by rotating the `chain` joints above `end`, all together as
// little as possible: damped least squares (Wampler 1986; Nakamura and Hanafusa 1986), with each
// step kept within the rig's limits.
//
// If the rig has stiffness values, rotations are weighted by them (the weighted pseudoinverse,
// Whitney 1969): a rotation about an axis of stiffness s costs 1 / (1 - s) times that of a free
// one, and axes of stiffness 1 do not rotate.
struct ChainIkJob {
  static constexpr int kMostChain = 24;

  const Rig* rig = nullptr;
  int end = -1;
  Vec3 offset = {};  // of the point, in the end joint's space
  int chain = 3;
  int lowest = -1;   // the first of the rotating joints, above `end`; -1: the parent of `end`
  Vec3 target = {};  // in model space
  int most_steps = 12;
  bool within_limits = true;
  PoseSpan pose = {};  // read and written

  // INVALID_ARGUMENT: no rig, a size other than the rig's, no such joint, a chain outside
  // 1..kMostChain, a lowest joint that is not above the end.
  absl::Status Validate() const;
  // Returns false and writes nothing unless Validate() is OK. If `chain` exceeds the number of
  // joints above `end`, all of them are used. No allocation; any thread.
  bool Run() const;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_CHAIN_IK_JOB_H_
