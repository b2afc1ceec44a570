// Signs of one hand or two.
#include "libs/gesture/repertoire.h"
#include "libs/gesture/stay.h"

namespace posewire::gesture {
namespace {

constexpr Side kBoth[] = {Side::kLeft, Side::kRight};

// Five on the right hand, the rest on the left.
double CountBoth(Script& s, HandShape rest) {
  Reach up;
  up.wrist = {0.280f, 1.400f, 0.250f};
  up.fingers = {0.02f, 1, 0.03f};
  up.palm = {0, 0, 1};
  up.elbow = {0.55f, -1, -0.1f};
  for (Side side : kBoth) {
    const HandShape shape = side == Side::kRight ? HandShape::kCount5 : rest;
    Reach at = up;
    s.Arm(side, 0.05, 0.52, at, HandShape::kFist, 0.7f);
    s.Hand(side, 0.38, 0.64, shape);
    at.wrist.y -= 0.018f;
    at.wrist.z += 0.022f;
    s.Arm(side, 0.74, 0.88, at, shape, 0.5f);
    s.ArmHome(side, 1.40, 1.90);
  }
  s.Look(0.60, 0.84, {5, 0, 0});
  s.Look(1.0, 1.4, {0, 0, 0});
  return 2.3;
}

double Count6(Script& s) { return CountBoth(s, HandShape::kCount1); }
double Count7(Script& s) { return CountBoth(s, HandShape::kCount2); }
double Count8(Script& s) { return CountBoth(s, HandShape::kCount3); }
double Count9(Script& s) { return CountBoth(s, HandShape::kCount4); }

// The raised index finger goes from side to side.
double FingerWag(Script& s) {
  Reach up;
  up.wrist = {0.255f, 1.385f, 0.280f};
  up.fingers = {0, 1, 0.08f};
  up.palm = {-0.15f, 0, 1};
  up.elbow = {0.6f, -1, -0.1f};
  s.Arm(Side::kRight, 0.06, 0.44, up, HandShape::kCount1, 0.6f);
  double t = 0.44;
  for (int i = 0; i < 5; ++i, t += 0.17) {
    const float out = i % 2 == 0 ? -1.0f : 1.0f;
    Reach wag = up;
    wag.wrist.x += 0.030f * out;
    wag.fingers.x = 0.42f * out;
    s.Arm(Side::kRight, t, t + 0.17, wag, HandShape::kCount1, 0);
    s.Look(t, t + 0.17, {3, -5 * out, 2 * out}, 0);
  }
  s.ArmHome(Side::kRight, 1.34, 1.84);
  s.Look(1.34, 1.75, {0, 0, 0});
  StayPair(s, "browDown", {0.15, 0.4, 1.2, 1.6}, 0.45f);
  StayPair(s, "mouthPress", {0.15, 0.4, 1.2, 1.6}, 0.4f);
  return 2.2;
}

// Thumb and index finger show how little.
double Little(Script& s) {
  Reach show;
  show.wrist = {0.205f, 1.375f, 0.300f};
  show.fingers = {-0.35f, 0.85f, 0.30f};
  show.palm = {-0.55f, 0, 0.85f};
  show.elbow = {0.7f, -1, -0.1f};
  s.Arm(Side::kRight, 0.06, 0.52, show, HandShape::kGap, 0.6f);
  Reach closer = show;
  closer.wrist.z += 0.03f;
  closer.wrist.y += 0.02f;
  s.Arm(Side::kRight, 0.70, 0.95, closer, HandShape::kGap, 0.2f);
  s.ArmHome(Side::kRight, 1.36, 1.86);
  StayLook(s, {0.15, 0.6, 1.35, 1.85}, {3, -6, 8});
  StayTrunk(s, {0.15, 0.6, 1.35, 1.85}, {4, 3, 0});
  StayPair(s, "eyeSquint", {0.25, 0.55, 1.3, 1.7}, 0.8f);
  StayPair(s, "browDown", {0.25, 0.55, 1.3, 1.7}, 0.3f);
  StayPair(s, "mouthPress", {0.25, 0.55, 1.3, 1.7}, 0.35f);
  return 2.25;
}

// Thumb against fingertips, rubbing.
double Money(Script& s) {
  Reach rub;
  rub.wrist = {0.225f, 1.300f, 0.320f};
  rub.fingers = {-0.25f, 0.80f, 0.55f};
  rub.palm = {-0.60f, 0.35f, -0.65f};
  rub.elbow = {0.7f, -1, -0.2f};
  s.Arm(Side::kRight, 0.06, 0.52, rub, HandShape::kPinch, 0.6f);
  const ArmAngles held = s.ArmNow(Side::kRight);
  double t = 0.56;
  for (int i = 0; i < 8; ++i, t += 0.11) {
    const float way = i % 2 == 0 ? 1.0f : -1.0f;
    s.ArmAngle(Side::kRight, kThumbOppose, t, held[kThumbOppose] + 0.17f * way);
    s.ArmAngle(Side::kRight, kThumbFlex2, t, held[kThumbFlex2] - 0.20f * way);
    for (int f = 0; f < 2; ++f) {
      const auto base = static_cast<ArmControl>(kFingers + 3 * f + 1);
      const auto middle = static_cast<ArmControl>(kFingers + 3 * f + 2);
      s.ArmAngle(Side::kRight, base, t, held[static_cast<size_t>(base)] - 0.16f * way);
      s.ArmAngle(Side::kRight, middle, t, held[static_cast<size_t>(middle)] + 0.20f * way);
    }
  }
  s.ArmHome(Side::kRight, 1.55, 2.05);
  StayLook(s, {0.15, 0.6, 1.5, 2.0}, {2, -4, 6});
  StayBrows(s, {0.3, 0.55, 1.2, 1.6}, 0.5f);
  StayShape(s, "mouthSmileRight", {0.3, 0.6, 1.5, 2.0}, 0.55f);
  StayShape(s, "mouthSmileLeft", {0.3, 0.6, 1.5, 2.0}, 0.2f);
  return 2.45;
}

// The arm goes straight up: one moment.
double RaiseFinger(Script& s) {
  Reach up;
  up.wrist = {0.315f, 1.720f, 0.170f};
  up.fingers = {-0.05f, 1, 0};
  up.palm = {-0.1f, 0, 1};
  up.elbow = {0.9f, -1, 0.1f};
  up.clavicle_up = 0.30f;
  s.Arm(Side::kRight, 0.08, 0.60, up, HandShape::kCount1);
  up.wrist.y += 0.045f;
  s.Arm(Side::kRight, 0.95, 1.12, up, HandShape::kCount1, 0.5f);
  s.ArmHome(Side::kRight, 1.75, 2.35);
  StayTrunk(s, {0.1, 0.65, 1.7, 2.3}, {-2, 3, -5});
  StayLook(s, {0.12, 0.55, 1.7, 2.3}, {-6, -2, 4});
  StayBrows(s, {0.12, 0.4, 1.5, 2.1}, 0.85f);
  StayPair(s, "eyeWide", {0.12, 0.4, 1.4, 1.9}, 0.35f);
  StayShape(s, "jawOpen", {0.2, 0.5, 1.3, 1.8}, 0.16f);
  return 2.75;
}

// A flat hand, palm down, tips from side to side.
double MoreOrLess(Script& s) {
  Reach level;
  level.wrist = {0.240f, 1.200f, 0.330f};
  level.fingers = {-0.30f, 0.08f, 1};
  level.palm = {-0.35f, -0.95f, 0};
  level.elbow = {0.9f, -1, -0.2f};
  s.Arm(Side::kRight, 0.06, 0.48, level, HandShape::kOpen, 0.6f);
  const ArmAngles held = s.ArmNow(Side::kRight);
  double t = 0.48;
  for (int i = 0; i < 5; ++i, t += 0.18) {
    const float way = i % 2 == 0 ? -1.0f : 1.0f;
    s.ArmAngle(Side::kRight, kForearmTwist, t + 0.18, held[kForearmTwist] - 0.28f + 0.42f * way);
    s.ArmAngle(Side::kRight, kWristDeviate, t + 0.18, held[kWristDeviate] + 0.10f * way);
    s.Look(t, t + 0.18, {0, 0, 5 * way}, 0);
  }
  s.ArmHome(Side::kRight, 1.42, 1.92);
  s.Look(1.42, 1.85, {0, 0, 0});
  StayBrows(s, {0.2, 0.5, 1.3, 1.7}, 0.4f);
  StayShape(s, "mouthShrugLower", {0.2, 0.5, 1.3, 1.8}, 0.5f);
  StayPair(s, "mouthFrown", {0.2, 0.5, 1.3, 1.8}, 0.4f);
  return 2.3;
}

// The fist turned over, the thumb down.
double ThumbsDown(Script& s) {
  Reach fist;
  fist.wrist = {0.215f, 1.270f, 0.300f};
  fist.fingers = {-0.95f, 0.0f, 0.35f};
  fist.palm = {0.30f, -0.10f, 0.95f};
  fist.elbow = {1, 0.25f, -0.1f};
  fist.clavicle_up = 0.10f;
  s.Arm(Side::kRight, 0.06, 0.46, fist, HandShape::kThumbUp, 0.5f);
  Reach low = fist;
  low.wrist.y -= 0.060f;
  s.Arm(Side::kRight, 0.62, 0.80, low, HandShape::kThumbUp, 0.4f);
  s.ArmHome(Side::kRight, 1.22, 1.76);
  s.Look(0.1, 0.45, {3, 0, 0});
  s.Look(0.55, 0.8, {6, -3, -4});
  s.Look(1.2, 1.7, {0, 0, 0});
  StayPair(s, "browDown", {0.15, 0.45, 1.2, 1.7}, 0.5f);
  StayPair(s, "mouthFrown", {0.15, 0.45, 1.2, 1.7}, 0.7f);
  StayShape(s, "mouthShrugLower", {0.15, 0.45, 1.2, 1.7}, 0.4f);
  StayPair(s, "noseSneer", {0.15, 0.45, 1.2, 1.7}, 0.25f);
  return 2.15;
}

// Both hands cross before the body and cut outward, the head shakes.
double No(Script& s) {
  for (Side side : kBoth) {
    const bool left = side == Side::kLeft;
    Reach cross;
    cross.wrist = {-0.050f, left ? 1.215f : 1.165f, left ? 0.330f : 0.270f};
    cross.fingers = {-0.45f, 0.35f, 0.80f};
    cross.palm = {-0.15f, -0.85f, 0.45f};
    cross.elbow = {0.9f, -0.8f, -0.1f};
    Reach cut = cross;
    cut.wrist = {0.400f, 1.150f, 0.270f};
    cut.fingers = {0.35f, 0.25f, 0.95f};
    cut.palm = {0.05f, -0.9f, 0.4f};
    s.Arm(side, 0.08, 0.58, cross, HandShape::kFlat, 0.5f);
    s.Arm(side, 0.66, 0.96, cut, HandShape::kFlat, 0.6f);
    s.Arm(side, 1.10, 1.42, cross, HandShape::kFlat, 0.3f);
    s.Arm(side, 1.48, 1.78, cut, HandShape::kFlat, 0.6f);
    s.ArmHome(side, 2.30, 2.90);
  }
  s.Look(0.30, 0.60, {4, 22, 0}, 0);
  s.Look(0.60, 0.95, {4, -22, 0}, 0);
  s.Look(0.95, 1.30, {4, 20, 0}, 0);
  s.Look(1.30, 1.65, {4, -18, 0}, 0);
  s.Look(1.65, 1.95, {3, 8, 0}, 0);
  s.Look(1.95, 2.30, {0, 0, 0}, 0);
  StayTrunk(s, {0.1, 0.6, 2.2, 2.8}, {4, 0, 0});
  StayPair(s, "browDown", {0.15, 0.5, 2.1, 2.7}, 0.6f);
  StayPair(s, "mouthPress", {0.15, 0.5, 2.1, 2.7}, 0.5f);
  StayPair(s, "mouthFrown", {0.15, 0.5, 2.1, 2.7}, 0.3f);
  return 3.3;
}

// A raised fist shakes at the other.
double AngryShakingFist(Script& s) {
  Reach fist;
  fist.wrist = {0.275f, 1.545f, 0.250f};
  fist.fingers = {-0.05f, 1, 0.20f};
  fist.palm = {-0.75f, 0, 0.65f};
  fist.elbow = {0.7f, -1, 0};
  fist.clavicle_up = 0.14f;
  s.Arm(Side::kRight, 0.05, 0.42, fist, HandShape::kFist);
  double t = 0.44;
  for (int i = 0; i < 6; ++i, t += 0.115) {
    Reach shake = fist;
    if (i % 2 == 0) {
      shake.wrist = {0.265f, 1.500f, 0.315f};
      shake.fingers = {-0.05f, 1, 0.50f};
    }
    s.Arm(Side::kRight, t, t + 0.115, shake, HandShape::kFist, 0);
    s.Look(t, t + 0.115, {i % 2 == 0 ? 9.0f : 5.0f, 0, 0}, 0);
  }
  s.ArmHome(Side::kRight, 1.22, 1.72);
  s.Look(1.25, 1.7, {0, 0, 0});
  StayTrunk(s, {0.1, 0.45, 1.2, 1.7}, {8, 6, 0});
  StayPair(s, "browDown", {0.08, 0.35, 1.2, 1.65}, 1.0f);
  StayPair(s, "noseSneer", {0.08, 0.35, 1.2, 1.65}, 0.6f);
  StayPair(s, "mouthPress", {0.08, 0.35, 1.2, 1.65}, 0.5f);
  StayPair(s, "mouthFrown", {0.08, 0.35, 1.2, 1.65}, 0.4f);
  StayPair(s, "eyeSquint", {0.08, 0.35, 1.2, 1.65}, 0.4f);
  return 2.1;
}

constexpr Recipe kRecipes[] = {{"count_6", Count6},
                               {"count_7", Count7},
                               {"count_8", Count8},
                               {"count_9", Count9},
                               {"finger_wag", FingerWag},
                               {"little", Little},
                               {"money", Money},
                               {"raise_finger", RaiseFinger},
                               {"more_or_less", MoreOrLess},
                               {"thumbs_down", ThumbsDown},
                               {"no", No},
                               {"angry_shaking_fist", AngryShakingFist}};

}  // namespace

absl::Span<const Recipe> HandRecipes() { return kRecipes; }

}  // namespace posewire::gesture
