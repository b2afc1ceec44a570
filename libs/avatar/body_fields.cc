#include "libs/avatar/body_fields.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/avatar/isosurface.h"

namespace posewire::avatar {
namespace {

using skel::Vec3;

Vec3 Mirrored(Vec3 p) { return {-p.x, p.y, p.z}; }
Vec3 ToLeft(Vec3 p) { return {std::fabs(p.x), p.y, p.z}; }

float Union(const std::vector<Limb>& limbs, Vec3 p, float k) {
  float d = limbs.front()(p);
  for (size_t i = 1; i < limbs.size(); ++i) d = SmoothMin(d, limbs[i](p), k);
  return d;
}

}  // namespace

Limb::Limb(std::vector<Vec3> chain, Spline radius, Vec3 flat, float flatness)
    : chain_(std::move(chain)),
      radius_(std::move(radius)),
      flat_(skel::Normalized(flat)),
      stretch_(1 / flatness - 1) {
  float length = 0;
  for (size_t i = 0; i + 1 < chain_.size(); ++i) {
    start_.push_back(length);
    length += skel::Length(chain_[i + 1] - chain_[i]);
  }
  for (float& s : start_) s /= length;
  start_.push_back(1);
}

float Limb::operator()(Vec3 p) const {
  float best = 1e9f;
  for (size_t i = 0; i + 1 < chain_.size(); ++i) {
    const Vec3 axis = chain_[i + 1] - chain_[i], d = p - chain_[i];
    const float h = std::clamp(skel::Dot(d, axis) / skel::Dot(axis, axis), 0.0f, 1.0f);
    Vec3 q = d - axis * h;
    q = q + flat_ * (skel::Dot(q, flat_) * stretch_);
    const float s = start_[i] + (start_[i + 1] - start_[i]) * h;
    const float radius = radius_(s);
    best = SmoothMin(best, skel::Length(q) - radius, 0.25f * radius);
  }
  return best;
}

Torso::Torso()
    : width_({{0.80f, 0.120f},
              {0.86f, 0.158f},
              {0.92f, 0.164f},
              {1.00f, 0.152f},
              {1.06f, 0.141f},
              {1.12f, 0.137f},
              {1.18f, 0.139f},
              {1.25f, 0.147f},
              {1.32f, 0.158f},
              {1.38f, 0.160f},
              {1.42f, 0.150f},
              {1.455f, 0.118f},
              {1.485f, 0.078f},
              {1.51f, 0.062f},
              {1.56f, 0.058f}}),
      front_({{0.80f, 0.060f},
              {0.86f, 0.088f},
              {0.92f, 0.094f},
              {1.00f, 0.092f},
              {1.06f, 0.086f},
              {1.12f, 0.083f},
              {1.18f, 0.086f},
              {1.25f, 0.096f},
              {1.32f, 0.100f},
              {1.38f, 0.095f},
              {1.42f, 0.078f},
              {1.455f, 0.058f},
              {1.485f, 0.046f},
              {1.51f, 0.044f},
              {1.56f, 0.050f}}),
      back_({{0.80f, -0.085f},
             {0.86f, -0.118f},
             {0.92f, -0.120f},
             {1.00f, -0.100f},
             {1.06f, -0.085f},
             {1.12f, -0.082f},
             {1.18f, -0.091f},
             {1.25f, -0.103f},
             {1.32f, -0.112f},
             {1.38f, -0.114f},
             {1.42f, -0.108f},
             {1.455f, -0.098f},
             {1.485f, -0.087f},
             {1.51f, -0.078f},
             {1.56f, -0.062f}}) {}

float Torso::operator()(Vec3 p) const {
  const float a = width_(p.y), f = front_(p.y), b = back_(p.y);
  const float c = (f + b) / 2, half = (f - b) / 2;
  const float x = std::fabs(p.x) / a, z = std::fabs(p.z - c) / half;
  constexpr float kSquareness = 2.35f;
  const float r = std::pow(std::pow(x, kSquareness) + std::pow(z, kSquareness), 1 / kSquareness);
  const float side = (r - 1) * std::min(a, half);
  return SmoothMax(side, std::max(0.80f - p.y, p.y - 1.56f), 0.04f);
}

Body::Body(const BindPose& bind) {
  const Vec3 shoulder = bind.At("l_shoulder"), elbow = bind.At("l_elbow");
  wrist_ = bind.At("l_wrist");
  ankle_ = bind.At("l_ankle");
  const Vec3 hip = bind.At("l_hip"), knee = bind.At("l_knee");
  arm_end_ = skel::Normalized(wrist_ - elbow);
  leg_end_ = skel::Normalized(ankle_ - knee);
  yokes_.emplace_back(std::vector<Vec3>{{0.035f, 1.482f, -0.042f},
                                        {0.100f, 1.449f, -0.045f},
                                        shoulder + Vec3{-0.022f, -0.016f, 0}},
                      Spline{{0, 0.046f}, {0.5f, 0.044f}, {1, 0.042f}});
  // Chest and shoulder blades.
  yokes_.emplace_back(std::vector<Vec3>{{0.045f, 1.345f, 0.034f}, {0.100f, 1.358f, 0.024f}},
                      Spline{{0, 0.060f}, {1, 0.056f}});
  yokes_.emplace_back(std::vector<Vec3>{{0.085f, 1.40f, -0.065f}, {0.10f, 1.32f, -0.062f}},
                      Spline{{0, 0.048f}, {1, 0.050f}});
  arms_.emplace_back(std::vector<Vec3>{shoulder + Vec3{-0.008f, -0.020f, 0}, elbow, wrist_},
                     Spline{{0, 0.0420f},
                            {0.08f, 0.0470f},
                            {0.22f, 0.0470f},
                            {0.42f, 0.0405f},
                            {0.52f, 0.040f},
                            {0.62f, 0.0415f},
                            {0.78f, 0.0355f},
                            {1, 0.0285f}});
  legs_.emplace_back(std::vector<Vec3>{hip + Vec3{0.0f, -0.01f, 0.002f}, knee + Vec3{0, 0, -0.008f},
                                       ankle_ + Vec3{0, 0, 0.006f}},
                     Spline{{0, 0.088f},
                            {0.15f, 0.086f},
                            {0.32f, 0.0735f},
                            {0.46f, 0.0590f},
                            {0.52f, 0.0570f},
                            {0.64f, 0.0580f},
                            {0.80f, 0.0520f},
                            {1, 0.0480f}});
  // Buttock and calf.
  seats_.emplace_back(
      std::vector<Vec3>{hip + Vec3{-0.018f, -0.012f, -0.045f}, hip + Vec3{0, -0.06f, -0.03f}},
      Spline{{0, 0.082f}, {1, 0.070f}});
  seats_.emplace_back(std::vector<Vec3>{skel::Lerp(knee, ankle_, 0.15f) + Vec3{0, 0, -0.014f},
                                        skel::Lerp(knee, ankle_, 0.42f) + Vec3{0, 0, -0.014f}},
                      Spline{{0, 0.048f}, {1, 0.047f}});
}

float Body::Trunk(Vec3 p) const {
  return SmoothMin(torso_(p), Union(yokes_, ToLeft(p), 0.05f), 0.06f);
}

float Body::Arm(Vec3 p) const { return arms_.front()(ToLeft(p)); }

float Body::Leg(Vec3 p) const {
  const Vec3 q = ToLeft(p);
  const float own = SmoothMin(legs_.front()(q), Union(seats_, q, 0.02f), 0.05f);
  if (q.x > 0.08f) return own;
  const Vec3 other = Mirrored(q);
  return SmoothMin(own, SmoothMin(legs_.front()(other), Union(seats_, other, 0.02f), 0.05f),
                   0.012f);
}

float Body::Shirt(Vec3 p) const {
  const Vec3 q = ToLeft(p);
  float d = SmoothMin(Trunk(q), Arm(q), 0.045f) - 0.007f;
  // Over the hips it lies on the trousers.
  if (p.y < 1.14f) {
    const float rise = 0.35f * std::max(0.0f, p.y - 1.0f);
    d = SmoothMin(d, SmoothMin(torso_(p), Leg(p), 0.045f) - 0.007f + rise, 0.012f);
  }
  const float hem = 0.915f - p.y;
  const float cuff = skel::Dot(q - wrist_, arm_end_) + 0.004f;
  const float collar = skel::Dot(p - Vec3{0, 1.502f, -0.02f}, skel::Normalized(Vec3{0, 1, 0.36f}));
  return SmoothMax(d, std::max({hem, cuff, collar}), 0.006f);
}

float Body::Trousers(Vec3 p) const {
  const float d = SmoothMin(torso_(p), Leg(p), 0.045f) - 0.002f;
  const float cuff = skel::Dot(ToLeft(p) - ankle_, leg_end_) - 0.012f;
  return SmoothMax(d, std::max(p.y - 0.975f, cuff), 0.006f);
}

Hand::Hand(const BindPose& bind) {
  const auto at = [&](const char* joint) { return bind.AtRest(joint); };
  const Vec3 wrist = at("l_wrist");
  struct Finger {
    const char* name;
    float root, tip, from_z;
    Vec3 end;
  };
  const Finger fingers[] = {{"index", 0.0098f, 0.0070f, 0.012f, {0.0061f, -0.0281f, -0.0009f}},
                            {"middle", 0.0100f, 0.0072f, 0.004f, {0.0054f, -0.0280f, 0.0003f}},
                            {"ring", 0.0096f, 0.0069f, -0.005f, {0.0052f, -0.0295f, 0.0011f}},
                            {"pinky", 0.0083f, 0.0061f, -0.013f, {0.0066f, -0.0268f, 0.0005f}}};
  for (const Finger& f : fingers) {
    const Vec3 a = at(absl::StrCat("l_", f.name, "1").c_str());
    const Vec3 b = at(absl::StrCat("l_", f.name, "2").c_str());
    const Vec3 c = at(absl::StrCat("l_", f.name, "3").c_str());
    const Vec3 tip = c + f.end * (1 - f.tip / skel::Length(f.end));
    fingers_.emplace_back(
        std::vector<Vec3>{a, b, c, tip},
        Spline{{0, f.root}, {0.46f, f.root * 0.95f}, {0.72f, f.root * 0.86f}, {1, f.tip}});
    palm_.emplace_back(std::vector<Vec3>{wrist + Vec3{0, 0.01f, f.from_z}, a},
                       Spline{{0, 0.0150f}, {0.5f, 0.0135f}, {1, f.root * 1.10f}});
  }
  const Vec3 t1 = at("l_thumb1"), t2 = at("l_thumb2"), t3 = at("l_thumb3");
  const Vec3 tip = t3 + Vec3{0.0027f, -0.0098f, 0.0295f} * 0.76f;
  palm_.emplace_back(std::vector<Vec3>{t1 + Vec3{-0.004f, -0.012f, 0.006f}, t2},
                     Spline{{0, 0.0170f}, {0.5f, 0.0158f}, {1, 0.0108f}});
  fingers_.emplace_back(std::vector<Vec3>{t2, t3, tip},
                        Spline{{0, 0.0108f}, {0.45f, 0.0098f}, {0.7f, 0.0095f}, {1, 0.0072f}});
  // The heel of the hand, and the end of the forearm within the cuff.
  palm_.emplace_back(std::vector<Vec3>{wrist + Vec3{0, 0.035f, 0}, wrist + Vec3{0, -0.012f, 0}},
                     Spline{{0, 0.0235f}, {1, 0.0245f}}, Vec3{1, 0, 0}, 0.80f);
}

float Hand::operator()(Vec3 p) const {
  const float palm = Union(palm_, p, 0.016f);
  float fingers = 1e9f;
  for (const Limb& f : fingers_) fingers = SmoothMin(fingers, f(p), 0.003f);
  return SmoothMin(palm, fingers, 0.006f);
}

Shoe::Shoe(const BindPose& bind) {
  const Vec3 ankle = bind.AtRest("l_ankle");
  const float x = bind.AtRest("l_midtarsal").x;
  parts_.emplace_back(std::vector<Vec3>{{ankle.x, 0.038f, -0.092f}, {ankle.x, 0.036f, -0.05f}},
                      Spline{{0, 0.034f}, {1, 0.037f}});
  parts_.emplace_back(
      std::vector<Vec3>{
          {ankle.x, 0.046f, -0.055f}, {x, 0.030f, 0.050f}, {x - 0.006f, 0.022f, 0.118f}},
      Spline{{0, 0.040f}, {0.35f, 0.039f}, {0.65f, 0.038f}, {0.85f, 0.034f}, {1, 0.026f}},
      Vec3{1, 0, 0}, 1.22f);
  parts_.emplace_back(std::vector<Vec3>{{ankle.x, 0.05f, -0.068f}, {ankle.x, 0.095f, -0.072f}},
                      Spline{{0, 0.040f}, {1, 0.039f}});
}

float Shoe::Foot(Vec3 p) const { return Union(parts_, p, 0.03f); }

float Shoe::Upper(Vec3 p) const {
  return SmoothMax(Foot(p), std::max(0.016f - p.y, p.y - 0.098f), 0.008f);
}

float Shoe::Sole(Vec3 p) const {
  return SmoothMax(Foot({p.x, 0.028f, p.z}) - 0.004f,
                   std::max(0.001f - p.y, p.y - 0.021f - 0.006f * SmoothStep(0.08f, 0.14f, p.z)),
                   0.007f);
}

}  // namespace posewire::avatar
