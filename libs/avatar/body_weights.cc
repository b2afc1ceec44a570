#include "libs/avatar/body_weights.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "libs/avatar/isosurface.h"

namespace posewire::avatar {
namespace {

using skel::Vec3;

constexpr std::array kFingers = {"thumb", "index", "middle", "ring", "pinky"};

// How far along a to b (in metres beyond the plane through b across the mean direction) p lies.
float Beyond(Vec3 a, Vec3 b, Vec3 c, Vec3 p) {
  const Vec3 along = skel::Normalized(skel::Normalized(b - a) + skel::Normalized(c - b));
  return skel::Dot(p - b, along);
}

float DistanceToSegment(Vec3 a, Vec3 b, Vec3 p) {
  const Vec3 axis = b - a;
  const float h = std::clamp(skel::Dot(p - a, axis) / skel::Dot(axis, axis), 0.0f, 1.0f);
  return skel::Length(p - a - axis * h);
}

}  // namespace

BodyWeights::BodyWeights(const BindPose& bind) {
  skull_ = bind.Joint("skullbase");
  spine_.emplace_back(0.985f, bind.Joint("sacroiliac"));
  for (const char* name :
       {"vl5", "vl4", "vl3", "vl2", "vl1", "vt12", "vt11", "vt10", "vt9", "vt8", "vt7", "vt6",
        "vt5", "vt4", "vt3", "vt2", "vt1", "vc7",  "vc6",  "vc5",  "vc4", "vc3", "vc2", "vc1"}) {
    spine_.emplace_back(bind.At(name).y, bind.Joint(name));
  }
  spine_.emplace_back(bind.At("skullbase").y + 0.012f, bind.Joint("skullbase"));
  for (char s : {'l', 'r'}) {
    const auto joint = [&](absl::string_view name) {
      return bind.Joint(absl::StrCat(std::string(1, s), "_", name));
    };
    Side& side = s == 'l' ? left_ : right_;
    side = {joint("sternoclavicular"),
            joint("acromioclavicular"),
            joint("shoulder"),
            joint("elbow"),
            joint("wrist"),
            joint("hip"),
            joint("knee"),
            joint("ankle"),
            joint("midtarsal"),
            {}};
    for (size_t f = 0; f < 5; ++f) {
      for (size_t k = 0; k < 3; ++k) side.fingers[f][k] = joint(absl::StrCat(kFingers[f], k + 1));
    }
  }
  shoulder_ = bind.At("l_shoulder");
  elbow_ = bind.At("l_elbow");
  wrist_ = bind.At("l_wrist");
  hip_ = bind.At("l_hip");
  knee_ = bind.At("l_knee");
  ankle_ = bind.At("l_ankle");
  rest_wrist_ = bind.AtRest("l_wrist");
  rest_ankle_ = bind.AtRest("l_ankle");
  toes_ = bind.AtRest("l_midtarsal");
  for (size_t f = 0; f < 5; ++f) {
    for (size_t k = 0; k < 3; ++k) {
      finger_[f][k] = bind.AtRest(absl::StrCat("l_", kFingers[f], k + 1));
    }
    const Vec3 end = f == 0 ? Vec3{0.0027f, -0.0098f, 0.0295f} : Vec3{0.0055f, -0.0280f, 0};
    finger_[f][3] = finger_[f][2] + end;
  }
}

void BodyWeights::AddSpine(float y, float weight, InfluenceSum& sum) const {
  if (y <= spine_.front().first) {
    sum.Add(spine_.front().second, weight);
    return;
  }
  for (size_t i = 1; i < spine_.size(); ++i) {
    if (y > spine_[i].first) continue;
    const float t = (y - spine_[i - 1].first) / (spine_[i].first - spine_[i - 1].first);
    sum.Add(spine_[i - 1].second, weight * (1 - t));
    sum.Add(spine_[i].second, weight * t);
    return;
  }
  sum.Add(spine_.back().second, weight);
}

void BodyWeights::AddArm(const Side& side, Vec3 left, float weight, InfluenceSum& sum) const {
  const float fore = SmoothStep(-0.045f, 0.045f, Beyond(shoulder_, elbow_, wrist_, left));
  const float hand = SmoothStep(-0.03f, 0.02f, Beyond(elbow_, wrist_, wrist_ * 2 - elbow_, left));
  sum.Add(side.shoulder, weight * (1 - fore));
  sum.Add(side.elbow, weight * fore * (1 - hand));
  sum.Add(side.wrist, weight * fore * hand);
}

void BodyWeights::AddLeg(const Side& side, Vec3 left, float weight, InfluenceSum& sum) const {
  const float calf = SmoothStep(-0.06f, 0.06f, Beyond(hip_, knee_, ankle_, left));
  const float foot =
      SmoothStep(-0.05f, 0.02f, skel::Dot(left - ankle_, skel::Normalized(ankle_ - knee_)));
  sum.Add(side.hip, weight * (1 - calf));
  sum.Add(side.knee, weight * calf * (1 - foot));
  sum.Add(side.ankle, weight * calf * foot);
}

Influences BodyWeights::OfBody(Vec3 p) const {
  const Vec3 q{std::fabs(p.x), p.y, p.z};
  const Side& side = p.x >= 0 ? left_ : right_;
  // The arm: past the shoulder along its axis, and near that axis, so that the flank stays behind.
  const Vec3 axis = skel::Normalized(elbow_ - shoulder_);
  const float along = skel::Dot(q - shoulder_, axis);
  const float across = skel::Length(q - shoulder_ - axis * along);
  // Below the elbow it strays from that axis a little.
  const float stray = 0.15f * std::max(along, 0.0f);
  const float arm =
      SmoothStep(-0.055f, 0.075f, along) * (1 - SmoothStep(0.055f + stray, 0.105f + stray, across));
  const Vec3 down = skel::Normalized(knee_ - hip_);
  float leg = SmoothStep(-0.055f, 0.085f, skel::Dot(q - hip_, down));
  const float girdle = SmoothStep(0.03f, 0.12f, q.x) * SmoothStep(1.33f, 1.43f, q.y);
  leg *= 1 - arm;
  InfluenceSum sum;
  const float trunk = (1 - arm) * (1 - leg);
  AddSpine(p.y, trunk * (1 - girdle), sum);
  // Only above the armpit, where no vertebra has a part: four joints a point are all there is.
  const float outer = SmoothStep(0.125f, 0.18f, q.x) * SmoothStep(1.415f, 1.455f, q.y);
  sum.Add(side.clavicle, trunk * girdle * (1 - outer));
  sum.Add(side.acromion, trunk * girdle * outer);
  if (arm > 0) AddArm(side, q, arm, sum);
  if (leg > 0) {
    const float own = SmoothStep(-0.02f, 0.02f, q.x);
    AddLeg(side, q, leg * own, sum);
    AddLeg(p.x >= 0 ? right_ : left_, {-q.x, q.y, q.z}, leg * (1 - own), sum);
  }
  return sum.Take();
}

Influences BodyWeights::OfNeck(Vec3 p, float skull) const {
  InfluenceSum sum;
  AddSpine(p.y, 1 - skull, sum);
  sum.Add(skull_, skull);
  return sum.Take();
}

Influences BodyWeights::OfHand(Vec3 p, char s) const {
  const Side& side = s == 'l' ? left_ : right_;
  InfluenceSum sum;
  const float hand = SmoothStep(-0.03f, 0.02f, rest_wrist_.y - p.y);
  sum.Add(side.elbow, 1 - hand);
  // Fingers share a point by their nearness, and the palm takes what lies before the knuckles.
  std::array<float, 5> near{};
  float total = 0;
  for (size_t f = 0; f < 5; ++f) {
    float d = 1e9f;
    for (size_t k = 0; k < 3; ++k) {
      d = std::min(d, DistanceToSegment(finger_[f][k], finger_[f][k + 1], p));
    }
    near[f] = std::exp(-std::pow(d / 0.0065f, 2.0f)) + 1e-12f;
    total += near[f];
  }
  for (size_t f = 0; f < 5; ++f) {
    const float share = hand * near[f] / total;
    const auto& at = finger_[f];
    const float reach = f == 0 ? 0.05f : 0.010f;  // before the first joint
    const float first =
        f == 0 ? SmoothStep(-0.012f, reach, skel::Dot(p - at[0], skel::Normalized(at[1] - at[0]))) *
                     (1 - SmoothStep(0.016f, 0.034f,
                                     std::min(DistanceToSegment(at[0], at[1], p),
                                              DistanceToSegment(at[1], at[3], p))))
               : SmoothStep(-0.012f, reach, skel::Dot(p - at[0], skel::Normalized(at[1] - at[0])));
    const float second = SmoothStep(-0.008f, 0.008f, Beyond(at[0], at[1], at[2], p));
    const float third = SmoothStep(-0.007f, 0.007f, Beyond(at[1], at[2], at[3], p));
    sum.Add(side.wrist, share * (1 - first));
    sum.Add(side.fingers[f][0], share * first * (1 - second));
    sum.Add(side.fingers[f][1], share * first * second * (1 - third));
    sum.Add(side.fingers[f][2], share * first * second * third);
  }
  return sum.Take();
}

Influences BodyWeights::OfShoe(Vec3 p, char s) const {
  const Side& side = s == 'l' ? left_ : right_;
  const float toes = SmoothStep(-0.025f, 0.03f, p.z - toes_.z);
  const float calf = SmoothStep(0.0f, 0.05f, p.y - rest_ankle_.y);
  InfluenceSum sum;
  sum.Add(side.toes, toes);
  sum.Add(side.ankle, (1 - toes) * (1 - calf));
  sum.Add(side.knee, (1 - toes) * calf);
  return sum.Take();
}

}  // namespace posewire::avatar
