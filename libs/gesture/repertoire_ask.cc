// Questions, and pointing that asks or goes behind.
#include <cmath>

#include "libs/gesture/repertoire.h"
#include "libs/gesture/stay.h"

namespace posewire::gesture {
namespace {

// The thumb over the shoulder, twice.
double PointBackward(Script& s) {
  Reach back;
  back.wrist = {0.345f, 1.460f, 0.145f};
  back.fingers = {0.05f, 1, -0.10f};
  back.palm = {-1, 0, -0.15f};
  back.elbow = {0.6f, -1, 0.3f};
  back.clavicle_up = 0.08f;
  s.Arm(Side::kRight, 0.12, 0.70, back, HandShape::kThumbUp);
  Reach further = back;
  further.wrist = {0.350f, 1.485f, 0.110f};
  further.fingers = {0.05f, 1, -0.30f};
  for (double t : {0.95, 1.50}) {
    s.Arm(Side::kRight, t, t + 0.20, further, HandShape::kThumbUp, 0);
    s.Arm(Side::kRight, t + 0.22, t + 0.46, back, HandShape::kThumbUp, 0);
  }
  s.ArmHome(Side::kRight, 2.60, 3.25);
  s.Look(0.10, 0.60, {0, -40, -4});
  s.Look(1.55, 2.05, {0, 0, 4});
  s.Look(2.6, 3.2, {0, 0, 0});
  StayTrunk(s, {0.12, 0.7, 2.4, 3.1}, {-3, -14, 0});
  for (const char* eye : {"eyeLookOutRight", "eyeLookInLeft"}) {
    StayShape(s, eye, {0.08, 0.25, 1.5, 1.75}, 0.55f);
  }
  StayBrows(s, {1.6, 1.9, 2.4, 2.9}, 0.35f);
  return 3.65;
}

// Me? The finger on the chest, the head forward and tilted.
double PointSelfQuestion(Script& s) {
  Reach chest;
  chest.wrist = {0.165f, 1.285f, 0.235f};
  chest.fingers = {-0.82f, 0.20f, -0.46f};
  chest.palm = {-0.40f, 0.05f, -0.9f};
  chest.elbow = {1, -0.8f, 0};
  chest.clavicle_up = 0.16f;
  s.Arm(Side::kRight, 0.08, 0.58, chest, HandShape::kPoint);
  Reach open;
  open.wrist = {0.370f, 1.130f, 0.250f};
  open.fingers = {0.75f, 0.10f, 0.65f};
  open.palm = {-0.1f, 1, 0.2f};
  open.elbow = {0.3f, -1, -0.6f};
  open.clavicle_up = 0.16f;
  s.Arm(Side::kLeft, 0.45, 0.95, open, HandShape::kOpen);
  s.ArmHome(Side::kRight, 1.95, 2.50);
  s.ArmHome(Side::kLeft, 1.90, 2.45);
  s.Look(0.2, 0.65, {5, -6, 0});
  s.Look(0.75, 1.1, {-4, 4, 12});
  s.Look(1.95, 2.5, {0, 0, 0});
  StayTrunk(s, {0.3, 0.9, 1.9, 2.5}, {6, 0, 0});
  StayBrows(s, {0.45, 0.75, 1.8, 2.3}, 0.9f);
  StayPair(s, "eyeWide", {0.45, 0.75, 1.7, 2.2}, 0.45f);
  StayShape(s, "jawOpen", {0.7, 0.95, 1.6, 2.0}, 0.14f);
  return 2.9;
}

// You? The finger low and palm up, the head tilted.
double PointYouQuestion(Script& s) {
  Reach front;
  front.wrist = {0.235f, 1.225f, 0.430f};
  front.fingers = {-0.02f, 0.12f, 1};
  front.palm = {-0.55f, 0.8f, 0};
  front.elbow = {0.6f, -1, -0.3f};
  front.clavicle_up = 0.10f;
  front.clavicle_front = 0.10f;
  s.Arm(Side::kRight, 0.08, 0.56, front, HandShape::kPoint);
  Reach again = front;
  again.wrist = {0.225f, 1.265f, 0.455f};
  s.Arm(Side::kRight, 0.85, 1.05, again, HandShape::kPoint, 0.3f);
  s.ArmHome(Side::kRight, 1.60, 2.15);
  s.Look(0.15, 0.6, {-2, 2, -12});
  s.Look(1.6, 2.1, {0, 0, 0});
  StayTrunk(s, {0.1, 0.6, 1.55, 2.1}, {6, 6, 0});
  StayBrows(s, {0.25, 0.55, 1.5, 2.0}, 0.85f);
  StayPair(s, "eyeWide", {0.25, 0.55, 1.4, 1.9}, 0.35f);
  StayPair(s, "mouthDimple", {0.3, 0.6, 1.4, 1.9}, 0.3f);
  return 2.55;
}

// The hand behind the ear; then the hand rolls: once more.
double PleaseRepeat(Script& s) {
  Reach ear;
  ear.wrist = {0.225f, 1.590f, 0.020f};
  ear.fingers = {-0.70f, 0.75f, -0.22f};
  ear.palm = {-0.25f, 0, 1};
  ear.elbow = {1, -0.8f, -0.1f};
  ear.clavicle_up = 0.14f;
  s.Arm(Side::kRight, 0.10, 0.70, ear, HandShape::kCup);
  Reach roll;
  roll.fingers = {-0.60f, 0.15f, 0.8f};
  roll.palm = {-0.75f, -0.35f, -0.55f};
  roll.elbow = {0.8f, -1, -0.2f};
  const auto place = [&](double turns) {
    const auto a = static_cast<float>(turns * 6.283185307);
    roll.wrist = {0.190f, 1.230f + 0.070f * std::cos(a), 0.320f + 0.070f * std::sin(a)};
    roll.fingers.y = 0.15f + 0.35f * std::cos(a);
  };
  place(0);
  s.Arm(Side::kRight, 2.45, 2.95, roll, HandShape::kPoint, 0.3f);
  for (int i = 1; i <= 18; ++i) {
    place(i / 8.0);
    const double t = 2.95 + 0.085 * i;
    s.Arm(Side::kRight, t - 0.085, t, roll, HandShape::kPoint, 0);
  }
  s.ArmHome(Side::kRight, 4.70, 5.30);
  s.Turn(Run::kLumbar, 0.15, 0.75, {6, 4, 3});
  s.Turn(Run::kThorax, 0.15, 0.75, {7, 5, 4});
  s.Turn(Run::kLumbar, 2.40, 3.0, {3, 0, 0});
  s.Turn(Run::kThorax, 2.40, 3.0, {3, 3, 0});
  s.Turn(Run::kLumbar, 4.6, 5.3, {0, 0, 0});
  s.Turn(Run::kThorax, 4.6, 5.3, {0, 0, 0});
  s.Look(0.20, 0.80, {2, 22, 9});
  s.Look(2.40, 2.95, {-3, 0, 7});
  s.Look(3.4, 3.7, {4, 0, 7}, 0);
  s.Look(3.7, 4.1, {-3, 0, 7}, 0);
  s.Look(4.65, 5.25, {0, 0, 0});
  StayBrows(s, {0.4, 0.8, 4.5, 5.1}, 0.6f);
  StayPair(s, "eyeSquint", {0.4, 0.8, 2.2, 2.6}, 0.35f);
  return 5.7;
}

// One hand scratches the head, the other asks.
double DontUnderstand(Script& s) {
  Reach scratch;
  scratch.wrist = {0.250f, 1.705f, 0.060f};
  scratch.fingers = {-0.72f, 0.72f, -0.05f};
  scratch.palm = {-0.75f, -0.65f, 0};
  scratch.elbow = {1, -0.6f, 0.25f};
  scratch.clavicle_up = 0.20f;
  s.Arm(Side::kRight, 0.08, 0.70, scratch, HandShape::kCup, 0.5f);
  const ArmAngles held = s.ArmNow(Side::kRight);
  double t = 0.80;
  for (int i = 0; i < 8; ++i, t += 0.13) {
    const float bend = i % 2 == 0 ? 0.30f : 0;
    for (int f = 0; f < 4; ++f) {
      const auto middle = static_cast<ArmControl>(kFingers + 3 * f + 2);
      s.ArmAngle(Side::kRight, middle, t, held[static_cast<size_t>(middle)] + bend);
    }
    s.ArmAngle(Side::kRight, kWristFlex, t, held[kWristFlex] + 0.25f * bend);
  }
  Reach ask;
  ask.wrist = {0.400f, 1.130f, 0.250f};
  ask.fingers = {0.80f, 0.10f, 0.60f};
  ask.palm = {-0.05f, 1, 0.2f};
  ask.elbow = {0.2f, -1, -0.6f};
  ask.clavicle_up = 0.22f;
  s.Arm(Side::kLeft, 0.45, 0.95, ask, HandShape::kOpen);
  s.ArmHome(Side::kRight, 2.10, 2.75);
  s.ArmHome(Side::kLeft, 2.05, 2.65);
  StayLook(s, {0.2, 0.8, 2.1, 2.75}, {5, -6, 13});
  StayTrunk(s, {0.1, 0.7, 2.1, 2.75}, {2, 0, 3});
  StayShape(s, "browDownLeft", {0.3, 0.7, 2.0, 2.6}, 0.7f);
  StayShape(s, "browOuterUpRight", {0.3, 0.7, 2.0, 2.6}, 0.7f);
  StayShape(s, "browInnerUp", {0.3, 0.7, 2.0, 2.6}, 0.35f);
  StayShape(s, "mouthLeft", {0.3, 0.7, 2.0, 2.6}, 0.35f);
  StayPair(s, "mouthFrown", {0.3, 0.7, 2.0, 2.6}, 0.3f);
  StayPair(s, "eyeLookUp", {0.5, 0.7, 1.4, 1.6}, 0.45f);
  return 3.15;
}

constexpr Recipe kRecipes[] = {{"point_backward", PointBackward},
                               {"point_self_question", PointSelfQuestion},
                               {"point_you_question", PointYouQuestion},
                               {"please_repeat", PleaseRepeat},
                               {"dont_understand", DontUnderstand}};

}  // namespace

absl::Span<const Recipe> AskRecipes() { return kRecipes; }

}  // namespace posewire::gesture
