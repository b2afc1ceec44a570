// Poses of the standard rig for what is timed.
#ifndef POSEWIRE_TESTS_BENCH_MICRO_POSES_H_
#define POSEWIRE_TESTS_BENCH_MICRO_POSES_H_

#include <cmath>
#include <memory>
#include <random>

#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::bench {

// The standard rig: 94 joints and 52 shapes.
inline std::shared_ptr<const skel::Rig> StandardRig() {
  return *skel::RigCatalog::Builtin()->Find("hanim_loa3");
}

// Every joint and shape, moving smoothly with `t_s` in a way of its own for each `seed`.
inline void WriteMovingPose(const skel::Rig& rig, unsigned seed, double t_s,
                            const skel::PoseSpan& out) {
  std::minstd_rand rng(seed + 1);
  std::uniform_real_distribution<float> real(-1, 1);
  for (int j = 0; j < rig.joints(); ++j) {
    const skel::Vec3 axis = skel::Normalized(skel::Vec3{real(rng), real(rng), real(rng) + 1.5f});
    const float rate = 2 + real(rng);
    const auto angle = 0.4f * static_cast<float>(std::sin(rate * t_s + real(rng)));
    out.SetTranslation(j, rig.rest().translation(j));
    out.SetRotation(j, skel::FromAxisAngle(axis, angle));
    out.SetScale(j, {1, 1, 1});
  }
  for (int s = 0; s < rig.shapes(); ++s) {
    const float rate = 3 + real(rng);
    out.SetWeight(s, 0.4f + 0.3f * static_cast<float>(std::sin(rate * t_s)));
  }
}

inline skel::Pose MovingPose(const skel::Rig& rig, unsigned seed, double t_s) {
  skel::Pose pose(rig.joints(), rig.shapes());
  WriteMovingPose(rig, seed, t_s, pose.span());
  return pose;
}

}  // namespace posewire::bench

#endif  // POSEWIRE_TESTS_BENCH_MICRO_POSES_H_
