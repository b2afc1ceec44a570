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

// What a palm may touch, of a person with arms of kArm_m from the shoulder to the wrist: how far
// from the bone's axis it is when it does, and from where on it does not. Flesh and half a palm:
// Winter, Biomechanics and Motor Control of Human Movement, and a tape measure. A thigh counts
// towards the knee alone, for hands hang beside the rest of it.
constexpr float kArm_m = 0.53f;
constexpr struct {
  HumanBone bone, end;
  float near_m, far_m, counts_from;
} kTouched[] = {
    {HumanBone::kHead, HumanBone::kHeadTip, 0.15f, 0.24f, 0},
    {HumanBone::kHips, HumanBone::kHead, 0.2f, 0.26f, 0},
    {HumanBone::kLeftUpperLeg, HumanBone::kLeftLowerLeg, 0.11f, 0.18f, 0.55f},
    {HumanBone::kRightUpperLeg, HumanBone::kRightLowerLeg, 0.11f, 0.18f, 0.55f},
};
// The other arm, up to where its hand begins.
constexpr float kArmNear_m = 0.08f, kArmFar_m = 0.14f, kCountsTo = 0.8f;
// Hands that lie on arms which move themselves settle in so many rounds.
constexpr int kRounds = 8;
// The other palm.
constexpr float kPalmNear_m = 0.1f, kPalmFar_m = 0.22f;
// A head without a tip, and the way to the knuckles of a hand without fingers, by the arm.
constexpr float kHeadLength = 0.3f, kHandLength = 0.17f;
// Of the way to the knuckles is the palm's middle.
constexpr float kPalm = 0.7f;
// Over so much of a bone its touch begins to count.
constexpr float kBegins = 0.15f;
constexpr float kLeast_m = 1e-3f, kThere_m = 1e-4f;

Vec3 RestAt(const Rig& rig, int joint) { return PlaceOf(rig, rig.rest(), joint).at; }

// From a joint at rest to a place, in the joint's space.
Vec3 InJoint(const Rig& rig, int joint, Vec3 way) {
  return Rotate(Conjugate(TurnOf(rig, rig.rest(), joint)), way);
}

float ArmLength(const Rig& rig, const ArmBones& arm) {
  const auto at = [&](HumanBone bone) { return RestAt(rig, rig.humanoid().joint(bone)); };
  return Length(at(arm.lower) - at(arm.upper)) + Length(at(arm.hand) - at(arm.lower));
}

// The middle of the palm, in the hand's space.
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

// From the hips to between the shoulders.
float TrunkLength(const Rig& rig) {
  const Humanoid& human = rig.humanoid();
  const Vec3 shoulders = (RestAt(rig, human.joint(HumanBone::kLeftUpperArm)) +
                          RestAt(rig, human.joint(HumanBone::kRightUpperArm))) *
                         0.5f;
  return Length(shoulders - RestAt(rig, human.joint(HumanBone::kHips)));
}

// A bone in a pose.
struct BoneLine {
  Vec3 start, way;
};

BoneLine LineOf(const Rig& rig, const PoseView& pose, int joint, int end, Vec3 way) {
  const Placement start = PlaceOf(rig, pose, joint);
  return {start.at, end >= 0 ? PlaceOf(rig, pose, end).at - start.at : Rotate(start.turn, way)};
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
  scale_ = TrunkLength(*to_) / trunk_m;
  unit_m_ = ArmLength(*from_, kArms[0]) / kArm_m;
  for (const ArmBones& bones : kArms) {
    Arm& arm = arm_[static_cast<size_t>(arms_++)];
    arm.from_hand = from_->humanoid().joint(bones.hand);
    arm.upper = to_->humanoid().joint(bones.upper);
    arm.lower = to_->humanoid().joint(bones.lower);
    arm.hand = to_->humanoid().joint(bones.hand);
    arm.hinge = HingeOf(*to_, arm.upper, arm.lower, arm.hand);
    arm.from_palm = PalmOf(*from_, bones);
    arm.to_palm = PalmOf(*to_, bones);
    FindBones(bones.hand == HumanBone::kLeftHand, arm);
  }
}

void HandContact::FindBones(bool left, Arm& arm) const {
  const auto add = [&](HumanBone bone, HumanBone end, float near_m, float far_m, float counts) {
    Bone found;
    found.from = from_->humanoid().joint(bone), found.to = to_->humanoid().joint(bone);
    found.from_end = from_->humanoid().joint(end), found.to_end = to_->humanoid().joint(end);
    if (found.from < 0 || found.to < 0) return;
    if (found.from_end < 0 || found.to_end < 0) {
      if (bone != HumanBone::kHead) return;
      const auto up = [&](const Rig& rig, int joint) {
        return InJoint(rig, joint, {0, kHeadLength * ArmLength(rig, kArms[0]), 0});
      };
      found.from_end = found.to_end = -1;
      found.from_way = up(*from_, found.from), found.to_way = up(*to_, found.to);
    }
    found.near_m = near_m * unit_m_, found.far_m = far_m * unit_m_;
    found.counts_from = counts;
    found.arm = bone == kArms[left ? 1 : 0].upper || bone == kArms[left ? 1 : 0].lower;
    if (bone == kArms[left ? 1 : 0].lower) found.counts_to = kCountsTo;
    arm.bones.push_back(found);
  };
  for (const auto& t : kTouched) add(t.bone, t.end, t.near_m, t.far_m, t.counts_from);
  const ArmBones& other = kArms[left ? 1 : 0];
  add(other.upper, other.lower, kArmNear_m, kArmFar_m, 0);
  add(other.lower, other.hand, kArmNear_m, kArmFar_m, 0);
}

// Where what the palm is near to wants it.
void HandContact::Draw(const Arm& arm, const PoseView& in, const PoseView& out, Palm& palm) const {
  Vec3 sum;
  float all = 0, most = 0;
  for (const Bone& bone : arm.bones) {
    const BoneLine was = LineOf(*from_, in, bone.from, bone.from_end, bone.from_way);
    const float squared = Dot(was.way, was.way);
    if (!(squared > kLeast_m * kLeast_m)) continue;
    const float along = Dot(palm.from - was.start, was.way) / squared;
    const float on = std::clamp(along, 0.0f, 1.0f);
    const Vec3 off = palm.from - (was.start + was.way * on);
    float touches = 1 - Smoothstep((Length(off) - bone.near_m) / (bone.far_m - bone.near_m));
    if (bone.counts_from > 0) touches *= Smoothstep((along - bone.counts_from) / kBegins);
    if (bone.counts_to < 1) touches *= 1 - Smoothstep((along - bone.counts_to) / kBegins);
    if (!(touches > 0)) continue;
    if (bone.arm) palm.on_arm = std::max(palm.on_arm, touches);
    const BoneLine is = LineOf(*to_, out, bone.to, bone.to_end, bone.to_way);
    // What it lies on says more than what it is beside.
    const float share = bone.near_m / std::max(Length(off), kLeast_m);
    const float weight = touches * share * share * share * share;
    sum = sum + (is.start + is.way * on + off * scale_) * weight;
    all += weight;
    most = std::max(most, touches);
  }
  palm.goal = palm.is;
  if (all > 0) palm.goal = palm.is + (sum * (1 / all) - palm.is) * most;
}

void HandContact::Apply(const PoseView& in, const PoseSpan& out) const {
  if (arms_ == 0 || in.joints != from_->joints() || out.joints != to_->joints()) return;
  std::array<Palm, kMostHands> palms;
  int givers = 0;
  for (size_t i = 0; i < palms.size(); ++i) {
    const Arm& arm = arm_[i];
    Palm& palm = palms[i];
    palm.moves = out.has_r[arm.upper] && out.has_r[arm.lower] && out.has_r[arm.hand];
    palm.from = PlaceOf(*from_, in, arm.from_hand, arm.from_palm).at;
    palm.is = palm.goal = PlaceOf(*to_, out, arm.hand, arm.to_palm).at;
    givers += palm.moves ? 1 : 0;
  }
  const Vec3 apart = palms[1].from - palms[0].from;
  const float near =
      1 - Smoothstep((Length(apart) / unit_m_ - kPalmNear_m) / (kPalmFar_m - kPalmNear_m));
  bool settled = false;
  for (int round = 0; round < kRounds && !settled; ++round) {
    for (size_t i = 0; i < palms.size(); ++i) {
      if (!palms[i].moves) continue;
      Draw(arm_[i], in, out, palms[i]);
      if (palms[i].on_arm > 0) Put(arm_[i], palms[i].goal, out);
    }
    const float on_arm = std::max(palms[0].on_arm, palms[1].on_arm);
    // Each gives half of what they are off each other, or the one that moves all.
    if (const float meet = near * (1 - on_arm); meet > 0 && givers > 0) {
      const Vec3 lacks = apart * scale_ - (palms[1].goal - palms[0].goal);
      const Vec3 share = lacks * (meet / static_cast<float>(givers));
      if (palms[0].moves) palms[0].goal = palms[0].goal - share;
      if (palms[1].moves) palms[1].goal = palms[1].goal + share;
    }
    for (size_t i = 0; i < palms.size(); ++i) {
      if (palms[i].moves) Put(arm_[i], palms[i].goal, out);
    }
    settled = on_arm == 0;
  }
}

void HandContact::Put(const Arm& arm, Vec3 goal, const PoseSpan& out) const {
  const Vec3 way = goal - PlaceOf(*to_, out, arm.hand, arm.to_palm).at;
  if (!(Length(way) > kThere_m)) return;
  TwoBoneIkJob job;
  job.rig = to_.get();
  job.start = arm.upper, job.middle = arm.lower, job.end = arm.hand;
  job.hinge = arm.hinge;
  job.target = PlaceOf(*to_, out, arm.hand).at + way;
  job.soft = 0.001f;
  job.keep_end = true;
  job.pose = out;
  job.Run();
}

}  // namespace posewire::skel
