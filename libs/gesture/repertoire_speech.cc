#include "libs/gesture/repertoire.h"

namespace posewire::gesture {
namespace {

constexpr Side kBoth[] = {Side::kLeft, Side::kRight};

double Shrug(Script& s) {
  Reach out;
  out.wrist = {0.425f, 1.165f, 0.210f};
  out.fingers = {1, 0.10f, 0.45f};
  out.palm = {0.05f, 1, 0.25f};
  out.elbow = {0.10f, -1, -0.7f};
  out.clavicle_up = 0.50f;
  out.clavicle_front = 0.05f;
  for (Side side : kBoth) {
    s.Arm(side, 0.08, 0.50, out, HandShape::kOpen);
    s.ArmHome(side, 1.20, 1.80);
  }
  s.Turn(Run::kThorax, 0.08, 0.5, {3, 0, 0});
  s.Look(0.10, 0.55, {-4, 0, 13});
  s.Turn(Run::kThorax, 1.2, 1.75, {0, 0, 0});
  s.Look(1.25, 1.8, {0, 0, 0});
  for (const char* shape : {"browInnerUp", "browOuterUpLeft", "browOuterUpRight"}) {
    s.Shape(shape, 0.1, 0.4, 0.7f);
    s.Shape(shape, 1.2, 1.7, 0);
  }
  for (const char* shape : {"mouthShrugLower", "mouthFrownLeft", "mouthFrownRight"}) {
    s.Shape(shape, 0.1, 0.45, 0.5f);
    s.Shape(shape, 1.2, 1.7, 0);
  }
  return 2.2;
}

// An open hand sweeps out to what is shown beside the body.
double Present(Script& s) {
  Reach in;
  in.wrist = {0.020f, 1.150f, 0.270f};
  in.fingers = {-0.75f, 0.10f, 0.55f};
  in.palm = {-0.2f, 1, -0.2f};
  in.elbow = {0.9f, -1, 0};
  s.Arm(Side::kRight, 0.06, 0.50, in, HandShape::kOpen, 0.5f);
  Reach out;
  out.wrist = {0.600f, 1.200f, 0.280f};
  out.fingers = {1, 0.05f, 0.35f};
  out.palm = {-0.10f, 1, 0.30f};
  out.elbow = {0.2f, -1, -0.4f};
  s.Arm(Side::kRight, 0.55, 1.10, out, HandShape::kOpen);
  s.ArmHome(Side::kRight, 2.10, 2.75);
  s.Turn(Run::kThorax, 0.1, 0.5, {0, 5, 0}, 0);
  s.Turn(Run::kThorax, 0.5, 1.05, {2, -10, 2});
  s.Turn(Run::kLumbar, 0.5, 1.05, {0, -6, 2});
  s.Look(0.6, 1.1, {5, -26, 3});
  s.Look(1.5, 1.9, {2, -6, 4});
  s.Turn(Run::kThorax, 2.1, 2.7, {0, 0, 0});
  s.Turn(Run::kLumbar, 2.1, 2.7, {0, 0, 0});
  s.Look(2.2, 2.75, {0, 0, 0});
  for (const char* shape : {"mouthSmileLeft", "mouthSmileRight"}) {
    s.Shape(shape, 0.5, 0.9, 0.35f);
    s.Shape(shape, 2.1, 2.6, 0);
  }
  return 3.1;
}

// Both palms up and forward, asking.
double OpenQuestion(Script& s) {
  Reach ask;
  ask.wrist = {0.270f, 1.150f, 0.330f};
  ask.fingers = {0.28f, 0.15f, 1};
  ask.palm = {-0.18f, 1, -0.05f};
  ask.elbow = {0.6f, -1, -0.6f};
  ask.clavicle_up = 0.08f;
  ask.clavicle_front = 0.1f;
  for (Side side : kBoth) s.Arm(side, 0.08, 0.60, ask, HandShape::kOpen);
  ask.wrist = {0.315f, 1.175f, 0.345f};
  for (Side side : kBoth) {
    s.Arm(side, 0.95, 1.25, ask, HandShape::kOpen, 0.5f);
    s.ArmHome(side, 1.95, 2.55);
  }
  s.Turn(Run::kLumbar, 0.1, 0.65, {5, 0, 0});
  s.Turn(Run::kThorax, 0.1, 0.65, {5, 0, 0});
  s.Look(0.15, 0.7, {-8, 0, -10});
  s.Turn(Run::kLumbar, 1.95, 2.5, {0, 0, 0});
  s.Turn(Run::kThorax, 1.95, 2.5, {0, 0, 0});
  s.Look(1.95, 2.5, {0, 0, 0});
  for (const char* shape : {"browInnerUp", "browOuterUpLeft", "browOuterUpRight"}) {
    s.Shape(shape, 0.2, 0.5, 0.65f);
    s.Shape(shape, 1.9, 2.4, 0);
  }
  for (const char* shape : {"eyeWideLeft", "eyeWideRight"}) {
    s.Shape(shape, 0.2, 0.5, 0.25f);
    s.Shape(shape, 1.6, 2.2, 0);
  }
  return 2.9;
}

Reach BeatReach(float x, float y, float z) {
  Reach r;
  r.wrist = {x, y, z};
  r.fingers = {-0.35f, 0.10f, 1};
  r.palm = {-0.75f, 0.65f, 0.2f};
  r.elbow = {0.8f, -1, -0.3f};
  return r;
}

// One hand strikes once, rebounds and rests.
double TalkBeat1(Script& s) {
  s.Arm(Side::kRight, 0.05, 0.36, BeatReach(0.20f, 1.23f, 0.25f), HandShape::kOpen, 0.8f);
  s.Arm(Side::kRight, 0.38, 0.56, BeatReach(0.22f, 1.12f, 0.32f), HandShape::kOpen);
  s.ArmHome(Side::kRight, 0.95, 1.45);
  s.Look(0.30, 0.56, {6, -3, 0});
  s.Look(0.70, 1.2, {0, 0, 0});
  s.Turn(Run::kThorax, 0.1, 0.5, {1.5f, 3, 0});
  s.Turn(Run::kThorax, 0.9, 1.4, {0, 0, 0});
  return 1.8;
}

// Both hands strike twice, the second time less.
double TalkBeat2(Script& s) {
  for (Side side : kBoth) {
    const double late = side == Side::kLeft ? 0.04 : 0;
    s.Arm(side, 0.05 + late, 0.36 + late, BeatReach(0.19f, 1.21f, 0.24f), HandShape::kOpen, 0.8f);
    s.Arm(side, 0.40 + late, 0.58 + late, BeatReach(0.23f, 1.11f, 0.31f), HandShape::kOpen, 0.8f);
    s.Arm(side, 0.80 + late, 0.98 + late, BeatReach(0.20f, 1.18f, 0.27f), HandShape::kOpen, 0);
    s.Arm(side, 1.00 + late, 1.16 + late, BeatReach(0.24f, 1.12f, 0.31f), HandShape::kOpen, 0.5f);
    s.ArmHome(side, 1.50 + late, 2.02 + late);
  }
  s.Look(0.35, 0.58, {6, 0, 0});
  s.Look(0.60, 0.95, {1, 2, 0}, 0);
  s.Look(0.95, 1.16, {4, 2, 0});
  s.Look(1.4, 1.9, {0, 0, 0});
  s.Turn(Run::kThorax, 0.1, 0.55, {3, 0, 0});
  s.Turn(Run::kThorax, 1.5, 2.0, {0, 0, 0});
  return 2.4;
}

// The left hand opens outward, as if laying something out.
double TalkBeat3(Script& s) {
  s.Arm(Side::kLeft, 0.05, 0.42, BeatReach(0.12f, 1.18f, 0.27f), HandShape::kRelaxed, 0.8f);
  Reach open = BeatReach(0.40f, 1.13f, 0.27f);
  open.fingers = {0.65f, 0.12f, 0.8f};
  open.palm = {-0.1f, 1, 0.15f};
  s.Arm(Side::kLeft, 0.48, 0.86, open, HandShape::kOpen);
  s.ArmHome(Side::kLeft, 1.35, 1.90);
  s.Look(0.45, 0.85, {3, 10, -4});
  s.Look(1.3, 1.85, {0, 0, 0});
  s.Turn(Run::kThorax, 0.4, 0.86, {0, 6, 0});
  s.Turn(Run::kThorax, 1.35, 1.9, {0, 0, 0});
  return 2.3;
}

// The weight goes onto one foot: hips out over it, shoulders level out above.
double Shift(Script& s, float left) {
  s.Turn(Run::kPelvisShift, 0.05, 0.95, {0.045f * left, -0.010f, 0.004f}, 0.04f);
  s.Turn(Run::kPelvis, 0.05, 0.95, {0, 3 * left, 3.2f * left}, 0.04f);
  s.Turn(Run::kLumbar, 0.10, 1.05, {0, -2 * left, -5.5f * left}, 0.04f);
  s.Turn(Run::kThorax, 0.12, 1.10, {0, -1 * left, 1.2f * left}, 0.04f);
  s.Look(0.0, 0.8, {2, 9 * left, -3 * left});
  s.Look(1.5, 2.1, {0, 3 * left, -2 * left});
  s.Turn(Run::kPelvisShift, 2.0, 3.0, {0, 0, 0}, 0.03f);
  s.Turn(Run::kPelvis, 2.0, 3.0, {0, 0, 0}, 0.03f);
  s.Turn(Run::kLumbar, 2.05, 3.05, {0, 0, 0}, 0.03f);
  s.Turn(Run::kThorax, 2.07, 3.05, {0, 0, 0}, 0.03f);
  s.Look(2.3, 3.1, {0, 0, 0});
  return 3.5;
}

double IdleShift1(Script& s) { return Shift(s, 1); }
double IdleShift2(Script& s) { return Shift(s, -1); }

constexpr Recipe kRecipes[] = {{"shrug", Shrug},
                               {"present", Present},
                               {"open_question", OpenQuestion},
                               {"talk_beat_1", TalkBeat1},
                               {"talk_beat_2", TalkBeat2},
                               {"talk_beat_3", TalkBeat3},
                               {"idle_shift_1", IdleShift1},
                               {"idle_shift_2", IdleShift2}};

}  // namespace

absl::Span<const Recipe> SpeechRecipes() { return kRecipes; }

}  // namespace posewire::gesture
