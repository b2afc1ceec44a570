// Random rigs and poses for the tests of libs/skel.
#ifndef POSEWIRE_TESTS_UNIT_SKEL_RANDOM_POSE_H_
#define POSEWIRE_TESTS_UNIT_SKEL_RANDOM_POSE_H_

#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

class RandomPoses {
 public:
  explicit RandomPoses(unsigned seed) : rng_(seed) {}

  float Number(float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(rng_);
  }
  int Below(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }
  Vec3 Vector(float size = 1) {
    return {Number(-size, size), Number(-size, size), Number(-size, size)};
  }
  Quat Rotation() {
    std::normal_distribution<float> n;
    return Normalized(Quat{n(rng_), n(rng_), n(rng_), n(rng_)});
  }
  // Each element is present with probability `presence`.
  Pose Of(int joints, int shapes, float presence = 1) {
    Pose pose(joints, shapes);
    const auto present = [&] { return Number(0, 1) < presence; };
    for (int j = 0; j < joints; ++j) {
      if (present()) pose.span().SetTranslation(j, Vector());
      if (present()) pose.span().SetRotation(j, Rotation());
      if (present()) pose.span().SetScale(j, Vec3{1, 1, 1} + Vector(0.5f));
    }
    for (int s = 0; s < shapes; ++s) {
      if (present()) pose.span().SetWeight(s, Number(-0.2f, 1.2f));
    }
    return pose;
  }
  // A tree in which every joint hangs on a random earlier one.
  std::shared_ptr<const Rig> Tree(int joints, int shapes) {
    RigParts parts;
    parts.name = "tree";
    for (int j = 0; j < joints; ++j) {
      const std::string leaf = absl::StrCat("j", j);
      parts.joint_paths.push_back(
          j == 0 ? leaf
                 : absl::StrCat(parts.joint_paths[static_cast<size_t>(Below(j))], "/", leaf));
      parts.rest_translations.push_back(Vector());
      parts.rest_rotations.push_back(Rotation());
    }
    for (int s = 0; s < shapes; ++s) parts.shapes.push_back(absl::StrCat("s", s));
    return *Rig::Make(std::move(parts));
  }

 private:
  std::mt19937 rng_;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_TESTS_UNIT_SKEL_RANDOM_POSE_H_
