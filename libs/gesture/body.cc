#include "libs/gesture/body.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace posewire::gesture {
namespace {

using skel::Quat;
using skel::Vec3;

Vec3 Mirror(Vec3 v) { return {-v.x, v.y, v.z}; }

// Finds joints and remembers the first missing one.
struct Finder {
  const skel::Rig& rig;
  std::vector<Vec3> at;
  std::string missing;

  explicit Finder(const skel::Rig& r) : rig(r), at(static_cast<size_t>(r.joints())) {
    for (int j = 0; j < r.joints(); ++j) {
      const int p = r.topology().parent(j);
      const Vec3 t = r.rest().translation(j);
      at[static_cast<size_t>(j)] = p < 0 ? t : at[static_cast<size_t>(p)] + t;
    }
  }
  int operator()(const std::string& name) {
    const int j = rig.FindJoint(name);
    if (j < 0 && missing.empty()) missing = name;
    return j;
  }
  Vec3 place(int j) const { return j < 0 ? Vec3{} : at[static_cast<size_t>(j)]; }
};

float BendBetween(Vec3 a, Vec3 b) { return std::atan2(Length(Cross(a, b)), Dot(a, b)); }

ArmJoints FindArm(Finder& find, Side side) {
  const std::string p = side == Side::kLeft ? "l_" : "r_";
  ArmJoints a;
  a.clavicle = find(p + "sternoclavicular");
  a.acromion = find(p + "acromioclavicular");
  a.shoulder = find(p + "shoulder");
  a.elbow = find(p + "elbow");
  a.wrist = find(p + "wrist");
  static constexpr const char* kNames[] = {"index", "middle", "ring", "pinky"};
  for (size_t i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i + 1);
    a.thumb[i] = find(p + "thumb" + n);
    for (size_t f = 0; f < 4; ++f) a.fingers[f][i] = find(p + kNames[f] + n);
  }
  const auto place = [&](int j) {
    return side == Side::kLeft ? find.place(j) : Mirror(find.place(j));
  };
  a.clavicle_at = place(a.clavicle);
  a.acromion_at = place(a.acromion);
  a.shoulder_at = place(a.shoulder);
  const Vec3 upper = place(a.elbow) - place(a.shoulder);
  const Vec3 fore = place(a.wrist) - place(a.elbow);
  a.upper_m = Length(upper);
  a.fore_m = Length(fore);
  a.upper = Normalized(upper);
  a.fore = Normalized(fore);
  a.rest_flex = BendBetween(a.upper, a.fore);
  const Vec3 bend = Cross(a.upper, a.fore);
  a.hinge = Length(bend) > 1e-3f && bend.x < 0 ? Normalized(bend) : Vec3{-1, 0, 0};
  const Vec3 minus_x{-1, 0, 0};
  a.deviate_axis = Normalized(minus_x - a.fore * Dot(minus_x, a.fore));
  a.flex_axis = Cross(a.deviate_axis, a.fore);
  if (a.flex_axis.z > 0) a.flex_axis = a.flex_axis * -1.0f;
  return a;
}

LegJoints FindLeg(Finder& find, Side side) {
  const std::string p = side == Side::kLeft ? "l_" : "r_";
  LegJoints g;
  g.hip = find(p + "hip");
  g.knee = find(p + "knee");
  g.ankle = find(p + "ankle");
  g.toes = find(p + "metatarsal");
  g.hip_at = find.place(g.hip);
  g.ankle_at = find.place(g.ankle);
  g.ball_at = find.place(g.toes);
  const Vec3 thigh = find.place(g.knee) - g.hip_at;
  const Vec3 calf = g.ankle_at - find.place(g.knee);
  g.thigh_m = Length(thigh);
  g.calf_m = Length(calf);
  g.thigh = Normalized(thigh);
  g.calf = Normalized(calf);
  g.rest_flex = BendBetween(g.thigh, g.calf);
  const Vec3 bend = Cross(g.thigh, g.calf);
  g.hinge = Length(bend) > 1e-3f ? Normalized(bend) : Vec3{1, 0, 0};
  g.longest_m = std::min(Length(g.ankle_at - g.hip_at), (g.thigh_m + g.calf_m) * 0.999f);
  return g;
}

// Returns the rotation from the frame (x0, y0) to (x1, y1). Each pair must be of unit length and
// orthogonal.
Quat BetweenFrames(Vec3 x0, Vec3 y0, Vec3 x1, Vec3 y1) {
  const Quat first = skel::BetweenDirections(x0, x1);
  const Vec3 y = Rotate(first, y0);
  const float angle = std::atan2(Dot(Cross(y, y1), x1), Dot(y, y1));
  return Normalized(Mul(skel::FromAxisAngle(x1, angle), first));
}

Vec3 Perpendicular(Vec3 v, Vec3 to) {
  const Vec3 p = v - to * Dot(v, to);
  return Length(p) > 1e-6f ? Normalized(p) : Vec3{0, 0, 0};
}

Quat MirrorTurn(Side side, Quat q) { return side == Side::kLeft ? q : Quat{q.w, q.x, -q.y, -q.z}; }

constexpr float Rad(float deg) { return deg * skel::kDeg; }

// The clavicle and the scapula share the rotation.
Quat ClavicleTurn(float up, float front) { return skel::Exp({0, -front * 0.7f, up * 0.7f}); }
Quat AcromionTurn(float up, float front) { return skel::Exp({0, -front * 0.3f, up * 0.3f}); }

Quat ShoulderTurn(const ArmAngles& a) {
  return skel::Exp({a[kShoulderX], a[kShoulderY], a[kShoulderZ]});
}

// The elbow's share of the forearm's twist; the wrist has the rest.
constexpr float kElbowTwist = 0.55f;

// The end of a leg, and how far the heel is raised.
struct Stand {
  Vec3 ankle;
  Quat foot, toes;  // the toes stay flat
};

// The weight on a foot decreases as the pelvis moves to the other foot. When little is left, it is
// on the ball of the foot. The limits are fractions of half the width of the stance.
Stand StandOf(const LegJoints& leg, Vec3 shift, const FootMove& foot) {
  constexpr float kFrom = 0.2f, kTo = 0.75f, kMostHeel = 0.22f;
  const float half = std::max(std::fabs(leg.ankle_at.x), 0.05f);
  const float away = (leg.ankle_at.x > 0 ? -shift.x : shift.x) / half;
  const float t = std::clamp((away - kFrom) / (kTo - kFrom), 0.0f, 1.0f);
  const float heel = kMostHeel * t * t * (3 - 2 * t) + foot.heel;
  if (heel == 0 && foot.toe_out == 0) return {leg.ankle_at + foot.by, {}, {}};
  const Quat up = skel::FromAxisAngle({1, 0, 0}, heel);
  const Quat out = skel::FromAxisAngle({0, leg.ankle_at.x > 0 ? 1.0f : -1.0f, 0}, foot.toe_out);
  const Quat turn = Mul(out, up);
  return {leg.ball_at + foot.by + Rotate(turn, leg.ankle_at - leg.ball_at), turn, Conjugate(up)};
}

}  // namespace

absl::StatusOr<Body> Body::Make(const skel::Rig& rig) {
  if (rig.stance() != skel::Stance::kArmsDown) {
    return absl::InvalidArgumentError(
        absl::StrCat("rig '", rig.name(), "': its rest stance must have the arms down"));
  }
  for (int j = 0; j < rig.joints(); ++j) {
    if (AngleBetween(rig.rest().rotation(j), {}) > 1e-3f) {
      return absl::InvalidArgumentError(
          absl::StrCat("rig '", rig.name(), "': rest rotation of joint ", j, " '",
                       rig.joint_names()[static_cast<size_t>(j)], "' must be identity"));
    }
  }
  Finder find(rig);
  Body b;
  b.root = find("HumanoidRoot");
  b.sacroiliac = find("sacroiliac");
  for (int i = 5; i >= 1; --i) b.lumbar.push_back(find(absl::StrCat("vl", i)));
  for (int i = 12; i >= 1; --i) b.thorax.push_back(find(absl::StrCat("vt", i)));
  for (int i = 7; i >= 1; --i) b.neck.push_back(find(absl::StrCat("vc", i)));
  b.head = find("skullbase");
  b.root_at = find.place(b.root);
  for (Side side : {Side::kLeft, Side::kRight}) {
    b.arms[static_cast<size_t>(side)] = FindArm(find, side);
    b.legs[static_cast<size_t>(side)] = FindLeg(find, side);
  }
  if (!find.missing.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("rig '", rig.name(), "' has no joint '", find.missing,
                     "'; procedural motion needs the joints of H-Anim LOA-3"));
  }
  return b;
}

void ClampToHuman(ArmAngles& a) {
  const auto clamp = [&](int i, float low, float high) {
    float& v = a[static_cast<size_t>(i)];
    v = std::clamp(v, Rad(low), Rad(high));
  };
  clamp(kClavicleUp, -8, 32);
  clamp(kClavicleFront, -20, 25);
  clamp(kElbowFlex, -3, 142);
  clamp(kForearmTwist, -88, 82);
  clamp(kWristFlex, -68, 72);
  clamp(kWristDeviate, -32, 22);
  clamp(kThumbAdduct, -12, 50);
  clamp(kThumbOppose, -10, 50);
  clamp(kThumbFlex2, -8, 60);
  clamp(kThumbFlex3, -15, 75);
  for (int f = 0; f < 4; ++f) {
    clamp(kFingers + 3 * f, -15, 20);
    clamp(kFingers + 3 * f + 1, -15, 92);
    clamp(kFingers + 3 * f + 2, -2, 108);
  }
}

void PoseArm(const Body& body, Side side, const ArmAngles& angles, const skel::PoseSpan& out) {
  const ArmJoints& arm = body.arm(side);
  ArmAngles a = angles;
  ClampToHuman(a);
  const auto set = [&](int joint, Quat q) { out.SetRotation(joint, MirrorTurn(side, q)); };
  set(arm.clavicle, ClavicleTurn(a[kClavicleUp], a[kClavicleFront]));
  set(arm.acromion, AcromionTurn(a[kClavicleUp], a[kClavicleFront]));
  set(arm.shoulder, ShoulderTurn(a));
  const float twist = a[kForearmTwist];
  set(arm.elbow, Mul(skel::FromAxisAngle(arm.hinge, a[kElbowFlex]),
                     skel::FromAxisAngle(arm.fore, twist * kElbowTwist)));
  set(arm.wrist,
      Mul(skel::FromAxisAngle(arm.fore, twist * (1 - kElbowTwist)),
          skel::Exp(arm.flex_axis * a[kWristFlex] + arm.deviate_axis * a[kWristDeviate])));
  // The thumb points forward at rest; it bends across the palm and along it.
  set(arm.thumb[0], skel::Exp({a[kThumbAdduct], -a[kThumbOppose], 0}));
  set(arm.thumb[1], skel::Exp(Vec3{0.9f, -0.43f, 0} * a[kThumbFlex2]));
  set(arm.thumb[2], skel::Exp(Vec3{0.9f, -0.43f, 0} * a[kThumbFlex3]));
  static constexpr float kSpreadShare[] = {-1, -0.15f, 0.55f, 1.2f};
  for (size_t f = 0; f < 4; ++f) {
    const size_t at = kFingers + 3 * f;
    set(arm.fingers[f][0], Mul(skel::FromAxisAngle({1, 0, 0}, a[at] * kSpreadShare[f]),
                               skel::FromAxisAngle({0, 0, 1}, -a[at + 1])));
    set(arm.fingers[f][1], skel::FromAxisAngle({0, 0, 1}, -a[at + 2]));
    set(arm.fingers[f][2], skel::FromAxisAngle({0, 0, 1}, -a[at + 2] * 0.66f));
  }
}

float Elevation(const Body& body, Side side, const ArmAngles& angles) {
  const Quat shoulder = Mul(ClavicleTurn(angles[kClavicleUp], angles[kClavicleFront]),
                            AcromionTurn(angles[kClavicleUp], angles[kClavicleFront]));
  const Vec3 upper = Rotate(Mul(shoulder, ShoulderTurn(angles)), body.arm(side).upper);
  return std::acos(std::clamp(-upper.y, -1.0f, 1.0f));
}

void PoseRun(absl::Span<const int> joints, Vec3 turn, const skel::PoseSpan& out) {
  if (joints.empty()) return;
  const Quat q = skel::Exp(turn * (1.0f / static_cast<float>(joints.size())));
  for (int j : joints) out.SetRotation(j, q);
}

void PosePelvisOverFeet(const Body& body, Vec3 shift, Vec3 turn, const skel::PoseSpan& out) {
  PosePelvisOverFeet(body, shift, turn, {}, out);
}

void PosePelvisOverFeet(const Body& body, Vec3 shift, Vec3 turn,
                        const std::array<FootMove, 2>& feet, const skel::PoseSpan& out) {
  const Quat pelvis = skel::Exp(turn);
  const Vec3 middle = (feet[0].by + feet[1].by) * 0.5f;
  std::array<Stand, 2> stands;
  for (size_t i = 0; i < 2; ++i) stands[i] = StandOf(body.legs[i], shift - middle, feet[i]);
  // Lower the pelvis until both legs reach with knees no straighter than at rest.
  for (size_t i = 0; i < 2; ++i) {
    const LegJoints& leg = body.legs[i];
    const Vec3 hip = body.root_at + shift + Rotate(pelvis, leg.hip_at - body.root_at);
    const Vec3 d = stands[i].ankle - hip;
    const float reach = leg.longest_m;
    const float flat = d.x * d.x + d.z * d.z;
    if (flat + d.y * d.y <= reach * reach) continue;
    shift.y -= -d.y - std::sqrt(std::max(reach * reach - flat, 0.01f));
  }
  out.SetTranslation(body.root, body.root_at + shift);
  out.SetRotation(body.root, pelvis);
  out.SetRotation(body.sacroiliac, {});
  for (size_t i = 0; i < 2; ++i) {
    const LegJoints& leg = body.legs[i];
    const Stand& stand = stands[i];
    const Vec3 hip = body.root_at + shift + Rotate(pelvis, leg.hip_at - body.root_at);
    const Vec3 line = stand.ankle - hip;
    const float d = Length(line);
    const float l1 = leg.thigh_m, l2 = leg.calf_m;
    const Vec3 along = line * (1 / d);
    const float cos_knee = std::clamp((l1 * l1 + l2 * l2 - d * d) / (2 * l1 * l2), -1.0f, 1.0f);
    const float flex = std::acos(-cos_knee);
    // The knee stays in the plane in which it bends at rest, turned outward half as far as its
    // foot.
    const float half = feet[i].toe_out * (leg.ankle_at.x > 0 ? 0.5f : -0.5f);
    const Vec3 hinge =
        half == 0 ? leg.hinge : Rotate(skel::FromAxisAngle({0, 1, 0}, half), leg.hinge);
    const Vec3 axis = Perpendicular(hinge, along);
    const float cos_hip = std::clamp((l1 * l1 + d * d - l2 * l2) / (2 * l1 * d), -1.0f, 1.0f);
    const Vec3 thigh = Rotate(skel::FromAxisAngle(axis, -std::acos(cos_hip)), along);
    const Quat upper = BetweenFrames(leg.thigh, leg.hinge, thigh, axis);
    const Quat knee = skel::FromAxisAngle(leg.hinge, flex - leg.rest_flex);
    out.SetRotation(leg.hip, Mul(Conjugate(pelvis), upper));
    out.SetRotation(leg.knee, knee);
    out.SetRotation(leg.ankle, Mul(Conjugate(Mul(upper, knee)), stand.foot));
    out.SetRotation(leg.toes, stand.toes);
  }
}

void SolveReach(const Body& body, Side side, const Reach& reach, ArmAngles& angles) {
  const ArmJoints& arm = body.arm(side);
  const Quat clavicle = ClavicleTurn(reach.clavicle_up, reach.clavicle_front);
  const Quat scapula = Mul(clavicle, AcromionTurn(reach.clavicle_up, reach.clavicle_front));
  const Vec3 shoulder = arm.clavicle_at + Rotate(clavicle, arm.acromion_at - arm.clavicle_at) +
                        Rotate(scapula, arm.shoulder_at - arm.acromion_at);
  const float l1 = arm.upper_m, l2 = arm.fore_m;
  const Vec3 line = reach.wrist - shoulder;
  const float d = std::clamp(Length(line), std::fabs(l1 - l2) + 0.12f, (l1 + l2) * 0.998f);
  const Vec3 along = Normalized(line);
  Vec3 pole = Perpendicular(reach.elbow, along);
  if (Length(pole) < 0.5f) pole = Perpendicular({0, -1, 0}, along);
  const float cos_shoulder = std::clamp((l1 * l1 + d * d - l2 * l2) / (2 * l1 * d), -1.0f, 1.0f);
  const float sin_shoulder = std::sqrt(1 - cos_shoulder * cos_shoulder);
  const Vec3 upper = along * cos_shoulder + pole * sin_shoulder;
  const Vec3 fore = Normalized(along * d - upper * l1);
  const float flex = BendBetween(upper, fore);
  const Vec3 bend = Cross(pole, along);
  const Quat shoulder_world = BetweenFrames(arm.upper, arm.hinge, upper, bend);
  const Quat elbow = skel::FromAxisAngle(arm.hinge, flex - arm.rest_flex);

  // At rest the fingers point down and the (left) palm faces inward.
  const Vec3 fingers = Normalized(reach.fingers);
  const Vec3 palm = Perpendicular(reach.palm, fingers);
  const Quat hand = BetweenFrames({0, -1, 0}, {-1, 0, 0}, fingers, palm);
  const Quat wrist = Normalized(Mul(Conjugate(Mul(shoulder_world, elbow)), hand));
  const float along_fore = wrist.x * arm.fore.x + wrist.y * arm.fore.y + wrist.z * arm.fore.z;
  float twist = 2 * std::atan2(along_fore, wrist.w);
  if (twist > skel::kPi) twist -= 2 * skel::kPi;
  if (twist < -skel::kPi) twist += 2 * skel::kPi;
  const Vec3 swing = Log(Normalized(Mul(skel::FromAxisAngle(arm.fore, -twist), wrist)));

  const Vec3 upper_turn = Log(Normalized(Mul(Conjugate(scapula), shoulder_world)));
  angles[kClavicleUp] = reach.clavicle_up;
  angles[kClavicleFront] = reach.clavicle_front;
  angles[kShoulderX] = upper_turn.x;
  angles[kShoulderY] = upper_turn.y;
  angles[kShoulderZ] = upper_turn.z;
  angles[kElbowFlex] = flex - arm.rest_flex;
  angles[kForearmTwist] = twist;
  angles[kWristFlex] = Dot(swing, arm.flex_axis);
  angles[kWristDeviate] = Dot(swing, arm.deviate_axis);
  ClampToHuman(angles);
}

}  // namespace posewire::gesture
