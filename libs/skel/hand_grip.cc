#include "libs/skel/hand_grip.h"

#include <algorithm>
#include <cmath>

#include "libs/skel/humanoid.h"

namespace posewire::skel {
namespace {

// For a hand whose knuckles are 0.09 m from its wrist: the middle of an object in a closed fist.
constexpr float kKnuckles_m = 0.09f, kForward_m = 0.085f, kPalm_m = 0.035f;
// Angles of knuckles, middle and last finger joints around a glass of 7 cm, and of the opposing
// thumb.
constexpr std::array<float, 3> kFinger = {42 * kDeg, 48 * kDeg, 30 * kDeg};
constexpr std::array<float, 3> kThumb = {10 * kDeg, 18 * kDeg, 22 * kDeg};

HumanBone BoneOf(int side, HumanBone left, int finger, int joint) {
  using enum HumanBone;
  const int apart = static_cast<int>(kRightThumbProximal) - static_cast<int>(kLeftThumbProximal);
  return static_cast<HumanBone>(static_cast<int>(left) + 3 * finger + joint + side * apart);
}

Quat FrameOf(Vec3 thumb, Vec3 fingers) {
  const Vec3 z = Normalized(fingers);
  const Vec3 x = Normalized(Cross(thumb, z));
  const Vec3 y = Cross(z, x);
  // Returns the rotation of the matrix with these columns (Shepperd 1978).
  const float trace = x.x + y.y + z.z;
  Quat q;
  if (trace > 0) {
    q = {1 + trace, y.z - z.y, z.x - x.z, x.y - y.x};
  } else if (x.x > y.y && x.x > z.z) {
    q = {y.z - z.y, 1 + x.x - y.y - z.z, x.y + y.x, z.x + x.z};
  } else if (y.y > z.z) {
    q = {z.x - x.z, x.y + y.x, 1 + y.y - x.x - z.z, y.z + z.y};
  } else {
    q = {x.y - y.x, z.x + x.z, y.z + z.y, 1 + z.z - x.x - y.y};
  }
  return Normalized(q);
}

}  // namespace

HandGrip GripOf(const Rig& rig, int side) {
  using enum HumanBone;
  const Humanoid& bones = rig.humanoid();
  HandGrip grip;
  grip.side = side;
  grip.wrist = bones.joint(side == 0 ? kLeftHand : kRightHand);
  const int elbow = bones.joint(side == 0 ? kLeftLowerArm : kRightLowerArm);
  if (grip.wrist < 0 || elbow < 0) {
    grip.wrist = -1;
    return grip;
  }
  const auto at = [&](int joint) { return PlaceOf(rig, rig.rest(), joint).at; };
  const Placement wrist = PlaceOf(rig, rig.rest(), grip.wrist);
  const auto finger = [&](int number, int joint) {
    return bones.joint(BoneOf(side, kLeftThumbProximal, number, joint));
  };
  const int index = finger(1, 0), middle = finger(2, 0), little = finger(4, 0);
  Vec3 ahead = wrist.at - at(elbow), thumb{0, 0, 1};
  float size = 1;
  if (middle >= 0 && Length(at(middle) - wrist.at) > 1e-3f) {
    ahead = at(middle) - wrist.at;
    size = std::clamp(Length(ahead) / kKnuckles_m, 0.2f, 5.0f);
  }
  if (index >= 0 && little >= 0) thumb = at(index) - at(little);
  // A thumb direction parallel to the fingers is invalid.
  for (const Vec3 other : {Vec3{0, 0, 1}, Vec3{0, 1, 0}}) {
    if (Length(Cross(Normalized(thumb), Normalized(ahead))) < 0.1f) thumb = other;
  }
  const Quat frame = FrameOf(thumb, ahead);
  const Vec3 palm = Rotate(frame, {side == 0 ? -1.0f : 1.0f, 0, 0});
  const Vec3 hold = wrist.at + Normalized(ahead) * (kForward_m * size) + palm * (kPalm_m * size);
  grip.in_wrist = Inverse(wrist) * Placement{hold, frame};

  // Fingers close from their direction towards the palm, about the thumb's side.
  const Vec3 close = Rotate(frame, {0, side == 0 ? -1.0f : 1.0f, 0});
  for (int f = 0; f < 5; ++f) {
    for (int j = 0; j < 3; ++j) {
      const int joint = finger(f, j);
      if (joint < 0) continue;
      // The thumb moves across the palm, about the fingers' direction, and together with them.
      const Vec3 axis =
          f == 0 ? Normalized(Rotate(frame, {0, 0, side == 0 ? 1.0f : -1.0f}) + close * 0.6f)
                 : close;
      auto& of = grip.fingers[static_cast<size_t>(grip.finger_count++)];
      of.joint = joint;
      of.axis = Rotate(Conjugate(PlaceOf(rig, rig.rest(), joint).turn), axis);
      of.closed = (f == 0 ? kThumb : kFinger)[static_cast<size_t>(j)];
    }
  }
  return grip;
}

Placement PlaceOfGrip(const Rig& rig, const PoseView& pose, const HandGrip& grip) {
  return PlaceOf(rig, pose, grip.wrist) * grip.in_wrist;
}

void CloseFingers(const Rig& rig, const HandGrip& grip, float closed, const PoseSpan& pose) {
  if (closed <= 0) return;
  for (int i = 0; i < grip.finger_count; ++i) {
    const HandGrip::Finger& finger = grip.fingers[static_cast<size_t>(i)];
    const Quat rest = rig.rest().rotation(finger.joint);
    const Quat now = pose.has_r[finger.joint] ? pose.rotation(finger.joint) : rest;
    const Quat held = Mul(rest, FromAxisAngle(finger.axis, finger.closed));
    pose.SetRotation(finger.joint, Normalized(Slerp(now, held, std::min(closed, 1.0f))));
  }
}

}  // namespace posewire::skel
