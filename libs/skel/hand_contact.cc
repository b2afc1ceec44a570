#include "libs/skel/hand_contact.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "libs/skel/humanoid.h"
#include "libs/skel/model_place.h"
#include "libs/skel/two_bone_ik_job.h"

namespace posewire::skel {
namespace {

struct ArmBones {
  HumanBone upper, lower, hand, knuckle;
};
constexpr ArmBones kArms[] = {
    {HumanBone::kLeftUpperArm, HumanBone::kLeftLowerArm, HumanBone::kLeftHand,
     HumanBone::kLeftMiddleProximal},
    {HumanBone::kRightUpperArm, HumanBone::kRightLowerArm, HumanBone::kRightHand,
     HumanBone::kRightMiddleProximal},
};

// Contact distances for a person with arms of kArm_m from the shoulder to the wrist: distance of
// the palm from the bone's axis at contact, and the distance from which on there is no contact.
// They are flesh plus half a palm, from Winter, Biomechanics and Motor Control of Human Movement,
// and measurements. Only the part of a thigh near the knee counts, because hands hang next to the
// rest of it.
constexpr float kArm_m = 0.53f;
constexpr struct {
  HandTouch::Part part;
  HumanBone bone, end;
  float near_m, far_m, counts_from;
} kTouched[] = {
    {HandTouch::kHead, HumanBone::kHead, HumanBone::kHeadTip, 0.15f, 0.24f, 0},
    {HandTouch::kTrunk, HumanBone::kHips, HumanBone::kHead, 0.2f, 0.26f, 0},
    {HandTouch::kLeftThigh, HumanBone::kLeftUpperLeg, HumanBone::kLeftLowerLeg, 0.11f, 0.18f,
     0.55f},
    {HandTouch::kRightThigh, HumanBone::kRightUpperLeg, HumanBone::kRightLowerLeg, 0.11f, 0.18f,
     0.55f},
};
// Length of a head without a tip, and of the way to the knuckles of a hand without fingers, as
// fractions of the arm.
constexpr float kHeadLength = 0.3f, kHandLength = 0.17f;
// Position of the palm's middle as a fraction of the way to the knuckles.
constexpr float kPalm = 0.7f;
constexpr float kLeast_m = 1e-3f;

Vec3 RestAt(const Rig& rig, int joint) { return PlaceOf(rig, rig.rest(), joint).at; }

// Converts a vector at rest to the joint's space.
Vec3 InJoint(const Rig& rig, int joint, Vec3 way) {
  return Rotate(Conjugate(TurnOf(rig, rig.rest(), joint)), way);
}

float ArmLength(const Rig& rig, const ArmBones& arm) {
  const auto at = [&](HumanBone bone) { return RestAt(rig, rig.humanoid().joint(bone)); };
  return Length(at(arm.lower) - at(arm.upper)) + Length(at(arm.hand) - at(arm.lower));
}

// Returns the middle of the palm, in the hand's space.
Vec3 PalmOf(const Rig& rig, const ArmBones& arm) {
  const int hand = rig.humanoid().joint(arm.hand), knuckle = rig.humanoid().joint(arm.knuckle);
  const Vec3 wrist = RestAt(rig, hand);
  Vec3 way = knuckle < 0 ? Vec3{} : RestAt(rig, knuckle) - wrist;
  if (!(Length(way) > kLeast_m)) {
    const Vec3 forearm = wrist - RestAt(rig, rig.humanoid().joint(arm.lower));
    way = Normalized(forearm) * (kHandLength * ArmLength(rig, arm));
  }
  return InJoint(rig, hand, way * kPalm);
}

bool HasArm(const Rig& rig, const ArmBones& arm) {
  const Humanoid& human = rig.humanoid();
  const int upper = human.joint(arm.upper), lower = human.joint(arm.lower),
            hand = human.joint(arm.hand);
  return upper >= 0 && lower >= 0 && hand >= 0 && upper != lower && lower != hand &&
         IsAbove(rig, upper, lower) && IsAbove(rig, lower, hand) && ArmLength(rig, arm) > kLeast_m;
}

// Returns the distance from the hips to the middle between the shoulders.
float TrunkLength(const Rig& rig) {
  const Humanoid& human = rig.humanoid();
  const Vec3 shoulders = (RestAt(rig, human.joint(HumanBone::kLeftUpperArm)) +
                          RestAt(rig, human.joint(HumanBone::kRightUpperArm))) *
                         0.5f;
  return Length(shoulders - RestAt(rig, human.joint(HumanBone::kHips)));
}

HandTouch::Line LineOf(const Rig& rig, const PoseView& pose, int joint, int end, Vec3 way) {
  const Placement start = PlaceOf(rig, pose, joint);
  return {
      start.at, end >= 0 ? PlaceOf(rig, pose, end).at - start.at : Rotate(start.turn, way), {}, {}};
}

}  // namespace

HandContact::HandContact(const RigMap& map) : from_(map.from()), to_(map.to()) {
  if (from_ == to_ || from_->humanoid().joint(HumanBone::kHips) < 0 ||
      to_->humanoid().joint(HumanBone::kHips) < 0) {
    return;
  }
  for (const Rig* rig : {from_.get(), to_.get()}) {
    for (const ArmBones& arm : kArms) {
      if (!HasArm(*rig, arm)) return;
    }
  }
  const float trunk_m = TrunkLength(*from_);
  if (!(trunk_m > kLeast_m)) return;
  whole_ = true;
  touch_.scale = TrunkLength(*to_) / trunk_m;
  const float unit = ArmLength(*from_, kArms[0]) / kArm_m;
  for (float* length :
       {&touch_.arm_near_m, &touch_.arm_far_m, &touch_.palm_near_m, &touch_.palm_far_m}) {
    *length *= unit;
  }
  for (const bool there : {false, true}) {
    const Rig& rig = there ? *to_ : *from_;
    for (size_t h = 0; h < HandTouch::kHands; ++h) {
      Arm& arm = there ? to_arms_[h] : from_arms_[h];
      arm.upper = rig.humanoid().joint(kArms[h].upper);
      arm.lower = rig.humanoid().joint(kArms[h].lower);
      arm.hand = rig.humanoid().joint(kArms[h].hand);
      arm.hinge = HingeOf(rig, arm.upper, arm.lower, arm.hand);
      arm.palm = PalmOf(rig, kArms[h]);
    }
  }
  FindBones(unit);
}

void HandContact::FindBones(float unit) {
  for (const auto& touched : kTouched) {
    Bone& found = bones_[touched.part];
    found.from = from_->humanoid().joint(touched.bone);
    found.to = to_->humanoid().joint(touched.bone);
    found.from_end = from_->humanoid().joint(touched.end);
    found.to_end = to_->humanoid().joint(touched.end);
    if (found.from < 0 || found.to < 0) continue;
    if (found.from_end < 0 || found.to_end < 0) {
      if (touched.bone != HumanBone::kHead) continue;
      const auto up = [&](const Rig& rig, int joint) {
        return InJoint(rig, joint, {0, kHeadLength * ArmLength(rig, kArms[0]), 0});
      };
      found.from_end = found.to_end = -1;
      found.from_way = up(*from_, found.from), found.to_way = up(*to_, found.to);
    }
    HandTouch::Touched& part = touch_.parts[touched.part];
    part.known = true;
    part.near_m = touched.near_m * unit, part.far_m = touched.far_m * unit;
    part.counts_from = touched.counts_from;
  }
}

HandTouch::Arm HandContact::PlacesOf(const Rig& rig, const PoseView& pose, const Arm& arm) {
  HandTouch::Arm out;
  out.shoulder = PlaceOf(rig, pose, arm.upper).at;
  out.elbow = PlaceOf(rig, pose, arm.lower).at;
  out.wrist = PlaceOf(rig, pose, arm.hand).at;
  out.hinge = Rotate(TurnOf(rig, pose, rig.topology().parent(arm.lower)), arm.hinge);
  out.points[0] = PlaceOf(rig, pose, arm.hand, arm.palm).at;
  return out;
}

void HandContact::Apply(const PoseView& in, const PoseSpan& out) const {
  if (!whole_ || in.joints != from_->joints() || out.joints != to_->joints()) return;
  HandTouch::Body from, to;
  for (size_t p = 0; p < HandTouch::kParts; ++p) {
    if (!touch_.parts[p].known) continue;
    const Bone& bone = bones_[p];
    from.parts[p] = LineOf(*from_, in, bone.from, bone.from_end, bone.from_way);
    to.parts[p] = LineOf(*to_, out, bone.to, bone.to_end, bone.to_way);
  }
  for (size_t h = 0; h < HandTouch::kHands; ++h) {
    const Arm& arm = to_arms_[h];
    from.arms[h] = PlacesOf(*from_, in, from_arms_[h]);
    to.arms[h] = PlacesOf(*to_, out, arm);
    to.arms[h].moves = out.has_r[arm.upper] && out.has_r[arm.lower] && out.has_r[arm.hand];
  }
  std::array<HandTouch::Turn, HandTouch::kHands> turns;
  touch_.Run(from, to, turns);
  for (size_t h = 0; h < HandTouch::kHands; ++h) {
    const auto& [upper, lower] = turns[h];
    if (upper.w == 1 && lower.w == 1) continue;
    const Arm& arm = to_arms_[h];
    const Quat hand = TurnOf(*to_, out, arm.hand);
    TurnInModel(*to_, arm.upper, upper, out);
    TurnInModel(*to_, arm.lower, Mul(lower, Conjugate(upper)), out);
    const Quat above = TurnOf(*to_, out, to_->topology().parent(arm.hand));
    out.SetRotation(arm.hand, Normalized(Mul(Conjugate(above), hand)));
  }
}

}  // namespace posewire::skel
