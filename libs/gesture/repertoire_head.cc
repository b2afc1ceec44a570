#include "libs/gesture/repertoire.h"

namespace posewire::gesture {
namespace {

double Nod(Script& s) {
  s.Look(0.05, 0.17, {-4, 0, 0}, 0);
  s.Look(0.17, 0.40, {27, 0, 0}, 0);
  s.Look(0.40, 0.62, {-7, 0, 0}, 0);
  s.Look(0.62, 0.84, {21, 0, 0}, 0);
  s.Look(0.84, 1.04, {-2, 0, 0}, 0);
  s.Look(1.04, 1.28, {0, 0, 0}, 0);
  s.Turn(Run::kThorax, 0.1, 0.42, {3, 0, 0}, 0);
  s.Turn(Run::kThorax, 0.6, 1.1, {0, 0, 0}, 0);
  s.Shape("browInnerUp", 0.1, 0.3, 0.2f);
  s.Shape("browInnerUp", 0.8, 1.2, 0);
  s.Shape("mouthSmileLeft", 0.1, 0.4, 0.2f);
  s.Shape("mouthSmileLeft", 0.9, 1.3, 0);
  s.Shape("mouthSmileRight", 0.1, 0.4, 0.2f);
  s.Shape("mouthSmileRight", 0.9, 1.3, 0);
  return 1.5;
}

double Shake(Script& s) {
  s.Look(0.05, 0.17, {0, -4, 0}, 0);
  s.Look(0.17, 0.42, {2, 37, 0}, 0);
  s.Look(0.42, 0.74, {3, -37, 0}, 0);
  s.Look(0.74, 1.04, {3, 31, 0}, 0);
  s.Look(1.04, 1.32, {2, -20, 0}, 0);
  s.Look(1.32, 1.62, {0, 0, 0}, 0);
  for (const char* brow : {"browDownLeft", "browDownRight"}) {
    s.Shape(brow, 0.1, 0.4, 0.35f);
    s.Shape(brow, 1.1, 1.6, 0);
  }
  for (const char* mouth : {"mouthPressLeft", "mouthPressRight"}) {
    s.Shape(mouth, 0.1, 0.4, 0.25f);
    s.Shape(mouth, 1.1, 1.6, 0);
  }
  return 1.8;
}

// The right hand behind the ear, the head turned so that the ear comes forward.
double Listen(Script& s) {
  Reach ear;
  ear.wrist = {0.225f, 1.590f, 0.020f};
  ear.fingers = {-0.70f, 0.75f, -0.22f};
  ear.palm = {-0.25f, 0, 1};
  ear.elbow = {1, -0.8f, -0.1f};
  ear.clavicle_up = 0.14f;
  s.Arm(Side::kRight, 0.10, 0.70, ear, HandShape::kCup);
  s.ArmHome(Side::kRight, 2.30, 2.95);
  s.Turn(Run::kLumbar, 0.15, 0.75, {6, 4, 3});
  s.Turn(Run::kThorax, 0.15, 0.75, {7, 5, 4});
  s.Look(0.20, 0.80, {2, 22, 9});
  s.Look(1.35, 1.60, {7, 22, 9}, 0);
  s.Look(1.60, 1.85, {2, 22, 9}, 0);
  s.Look(2.30, 2.90, {0, 0, 0});
  s.Turn(Run::kLumbar, 2.30, 2.95, {0, 0, 0});
  s.Turn(Run::kThorax, 2.30, 2.95, {0, 0, 0});
  for (const char* shape : {"browInnerUp", "browOuterUpLeft", "browOuterUpRight"}) {
    s.Shape(shape, 0.4, 0.8, 0.4f);
    s.Shape(shape, 2.3, 2.7, 0);
  }
  return 3.3;
}

// One hand at the chin, the other arm across the body under its elbow.
double Think(Script& s) {
  Reach across;
  across.wrist = {-0.085f, 1.115f, 0.205f};
  across.fingers = {-1, 0.12f, -0.12f};
  across.palm = {0, 0.15f, -1};
  across.elbow = {1, -0.6f, -0.25f};
  s.Arm(Side::kLeft, 0.12, 0.80, across, HandShape::kFlat, 0.6f);
  Reach chin;
  chin.wrist = {0.065f, 1.480f, 0.165f};
  chin.fingers = {-0.45f, 1, -0.30f};
  chin.palm = {-0.75f, 0, -0.65f};
  chin.elbow = {0.75f, -1, 0.35f};
  chin.clavicle_up = 0.05f;
  chin.clavicle_front = 0.12f;
  s.Arm(Side::kRight, 0.20, 0.90, chin, HandShape::kChin, 0.6f);
  s.ArmHome(Side::kRight, 2.45, 3.05);
  s.ArmHome(Side::kLeft, 2.50, 3.10);
  s.Look(0.30, 1.0, {-3, -14, 9});
  s.Look(1.6, 2.1, {-5, -9, 10}, 0);
  s.Look(2.5, 3.05, {0, 0, 0});
  for (const char* shape : {"eyeLookUpLeft", "eyeLookUpRight"}) {
    s.Shape(shape, 0.5, 0.7, 0.6f);
    s.Shape(shape, 2.4, 2.6, 0);
  }
  for (const char* shape : {"eyeLookInLeft", "eyeLookOutRight"}) {
    s.Shape(shape, 0.5, 0.7, 0.35f);
    s.Shape(shape, 2.4, 2.6, 0);
  }
  for (const char* shape : {"browDownLeft", "browOuterUpRight", "mouthPucker"}) {
    s.Shape(shape, 0.5, 0.9, 0.3f);
    s.Shape(shape, 2.3, 2.8, 0);
  }
  return 3.5;
}

double Bow(Script& s) {
  s.Turn(Run::kPelvis, 0.10, 0.95, {27, 0, 0}, 0.03f);
  s.Turn(Run::kPelvisShift, 0.10, 0.95, {0, -0.012f, -0.105f}, 0.02f);
  s.Turn(Run::kLumbar, 0.12, 1.0, {14, 0, 0}, 0.03f);
  s.Turn(Run::kThorax, 0.14, 1.05, {12, 0, 0}, 0.03f);
  s.Look(0.05, 1.05, {16, 0, 0}, 0.04f);
  for (Side side : {Side::kLeft, Side::kRight}) {
    // The arms stay along the thighs.
    ArmAngles a = s.ArmNow(side);
    a[kShoulderX] -= 0.80f;
    a[kElbowFlex] = 0.12f;
    SetHand(HandShape::kFlat, a);
    s.Arm(side, 0.12, 1.0, a, 0.3f);
    s.ArmHome(side, 1.75, 2.65);
  }
  s.Look(1.80, 2.65, {0, 0, 0}, 0.03f);
  s.Turn(Run::kThorax, 1.72, 2.55, {0, 0, 0}, 0.03f);
  s.Turn(Run::kLumbar, 1.70, 2.55, {0, 0, 0}, 0.03f);
  s.Turn(Run::kPelvis, 1.68, 2.50, {0, 0, 0}, 0.02f);
  s.Turn(Run::kPelvisShift, 1.68, 2.50, {0, 0, 0}, 0.02f);
  return 3.1;
}

constexpr Recipe kRecipes[] = {
    {"nod", Nod}, {"shake", Shake}, {"listen", Listen}, {"think", Think}, {"bow", Bow}};

}  // namespace

absl::Span<const Recipe> HeadRecipes() { return kRecipes; }

}  // namespace posewire::gesture
