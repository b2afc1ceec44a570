// Forward kinematics for tests, written as plainly as possible.
#ifndef POSEWIRE_TESTS_UNIT_GESTURE_FORWARD_H_
#define POSEWIRE_TESTS_UNIT_GESTURE_FORWARD_H_

#include <string>
#include <vector>

#include "libs/skel/math.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::gesture {

inline constexpr float kDegrees = 57.29577951f;

struct Forward {
  const skel::Rig* rig;
  std::vector<skel::Vec3> at;
  std::vector<skel::Quat> turn;

  // Elements that `pose` lacks come from `base`.
  Forward(const skel::Rig& r, const skel::PoseView& pose, const skel::PoseView& base)
      : rig(&r), at(static_cast<size_t>(r.joints())), turn(at.size()) {
    for (int j = 0; j < r.joints(); ++j) {
      const auto i = static_cast<size_t>(j);
      const skel::Vec3 t = pose.has_t[j] ? pose.translation(j) : base.translation(j);
      const skel::Quat q = pose.has_r[j] ? pose.rotation(j) : base.rotation(j);
      const int p = r.topology().parent(j);
      if (p < 0) {
        at[i] = t, turn[i] = q;
      } else {
        const auto k = static_cast<size_t>(p);
        at[i] = at[k] + Rotate(turn[k], t);
        turn[i] = Mul(turn[k], q);
      }
    }
  }
  size_t index(const std::string& joint) const {
    return static_cast<size_t>(rig->FindJoint(joint));
  }
  skel::Vec3 place(const std::string& joint) const { return at[index(joint)]; }
  // A direction of the joint's own space, in humanoid space.
  skel::Vec3 Direction(const std::string& joint, skel::Vec3 v) const {
    return Rotate(turn[index(joint)], v);
  }
};

}  // namespace posewire::gesture

#endif  // POSEWIRE_TESTS_UNIT_GESTURE_FORWARD_H_
