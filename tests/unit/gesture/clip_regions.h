// Which parts of the body a clip carries, by its presence.
#ifndef POSEWIRE_TESTS_UNIT_GESTURE_CLIP_REGIONS_H_
#define POSEWIRE_TESTS_UNIT_GESTURE_CLIP_REGIONS_H_

#include <algorithm>
#include <vector>

#include "libs/clip/clip.h"
#include "libs/gesture/body.h"

namespace posewire::gesture {

struct ClipRegions {
  bool face = false;  // shapes
  bool head = false;  // neck and head
  bool torso = false;
  bool left_arm = false, right_arm = false;  // clavicle to fingers
  bool legs = false;                         // with the pelvis
};

inline ClipRegions RegionsOf(const clip::Clip& clip) {
  ClipRegions regions;
  if (clip.frames() == 0) return regions;
  const absl::StatusOr<Body> body = Body::Make(*clip.rig());
  if (!body.ok()) return regions;
  const skel::PoseView pose = clip.frame(0);
  const auto has = [&](int joint) { return pose.has_t[joint] != 0 || pose.has_r[joint] != 0; };
  const auto any = [&](const std::vector<int>& joints) {
    return std::any_of(joints.begin(), joints.end(), has);
  };
  regions.face = std::any_of(pose.has_w, pose.has_w + pose.shapes, [](auto w) { return w != 0; });
  regions.head = any(body->neck) || has(body->head);
  regions.torso = any(body->lumbar) || any(body->thorax);
  const auto arm = [&](const ArmJoints& a) { return has(a.clavicle) || has(a.shoulder); };
  regions.left_arm = arm(body->arm(Side::kLeft));
  regions.right_arm = arm(body->arm(Side::kRight));
  regions.legs = has(body->root) || has(body->legs[0].hip);
  return regions;
}

}  // namespace posewire::gesture

#endif  // POSEWIRE_TESTS_UNIT_GESTURE_CLIP_REGIONS_H_
