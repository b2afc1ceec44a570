#include "libs/skel/hand_touch.h"

#include <algorithm>
#include <cmath>

#include "libs/skel/two_bone_ik_job.h"

namespace posewire::skel {
namespace {

// Iterations until hands on arms that move themselves have settled.
constexpr int kRounds = 8;
// The other arm can be touched up to where its hand begins.
constexpr float kCountsTo = 0.8f;
// In multiples of the distance at which palms touch: up to this they hold each other, and up to
// twice this they begin to release.
constexpr float kHeld = 0.8f;
// Fraction of a bone over which its contact fades in.
constexpr float kBegins = 0.15f;
// Fraction of a ring's radius: nearer to the line, the direction of the surface is undefined.
constexpr float kCore = 0.4f;
// Fractions of the way around a part with hanging hands: up to the first, hands rest on its front;
// from the second on, they hang next to it. Hanging hands are kept at this distance, which applies
// gradually over the last value.
constexpr float kLies = 0.5f, kHangs = 0.9f, kBeside_m = 0.04f, kPush_m = 0.006f;
constexpr float kShort_m = 1e-3f, kThere_m = 1e-4f, kSoft = 0.001f;

HandTouch::Ring RingAt(const HandTouch::Rings& rings, float along) {
  const float at = std::clamp(along, 0.0f, 1.0f) * static_cast<float>(HandTouch::kRings - 1);
  const size_t k = std::min(static_cast<size_t>(at), HandTouch::kRings - 2);
  const float t = at - static_cast<float>(k);
  const auto mix = [t](float a, float b) { return a + (b - a) * t; };
  const HandTouch::Ring &a = rings[k], &b = rings[k + 1];
  return {mix(a.side_m, b.side_m), mix(a.front_m, b.front_m), mix(a.back_m, b.back_m)};
}

// For an offset from a line: the distance of the surface in that direction, and the corresponding
// offset on another body.
struct Surface {
  float radius_m = 0;
  float side = 0;  // 0 in front and back, 1 exactly at the side
  Vec3 there;      // the offset on the other body
  Vec3 beside;     // the smallest offset of a hanging hand
};
Surface Across(Vec3 off, HandTouch::Ring was, HandTouch::Ring is, float scale) {
  if (!(was.side_m > 0 && was.front_m > 0 && was.back_m > 0))
    return {0, 0, off * scale, off * scale};
  const float deep = off.z > 0 ? was.front_m : was.back_m;
  const float x = off.x / was.side_m, z = off.z / deep;
  const float out = std::sqrt(x * x + z * z);
  const float rho = std::max(out, kCore);
  const Vec3 on{off.x / rho, 0, off.z / rho};
  const Vec3 there{x / rho * is.side_m, 0, z / rho * (off.z > 0 ? is.front_m : is.back_m)};
  const Vec3 clear = (off - on) * scale;
  const float far_m = Length({clear.x, 0, clear.z});
  return {Length(on), std::fabs(x) / rho, there + clear,
          there + clear * std::min(1.0f, kBeside_m / std::max(far_m, kShort_m))};
}

// Smooth approximation of max(x, 0).
float Positive(float x) { return 0.5f * (x + std::sqrt(x * x + kPush_m * kPush_m)); }

}  // namespace

// Sum of the effects of all contacts of a point.
struct HandTouch::Pull {
  Vec3 sum;
  float all = 0, most = 0;
};

void HandTouch::DrawTo(const Touched& part, const Line& was, const Line& is, const Point& point,
                       Pull& pull) const {
  const float squared = Dot(was.way, was.way);
  if (!(squared > kShort_m * kShort_m)) return;
  const float along = Dot(point.from - was.start, was.way) / squared;
  const float on = std::clamp(along, 0.0f, 1.0f);
  const Quat turn = Nlerp(was.turn, was.end_turn, on);
  const Vec3 off = Rotate(Conjugate(turn), point.from - (was.start + was.way * on));
  const Surface surface = Across(off, RingAt(part.from, on), RingAt(part.to, on), scale);
  const float near_m = surface.radius_m + part.near_m, distance_m = Length(off);
  float touches = 1 - Smoothstep((distance_m - near_m) / (part.far_m - part.near_m));
  if (part.counts_from != 0) touches *= Smoothstep((along - part.counts_from) / kBegins);
  if (part.counts_to != 1) touches *= 1 - Smoothstep((along - part.counts_to) / kBegins);
  if (!(touches > 0)) return;
  const Quat turned = Nlerp(is.turn, is.end_turn, on);
  Vec3 goal = is.start + is.way * on + Rotate(turned, surface.there);
  if (part.hangs) {
    const float hangs = Smoothstep((surface.side - kLies) / (kHangs - kLies));
    const Vec3 way = Rotate(turned, Normalized(Vec3{surface.there.x, 0, surface.there.z}));
    const Vec3 least = is.start + is.way * on + Rotate(turned, surface.beside);
    const Vec3 out = point.is + way * Positive(Dot(least - point.is, way));
    goal = Lerp(goal, out, hangs);
  }
  // A surface that the hand touches counts more than one that it is next to.
  const float share = near_m / std::max(distance_m, kShort_m);
  const float weight = touches * share * share * share * share;
  pull.sum = pull.sum + goal * weight;
  pull.all += weight;
  pull.most = std::max(pull.most, touches);
}

// Computes the targets of a hand from the parts near it.
void HandTouch::Draw(const Body& from, const Body& to, size_t hand, Hand& out) const {
  const Arm &was = from.arms[1 - hand], &is = to.arms[1 - hand];
  const Touched other{true, arm_near_m, arm_far_m};
  Touched forearm = other;
  forearm.counts_to = kCountsTo;
  // Hands that hold each other do not touch the arms behind them.
  const float arms = Smoothstep(
      (Length(from.arms[0].points[0] - from.arms[1].points[0]) / palm_near_m - kHeld) / kHeld);
  out.on_arm = 0;
  for (size_t i = 0; i < points; ++i) {
    Point& point = out.points[i];
    Pull pull;
    for (size_t p = 0; p < kParts; ++p) {
      if (parts[p].known) DrawTo(parts[p], from.parts[p], to.parts[p], point, pull);
    }
    Pull on;
    DrawTo(other, {was.shoulder, was.elbow - was.shoulder, {}, {}},
           {is.shoulder, is.elbow - is.shoulder, {}, {}}, point, on);
    DrawTo(forearm, {was.elbow, was.wrist - was.elbow, {}, {}},
           {is.elbow, is.wrist - is.elbow, {}, {}}, point, on);
    pull.sum = pull.sum + on.sum * arms;
    pull.all += on.all * arms;
    out.on_arm = std::max(out.on_arm, on.most * arms);
    point.touches = std::max(pull.most, on.most * arms);
    point.goal = point.is;
    if (pull.all > 0) {
      point.goal = point.is + (pull.sum * (1 / pull.all) - point.is) * point.touches;
    }
  }
}

void HandTouch::Move(Vec3 by, Arm& arm, Turn& turn) {
  if (!(Length(by) > kThere_m)) return;
  const Vec3 upper = arm.elbow - arm.shoulder, lower = arm.wrist - arm.elbow;
  const LimbTurn limb = TurnLimb(upper, lower, arm.hinge, arm.wrist + by - arm.shoulder, kSoft);
  const Quat forearm = Mul(limb.swing, limb.bend);
  arm.elbow = arm.shoulder + Rotate(limb.swing, upper);
  const Vec3 wrist = arm.elbow + Rotate(forearm, lower);
  for (Vec3& point : arm.points) point = point + (wrist - arm.wrist);
  arm.wrist = wrist;
  arm.hinge = Rotate(limb.swing, arm.hinge);
  turn.upper = Normalized(Mul(limb.swing, turn.upper));
  turn.lower = Normalized(Mul(forearm, turn.lower));
}

void HandTouch::Run(const Body& from, Body& to, std::array<Turn, kHands>& turns) const {
  std::array<Hand, kHands> hands;
  int givers = 0;
  for (size_t h = 0; h < kHands; ++h) {
    for (size_t i = 0; i < points; ++i) {
      Point& point = hands[h].points[i];
      point.from = from.arms[h].points[i];
      point.is = point.goal = to.arms[h].points[i];
    }
    givers += to.arms[h].moves ? 1 : 0;
    turns[h] = {};
  }
  // Returns the displacement of the whole hand: the palm's, or the fingers' as far as the palm
  // touches nothing.
  const auto way_of = [this](const Hand& hand) {
    Vec3 sum;
    float all = 0, left = 1;
    for (size_t i = 0; i < points; ++i) {
      const Point& point = hand.points[i];
      const float weight = point.touches * left;
      sum = sum + (point.goal - point.is) * weight;
      all += weight;
      left *= 1 - point.touches;
    }
    return all > 0 ? sum * (1 / all) : Vec3{};
  };
  const auto put = [&](size_t h, Vec3 way) {
    Arm& arm = to.arms[h];
    Move(hands[h].points[0].is + way - arm.points[0], arm, turns[h]);
  };
  const Vec3 apart = hands[1].points[0].from - hands[0].points[0].from;
  const float near = 1 - Smoothstep((Length(apart) - palm_near_m) / (palm_far_m - palm_near_m));
  bool settled = false;
  for (int round = 0; round < kRounds && !settled; ++round) {
    std::array<Vec3, kHands> ways;
    for (size_t h = 0; h < kHands; ++h) {
      if (!to.arms[h].moves) continue;
      Draw(from, to, h, hands[h]);
      ways[h] = way_of(hands[h]);
      if (hands[h].on_arm > 0) put(h, ways[h]);
    }
    const float on_arm = std::max(hands[0].on_arm, hands[1].on_arm);
    // Each hand moves by half of the error, or the movable one by all of it.
    if (const float meet = near * (1 - on_arm); meet > 0 && givers > 0) {
      const Vec3 is = hands[1].points[0].is + ways[1] - hands[0].points[0].is - ways[0];
      const Vec3 share = (apart * scale - is) * (meet / static_cast<float>(givers));
      if (to.arms[0].moves) ways[0] = ways[0] - share;
      if (to.arms[1].moves) ways[1] = ways[1] + share;
    }
    for (size_t h = 0; h < kHands; ++h) {
      if (to.arms[h].moves) put(h, ways[h]);
    }
    settled = on_arm == 0;
  }
}

}  // namespace posewire::skel
