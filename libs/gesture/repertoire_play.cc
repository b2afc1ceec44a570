// Small scenes.
#include "libs/gesture/repertoire.h"
#include "libs/gesture/stay.h"

namespace posewire::gesture {
namespace {

constexpr Side kBoth[] = {Side::kLeft, Side::kRight};

// A coin goes up twice and is caught; the eyes go with it.
double Toss(Script& s) {
  Reach hold;
  hold.wrist = {0.250f, 1.140f, 0.310f};
  hold.fingers = {-0.25f, 0.10f, 1};
  hold.palm = {-0.12f, 1, 0};
  hold.elbow = {0.6f, -1, -0.5f};
  Reach low = hold;
  low.wrist.y -= 0.085f;
  Reach high = hold;
  high.wrist.y += 0.150f;
  high.wrist.z += 0.020f;
  s.Arm(Side::kRight, 0.08, 0.55, hold, HandShape::kCup, 0.5f);
  s.Look(0.1, 0.55, {15, -5, 0});
  for (double t : {0.65, 1.95}) {
    s.Arm(Side::kRight, t, t + 0.25, low, HandShape::kCup, 0);
    s.Arm(Side::kRight, t + 0.25, t + 0.44, high, HandShape::kOpen, 0);
    s.Arm(Side::kRight, t + 0.44, t + 0.72, hold, HandShape::kOpen, 0);
    s.Arm(Side::kRight, t + 0.88, t + 1.10, low, HandShape::kGrip, 0);
    s.Arm(Side::kRight, t + 1.12, t + 1.30, hold, HandShape::kCup, 0);
    s.Look(t + 0.30, t + 0.58, {-20, -4, 0}, 0);
    s.Look(t + 0.70, t + 1.02, {15, -5, 0}, 0);
    StayPair(s, "eyeLookUp", {t + 0.28, t + 0.45, t + 0.66, t + 0.86}, 0.5f);
    StayBrows(s, {t + 0.3, t + 0.5, t + 0.7, t + 1.0}, 0.45f);
  }
  s.ArmHome(Side::kRight, 3.30, 3.85);
  s.Look(3.25, 3.8, {0, 0, 0});
  StaySmile(s, {2.9, 3.1, 3.4, 3.9}, 0.5f);
  return 4.25;
}

// A hand beside the mouth, the head near the other's ear.
double TellSecret(Script& s) {
  Reach screen;
  screen.wrist = {0.125f, 1.480f, 0.125f};
  screen.fingers = {-0.05f, 1, 0.05f};
  screen.palm = {-1, 0, 0.05f};
  screen.elbow = {0.9f, -1, 0.25f};
  screen.clavicle_up = 0.08f;
  screen.clavicle_front = 0.1f;
  s.Arm(Side::kRight, 0.10, 0.62, screen, HandShape::kFlat, 0.5f);
  s.ArmHome(Side::kRight, 1.95, 2.50);
  StayTrunk(s, {0.1, 0.7, 1.9, 2.5}, {22, 10, -10});
  s.Turn(Run::kPelvis, 0.1, 0.7, {8, 0, 0});
  s.Turn(Run::kPelvisShift, 0.1, 0.7, {0, -0.004f, -0.03f});
  s.Turn(Run::kPelvis, 1.9, 2.5, {0, 0, 0});
  s.Turn(Run::kPelvisShift, 1.9, 2.5, {0, 0, 0});
  s.Look(0.15, 0.65, {-10, 4, -6});
  s.Look(1.95, 2.5, {0, 0, 0});
  // A glance to either side first.
  for (const char* eye : {"eyeLookOutRight", "eyeLookInLeft"}) {
    StayShape(s, eye, {0.55, 0.68, 0.90, 1.05}, 0.75f);
  }
  for (const char* eye : {"eyeLookOutLeft", "eyeLookInRight"}) {
    StayShape(s, eye, {1.0, 1.15, 1.7, 1.9}, 0.5f);
  }
  StayPair(s, "eyeSquint", {0.3, 0.6, 1.8, 2.3}, 0.4f);
  StayBrows(s, {0.3, 0.6, 1.8, 2.3}, 0.4f);
  for (double t : {1.05, 1.35, 1.62}) {
    StayShape(s, "mouthFunnel", {t, t + 0.12, t + 0.14, t + 0.26}, 0.3f);
    StayShape(s, "jawOpen", {t, t + 0.12, t + 0.14, t + 0.26}, 0.12f);
  }
  return 2.9;
}

// Fingertips to the lips, a kiss, and the hand opens away.
double ChefsKiss(Script& s) {
  Reach lips;
  lips.wrist = {0.085f, 1.455f, 0.215f};
  lips.fingers = {-0.42f, 0.78f, -0.42f};
  lips.palm = {-0.45f, 0, -0.9f};
  lips.elbow = {0.9f, -1, 0.25f};
  lips.clavicle_up = 0.06f;
  s.Arm(Side::kRight, 0.06, 0.50, lips, HandShape::kBunch, 0.4f);
  Reach fling;
  fling.wrist = {0.290f, 1.480f, 0.350f};
  fling.fingers = {0.15f, 1, 0.30f};
  fling.palm = {-0.60f, 0.1f, -0.40f};
  fling.elbow = {0.8f, -1, 0};
  s.Arm(Side::kRight, 0.66, 0.94, fling, HandShape::kCount5, 0.8f);
  s.ArmHome(Side::kRight, 1.26, 1.78);
  s.Look(0.1, 0.5, {6, 0, 3});
  s.Look(0.64, 0.94, {-7, -3, 4});
  s.Look(1.25, 1.75, {0, 0, 0});
  StayPair(s, "eyeBlink", {0.2, 0.42, 0.85, 1.05}, 0.95f);
  StayShape(s, "mouthPucker", {0.2, 0.46, 0.64, 0.80}, 0.9f);
  StaySmile(s, {0.72, 0.95, 1.3, 1.75}, 0.65f);
  StayBrows(s, {0.3, 0.6, 1.1, 1.5}, 0.4f);
  return 2.15;
}

// Two pistols of thumb and finger fire in turn.
double FingerGuns(Script& s) {
  Reach aim;
  aim.wrist = {0.205f, 1.190f, 0.350f};
  aim.fingers = {-0.12f, 0.10f, 1};
  aim.palm = {-1, 0, -0.05f};
  aim.elbow = {0.7f, -1, -0.4f};
  Reach kick = aim;
  kick.wrist.y += 0.040f;
  kick.wrist.z -= 0.030f;
  kick.fingers = {-0.12f, 0.55f, 1};
  for (Side side : kBoth) s.Arm(side, 0.08, 0.58, aim, HandShape::kGun);
  const auto fire = [&](Side side, double t) {
    s.Arm(side, t, t + 0.10, kick, HandShape::kGun, 0);
    s.Arm(side, t + 0.12, t + 0.36, aim, HandShape::kGun, 0.2f);
  };
  fire(Side::kRight, 0.90);
  fire(Side::kLeft, 1.22);
  fire(Side::kRight, 1.60);
  fire(Side::kLeft, 1.62);
  for (Side side : kBoth) s.ArmHome(side, 2.30, 2.90);
  s.Turn(Run::kThorax, 0.5, 0.95, {0, 5, 0});
  s.Turn(Run::kThorax, 1.05, 1.3, {0, -5, 0});
  s.Turn(Run::kThorax, 1.45, 1.7, {-3, 0, 0});
  s.Turn(Run::kThorax, 2.3, 2.85, {0, 0, 0});
  s.Look(0.2, 0.7, {-2, 0, 7});
  s.Look(2.25, 2.8, {0, 0, 0});
  const Stay wink{1.62, 1.74, 1.95, 2.12};
  StayShape(s, "eyeBlinkRight", wink, 1);
  StayShape(s, "cheekSquintRight", wink, 0.6f);
  StayPair(s, "mouthSmile", {0.3, 0.7, 2.2, 2.8}, 0.55f);
  StayShape(s, "browOuterUpLeft", {0.4, 0.7, 2.1, 2.6}, 0.5f);
  return 3.3;
}

// The hand comes off something hot and is shaken.
double Ouch(Script& s) {
  Reach reach;
  reach.wrist = {0.230f, 1.120f, 0.400f};
  reach.fingers = {-0.15f, 0, 1};
  reach.palm = {-0.35f, -0.95f, 0};
  reach.elbow = {0.7f, -1, -0.3f};
  s.Arm(Side::kRight, 0.06, 0.42, reach, HandShape::kOpen, 0.3f);
  Reach away;
  away.wrist = {0.270f, 1.330f, 0.250f};
  away.fingers = {0.10f, 0.65f, 0.75f};
  away.palm = {-0.30f, -0.70f, 0.65f};
  away.elbow = {0.9f, -1, -0.2f};
  away.clavicle_up = 0.18f;
  s.Arm(Side::kRight, 0.46, 0.66, away, HandShape::kCount5, 0.4f);
  const ArmAngles held = s.ArmNow(Side::kRight);
  double t = 0.72;
  float size = 1;
  for (int i = 0; i < 9; ++i, t += 0.085, size *= 0.92f) {
    const float way = (i % 2 == 0 ? 1.0f : -0.6f) * size;
    s.ArmAngle(Side::kRight, kWristFlex, t, held[kWristFlex] + 0.55f * way);
    s.ArmAngle(Side::kRight, kElbowFlex, t, held[kElbowFlex] - 0.14f * way);
  }
  s.ArmHome(Side::kRight, 1.62, 2.15);
  s.Look(0.1, 0.4, {10, -5, 0});
  s.Look(0.46, 0.66, {-9, 6, -5});
  s.Look(0.9, 1.2, {4, -8, 4});
  s.Look(1.6, 2.1, {0, 0, 0});
  StayTrunk(s, {0.44, 0.66, 1.5, 2.1}, {-8, -4, 0});
  StayPair(s, "eyeBlink", {0.46, 0.56, 0.85, 1.05}, 0.9f);
  StayPair(s, "eyeSquint", {0.46, 0.6, 1.4, 1.8}, 0.7f);
  StayPair(s, "browDown", {0.46, 0.6, 1.4, 1.8}, 0.6f);
  StayShape(s, "browInnerUp", {0.46, 0.6, 1.4, 1.8}, 0.5f);
  StayPair(s, "mouthStretch", {0.46, 0.6, 1.3, 1.75}, 0.8f);
  StayShape(s, "jawOpen", {0.46, 0.62, 1.1, 1.6}, 0.3f);
  StayPair(s, "noseSneer", {0.46, 0.62, 1.3, 1.7}, 0.5f);
  return 2.55;
}

constexpr Recipe kRecipes[] = {{"toss", Toss},
                               {"tell_secret", TellSecret},
                               {"chefs_kiss", ChefsKiss},
                               {"finger_guns", FingerGuns},
                               {"ouch", Ouch}};

}  // namespace

absl::Span<const Recipe> PlayRecipes() { return kRecipes; }

}  // namespace posewire::gesture
