#include "libs/graph/arm_life.h"

#include <cmath>

namespace posewire::graph {
namespace {

using skel::HumanBone;
using skel::kDeg;
using skel::Quat;
using skel::Vec3;

constexpr HumanBone kThumbs[2] = {HumanBone::kLeftThumbProximal, HumanBone::kRightThumbProximal};
constexpr HumanBone kMiddles[2] = {HumanBone::kLeftMiddleProximal, HumanBone::kRightMiddleProximal};
constexpr HumanBone kFingers[2][8] = {
    {HumanBone::kLeftIndexProximal, HumanBone::kLeftIndexIntermediate,
     HumanBone::kLeftMiddleProximal, HumanBone::kLeftMiddleIntermediate,
     HumanBone::kLeftRingProximal, HumanBone::kLeftRingIntermediate, HumanBone::kLeftLittleProximal,
     HumanBone::kLeftLittleIntermediate},
    {HumanBone::kRightIndexProximal, HumanBone::kRightIndexIntermediate,
     HumanBone::kRightMiddleProximal, HumanBone::kRightMiddleIntermediate,
     HumanBone::kRightRingProximal, HumanBone::kRightRingIntermediate,
     HumanBone::kRightLittleProximal, HumanBone::kRightLittleIntermediate}};

// Degrees at the extremes of a drift, and per unit of accent.
constexpr float kFront_deg = 1.8f, kSide_deg = 1.5f, kBend_deg = 2.8f, kTwist_deg = 6.5f,
                kFlex_deg = 6.5f, kCurl_deg = 9;
constexpr float kBendOfAccent_deg = 7, kTwistOfAccent_deg = 9, kFlexOfAccent_deg = -16;
constexpr float kArmRates[] = {0.4f, 0.55f, 0.7f, 0.9f};

// Returns a small rotation without trigonometry.
Quat Small(Vec3 v) {
  const Vec3 h = v * 0.5f;
  return {1 - 0.5f * Dot(h, h), h.x, h.y, h.z};
}

void Turn(int joint, Vec3 by, const skel::PoseSpan& pose) {
  if (joint < 0 || pose.has_r[joint] == 0) return;
  pose.SetRotation(joint, Normalized(Mul(skel::PoseView(pose).rotation(joint), Small(by))));
}

}  // namespace

ArmAxes::ArmAxes(const BodyParts& parts) {
  const auto bone = [&](HumanBone b) { return parts.rig->humanoid().joint(b); };
  const auto at = [&](int j) { return parts.rest_at[static_cast<size_t>(j)]; };
  const auto own = [&](int j, Vec3 v) {
    return Rotate(Conjugate(parts.rest_turn[static_cast<size_t>(j)]), Normalized(v));
  };
  for (size_t side = 0; side < 2; ++side) {
    Arm& arm = arms[side];
    arm.fingers.fill(-1);
    const BodyParts::Limb& limb = parts.arms[side];
    const int hand = limb.end, thumb = bone(kThumbs[side]), middle = bone(kMiddles[side]);
    if (!limb.complete() || thumb < 0 || middle < 0) continue;
    const Vec3 up = at(limb.middle) - at(limb.start), fore = at(hand) - at(limb.middle);
    const Vec3 fingers = Normalized(at(middle) - at(hand));
    const Vec3 out = at(thumb) - at(hand);
    const Vec3 thumbs = Normalized(out - fingers * Dot(out, fingers));
    // Left: fingers down, thumb to the front, palm to the right.
    const Vec3 palm = side == 0 ? Cross(fingers, thumbs) : Cross(thumbs, fingers);
    arm.upper = limb.start, arm.fore = limb.middle, arm.hand = hand;
    arm.front = own(arm.upper, Cross(up, thumbs));
    arm.side = own(arm.upper, Cross(up, palm * -1.0f));
    arm.bend = own(arm.fore, Cross(fore, thumbs));
    arm.twist = own(arm.hand, fore);
    arm.flex = own(arm.hand, Cross(fingers, palm));
    for (size_t f = 0; f < arm.fingers.size(); ++f) {
      const int joint = bone(kFingers[side][f]);
      arm.fingers[f] = joint;
      if (joint >= 0) arm.curl[f] = own(joint, Cross(fingers, palm));
    }
  }
}

void ArmLife::Step(const Random& rng, float dt_s) {
  if (!started_) {
    Random seed = rng;
    random_ = Random(seed.Next());
    for (auto& arm : drifts_) {
      for (size_t i = 0; i < kDrifts; ++i) arm[i] = Drift(kArmRates[i], random_);
    }
    started_ = true;
  }
  for (auto& arm : drifts_) {
    for (Drift& drift : arm) drift.Step(dt_s, random_);
  }
}

void ArmLife::Add(const ArmAxes& axes, size_t side, float amount, float accent,
                  const skel::PoseSpan& pose) const {
  const ArmAxes::Arm& arm = axes.arms[side];
  if (arm.hand < 0) return;
  const auto& d = drifts_[side];
  const float a = d[0].value(), b = d[1].value(), c = d[2].value(), e = d[3].value();
  const float unit = kDeg * amount;
  Turn(arm.upper, (arm.front * (kFront_deg * a) + arm.side * (kSide_deg * b)) * unit, pose);
  Turn(arm.fore, arm.bend * ((kBend_deg * c + kBendOfAccent_deg * accent) * unit), pose);
  Turn(arm.hand,
       (arm.twist * (kTwist_deg * b + kTwistOfAccent_deg * accent) +
        arm.flex * (kFlex_deg * a + kFlexOfAccent_deg * accent)) *
           unit,
       pose);
  // Interpolates the fingers from one drift to another.
  for (size_t f = 0; f < arm.fingers.size(); f += 2) {
    const float part = static_cast<float>(f) / 6;
    const float curl = kCurl_deg * (c + (e - c) * part) * unit;
    Turn(arm.fingers[f], arm.curl[f] * curl, pose);
    Turn(arm.fingers[f + 1], arm.curl[f + 1] * curl, pose);
  }
}

}  // namespace posewire::graph
