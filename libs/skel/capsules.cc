#include "libs/skel/capsules.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "libs/skel/model_place.h"

namespace posewire::skel {
namespace {

// Fractions of the width between the shoulders: radius of the trunk, distance of its sides from the
// middle at chest and hips, and how far it is in front of the line from hips to shoulders.
constexpr float kTrunkRadius = 0.27f, kChestSide = 0.1f, kHipsSide = 0.165f, kForward = 0.055f;
// Fractions of the way from the hips to the shoulders: beginning and end of the trunk, and end of
// the hips.
constexpr float kTrunkFrom = 0.2f, kTrunkTo = 0.81f, kHipsTo = 0.1f;
// Fractions of the same way: the head, measured from between the eyes, or from the joint of a head
// without eyes.
constexpr float kHeadRadius = 0.175f, kEyesForward = 0.112f, kHeadHeight = 0.075f;
// Fractions of the forearm, and of the way from the wrist to the knuckle of the middle finger.
constexpr float kForearmRadius = 0.1f, kHandRadius = 0.24f, kHandTo = 1.4f;

// Joints from the root to both hands. A rig with more has no capsules.
constexpr size_t kMostWalked = 128;

constexpr Capsules::Pair kPairs[] = {
    {BodyVolume::kLeftHand, BodyVolume::kTrunk},     {BodyVolume::kRightHand, BodyVolume::kTrunk},
    {BodyVolume::kLeftHand, BodyVolume::kHips},      {BodyVolume::kRightHand, BodyVolume::kHips},
    {BodyVolume::kLeftForearm, BodyVolume::kHips},   {BodyVolume::kRightForearm, BodyVolume::kHips},
    {BodyVolume::kLeftForearm, BodyVolume::kHead},   {BodyVolume::kRightForearm, BodyVolume::kHead},
    {BodyVolume::kLeftHand, BodyVolume::kRightHand},
};

}  // namespace

absl::string_view NameOf(BodyVolume volume) {
  constexpr absl::string_view kNames[kBodyVolumes] = {
      "trunk", "hips", "head", "left forearm", "right forearm", "left hand", "right hand"};
  return kNames[static_cast<size_t>(volume)];
}

NearestPoints NearestOfLines(const Line& a, const Line& b) {
  constexpr float kPoint = 1e-12f;
  const Vec3 u = a[1] - a[0], v = b[1] - b[0], r = a[0] - b[0];
  const float uu = Dot(u, u), vv = Dot(v, v), vr = Dot(v, r);
  float s = 0, t = 0;
  if (uu <= kPoint) {
    if (vv > kPoint) t = std::clamp(vr / vv, 0.0f, 1.0f);
  } else {
    const float ur = Dot(u, r);
    if (vv <= kPoint) {
      s = std::clamp(-ur / uu, 0.0f, 1.0f);
    } else {
      const float uv = Dot(u, v), square = uu * vv - uv * uv;
      if (square > kPoint) s = std::clamp((uv * vr - ur * vv) / square, 0.0f, 1.0f);
      t = (uv * s + vr) / vv;
      if (t < 0 || t > 1) {
        t = std::clamp(t, 0.0f, 1.0f);
        s = std::clamp((uv * t - ur) / uu, 0.0f, 1.0f);
      }
    }
  }
  return {a[0] + u * s, b[0] + v * t};
}

Capsules::Capsules(std::shared_ptr<const Rig> rig) : rig_(std::move(rig)) {
  capsules_.reserve(kMost);
  AddTrunk();
  AddHead();
  AddArm(true);
  AddArm(false);
  ListJoints();
}

absl::Span<const Capsules::Pair> Capsules::Pairs() { return kPairs; }

void Capsules::Add(BodyVolume volume, std::array<int, 2> joint, std::array<Vec3, 2> at_rest,
                   float radius) {
  Capsule capsule{volume, joint, {}, radius};
  for (size_t i = 0; i < 2; ++i) {
    const Placement place = PlaceOf(*rig_, rig_->rest(), joint[i]);
    capsule.offset[i] = Rotate(Conjugate(place.turn), at_rest[i] - place.at);
  }
  lengths_[capsules_.size()] = 1.25f * Length(at_rest[1] - at_rest[0]);
  capsules_.push_back(capsule);
}

void Capsules::AddTrunk() {
  const Humanoid& human = rig_->humanoid();
  const auto at = [&](HumanBone bone) {
    return PlaceOf(*rig_, rig_->rest(), human.joint(bone)).at;
  };
  const int hips = human.joint(HumanBone::kHips);
  const int chest = human.FirstOf({{HumanBone::kUpperChest, HumanBone::kChest, HumanBone::kSpine}});
  for (const HumanBone bone : {HumanBone::kLeftUpperArm, HumanBone::kRightUpperArm,
                               HumanBone::kLeftUpperLeg, HumanBone::kRightUpperLeg}) {
    if (human.joint(bone) < 0) return;
  }
  if (hips < 0 || chest < 0) return;
  const Vec3 across = at(HumanBone::kLeftUpperArm) - at(HumanBone::kRightUpperArm);
  const Vec3 low = (at(HumanBone::kLeftUpperLeg) + at(HumanBone::kRightUpperLeg)) * 0.5f;
  const Vec3 up = at(HumanBone::kRightUpperArm) + across * 0.5f - low;
  const Vec3 forward = Normalized(Cross(across, up)) * (Length(across) * kForward);
  const float radius = kTrunkRadius * Length(across);
  for (const float side : {1.0f, -1.0f}) {
    const Vec3 hip = low + forward + across * (side * kHipsSide);
    const Vec3 waist = low + forward + up * kTrunkFrom + across * (side * kChestSide);
    Add(BodyVolume::kTrunk, {hips, chest}, {waist, waist + up * (kTrunkTo - kTrunkFrom)}, radius);
    Add(BodyVolume::kHips, {hips, hips}, {hip, hip + up * kHipsTo}, radius);
  }
}

void Capsules::AddHead() {
  const Humanoid& human = rig_->humanoid();
  const auto at = [&](int joint) { return PlaceOf(*rig_, rig_->rest(), joint).at; };
  const int head = human.joint(HumanBone::kHead);
  const int left = human.joint(HumanBone::kLeftUpperArm),
            right = human.joint(HumanBone::kRightUpperArm), hips = human.joint(HumanBone::kHips);
  if (head < 0 || left < 0 || right < 0 || hips < 0) return;
  const Vec3 across = at(left) - at(right);
  const Vec3 trunk = at(right) + across * 0.5f - at(hips);
  const Vec3 up = Normalized(trunk) * Length(trunk);
  const Vec3 forward = Normalized(Cross(across, up)) * Length(up);
  const int left_eye = human.joint(HumanBone::kLeftEye),
            right_eye = human.joint(HumanBone::kRightEye);
  Vec3 middle = at(head) + up * kHeadHeight;
  if (left_eye >= 0 && right_eye >= 0) {
    middle = (at(left_eye) + at(right_eye)) * 0.5f - forward * kEyesForward;
  }
  const Vec3 half = up * (kHeadHeight / 2);
  Add(BodyVolume::kHead, {head, head}, {middle - half, middle + half}, kHeadRadius * Length(up));
}

void Capsules::AddArm(bool left) {
  const Humanoid& human = rig_->humanoid();
  const int elbow = human.joint(left ? HumanBone::kLeftLowerArm : HumanBone::kRightLowerArm);
  const int wrist = human.joint(left ? HumanBone::kLeftHand : HumanBone::kRightHand);
  const int knuckle =
      human.joint(left ? HumanBone::kLeftMiddleProximal : HumanBone::kRightMiddleProximal);
  if (elbow < 0 || wrist < 0) return;
  const Vec3 from = PlaceOf(*rig_, rig_->rest(), elbow).at,
             to = PlaceOf(*rig_, rig_->rest(), wrist).at;
  Add(left ? BodyVolume::kLeftForearm : BodyVolume::kRightForearm, {elbow, wrist}, {from, to},
      kForearmRadius * Length(to - from));
  if (knuckle < 0) return;
  const Vec3 palm = PlaceOf(*rig_, rig_->rest(), knuckle).at - to;
  Add(left ? BodyVolume::kLeftHand : BodyVolume::kRightHand, {wrist, wrist},
      {to, to + palm * kHandTo}, kHandRadius * Length(palm));
}

void Capsules::ListJoints() {
  std::vector<int> entry(static_cast<size_t>(rig_->joints()), -1);
  for (const Capsule& capsule : capsules_) {
    for (const int end : capsule.joint) {
      for (int j = end; j >= 0; j = rig_->topology().parent(j)) entry[static_cast<size_t>(j)] = 0;
    }
  }
  for (int j = 0; j < rig_->joints(); ++j) {
    if (entry[static_cast<size_t>(j)] < 0) continue;
    const int parent = rig_->topology().parent(j);
    entry[static_cast<size_t>(j)] = static_cast<int>(walk_.size());
    walk_.push_back({j, parent < 0 ? -1 : entry[static_cast<size_t>(parent)]});
  }
  if (walk_.size() > kMostWalked) {
    walk_.clear();
    capsules_.clear();
  }
  for (size_t c = 0; c < capsules_.size(); ++c) {
    for (size_t i = 0; i < 2; ++i) {
      on_[c][i] = static_cast<size_t>(entry[static_cast<size_t>(capsules_[c].joint[i])]);
    }
  }
}

bool Capsules::Place(const PoseView& pose, Lines& lines) const {
  if (pose.joints != rig_->joints()) return false;
  struct Frame {
    Vec3 at;
    Quat turn;
    Vec3 scale{1, 1, 1};
    bool scaled = false;
    Vec3 operator()(Vec3 p) const {
      return at + Rotate(turn, scaled ? Vec3{scale.x * p.x, scale.y * p.y, scale.z * p.z} : p);
    }
  };
  // Most rigs have a third of these joints, so only the used entries are filled in.
  union Frames {
    Frames() {}
    Frame at[kMostWalked];
  } frames;
  const PoseView& rest = rig_->rest();
  for (size_t w = 0; w < walk_.size(); ++w) {
    const int j = walk_[w].joint;
    Frame& frame = *new (&frames.at[w]) Frame;
    const Quat r = pose.has_r[j] ? pose.rotation(j) : rest.rotation(j);
    const Vec3 t = pose.has_t[j] ? pose.translation(j) : rest.translation(j);
    const bool root = walk_[w].parent < 0;
    const Frame* above = root ? nullptr : &frames.at[static_cast<size_t>(walk_[w].parent)];
    frame.at = root ? t : (*above)(t);
    frame.turn = root ? r : Mul(above->turn, r);
    if (!root && above->scaled) frame.scale = above->scale, frame.scaled = true;
    if (!pose.has_s[j]) continue;
    // Treats the joints below a scaled one as not rotated: exact for uniform scale.
    const Vec3 s = pose.scale(j);
    if (s.x == 1 && s.y == 1 && s.z == 1) continue;
    frame.scale = {frame.scale.x * s.x, frame.scale.y * s.y, frame.scale.z * s.z};
    frame.scaled = true;
  }
  for (size_t c = 0; c < capsules_.size(); ++c) {
    for (size_t i = 0; i < 2; ++i) lines[c][i] = frames.at[on_[c][i]](capsules_[c].offset[i]);
  }
  return true;
}

Overlap Capsules::DeepestOf(const Lines& lines, Pair pair, float least_m) const {
  Overlap deepest{-std::numeric_limits<float>::infinity(), {}, {}};
  for (size_t a = 0; a < capsules_.size(); ++a) {
    if (capsules_[a].volume != pair.a) continue;
    for (size_t b = 0; b < capsules_.size(); ++b) {
      if (capsules_[b].volume != pair.b) continue;
      const float reach = capsules_[a].radius_m + capsules_[b].radius_m;
      // They are further apart than their bounding spheres.
      const Vec3 between = lines[a][0] + lines[a][1] - lines[b][0] - lines[b][1];
      const float most = 2 * (reach - least_m) + lengths_[a] + lengths_[b];
      if (Dot(between, between) > most * most) continue;
      const NearestPoints nearest = NearestOfLines(lines[a], lines[b]);
      const Vec3 apart = nearest.a - nearest.b;
      const float distance = Length(apart);
      const float depth = reach - distance;
      if (depth <= deepest.depth_m) continue;
      // Crossing lines have no direction between them, so use up.
      const Vec3 away = distance > 1e-6f ? apart * (1 / distance) : Vec3{0, 1, 0};
      deepest = {depth, nearest.a, away};
    }
  }
  return deepest;
}

bool Capsules::Depths(const PoseView& pose, absl::Span<float> depth_m) const {
  Lines lines;
  if (depth_m.size() != Pairs().size() || !Place(pose, lines)) return false;
  for (size_t p = 0; p < Pairs().size(); ++p) depth_m[p] = DeepestOf(lines, Pairs()[p]).depth_m;
  return true;
}

}  // namespace posewire::skel
