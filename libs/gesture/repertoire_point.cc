#include "libs/gesture/repertoire.h"

namespace posewire::gesture {
namespace {

double PointSelf(Script& s) {
  Reach chest;
  chest.wrist = {0.165f, 1.285f, 0.235f};
  chest.fingers = {-0.80f, 0.22f, -0.52f};
  chest.palm = {-0.40f, 0.05f, -0.9f};
  chest.elbow = {1, -0.8f, 0};
  s.Arm(Side::kRight, 0.08, 0.60, chest, HandShape::kPoint);
  // Taps twice.
  Reach back = chest;
  back.wrist.z += 0.035f;
  s.Arm(Side::kRight, 0.85, 0.98, back, HandShape::kPoint, 0);
  s.Arm(Side::kRight, 0.98, 1.12, chest, HandShape::kPoint, 0);
  s.ArmHome(Side::kRight, 1.60, 2.15);
  s.Look(0.15, 0.60, {6, 0, 4});
  s.Look(1.5, 2.1, {0, 0, 0});
  s.Turn(Run::kThorax, 0.1, 0.6, {-3, 4, 0});
  s.Turn(Run::kThorax, 1.55, 2.15, {0, 0, 0});
  for (const char* shape : {"browInnerUp", "browOuterUpLeft", "browOuterUpRight"}) {
    s.Shape(shape, 0.3, 0.6, 0.35f);
    s.Shape(shape, 1.4, 1.9, 0);
  }
  return 2.5;
}

double PointYou(Script& s) {
  Reach front;
  front.wrist = {0.225f, 1.405f, 0.520f};
  front.fingers = {0.16f, 0.0f, 1};
  front.palm = {-0.75f, -0.65f, 0};
  front.elbow = {0.7f, -1, 0};
  front.clavicle_front = 0.14f;
  s.Arm(Side::kRight, 0.08, 0.58, front, HandShape::kPoint);
  s.ArmHome(Side::kRight, 1.45, 2.05);
  s.Turn(Run::kThorax, 0.1, 0.58, {3, 9, 0});
  s.Turn(Run::kThorax, 1.45, 2.0, {0, 0, 0});
  s.Look(0.2, 0.65, {4, -8, 0});
  s.Look(1.45, 2.0, {0, 0, 0});
  for (const char* shape : {"browOuterUpLeft", "browOuterUpRight"}) {
    s.Shape(shape, 0.3, 0.55, 0.3f);
    s.Shape(shape, 1.2, 1.7, 0);
  }
  return 2.4;
}

double PointAside(Script& s, Side side) {
  const float left = side == Side::kLeft ? 1.0f : -1.0f;
  Reach out;
  out.wrist = {0.735f, 1.420f, 0.150f};
  out.fingers = {1, 0.02f, 0.22f};
  out.palm = {0.1f, -0.75f, 0.65f};
  out.elbow = {0.3f, -1, -0.4f};
  out.clavicle_up = 0.08f;
  s.Arm(side, 0.15, 0.68, out, HandShape::kPoint);
  s.ArmHome(side, 1.60, 2.25);
  // The eyes and the head lead.
  s.Look(0.05, 0.50, {2, 42 * left, 0});
  s.Look(1.55, 2.10, {0, 0, 0});
  s.Turn(Run::kLumbar, 0.12, 0.65, {0, 6 * left, 0});
  s.Turn(Run::kThorax, 0.12, 0.65, {0, 9 * left, 0});
  s.Turn(Run::kLumbar, 1.60, 2.2, {0, 0, 0});
  s.Turn(Run::kThorax, 1.60, 2.2, {0, 0, 0});
  const char* out_eye = side == Side::kLeft ? "eyeLookOutLeft" : "eyeLookOutRight";
  const char* in_eye = side == Side::kLeft ? "eyeLookInRight" : "eyeLookInLeft";
  for (const char* shape : {out_eye, in_eye}) {
    s.Shape(shape, 0.08, 0.22, 0.5f);
    s.Shape(shape, 0.45, 0.7, 0.25f);
    s.Shape(shape, 1.5, 1.65, 0);
  }
  return 2.6;
}

double PointLeft(Script& s) { return PointAside(s, Side::kLeft); }
double PointRight(Script& s) { return PointAside(s, Side::kRight); }

double PointDown(Script& s) {
  Reach floor;
  floor.wrist = {0.215f, 1.035f, 0.345f};
  floor.fingers = {-0.05f, -1, 0.30f};
  floor.palm = {-0.35f, -0.35f, -1};
  floor.elbow = {0.8f, -0.3f, -1};
  s.Arm(Side::kRight, 0.10, 0.62, floor, HandShape::kPoint);
  // Stabs at the place twice.
  Reach lower = floor;
  lower.wrist.y -= 0.05f;
  s.Arm(Side::kRight, 0.85, 1.0, lower, HandShape::kPoint, 0);
  s.Arm(Side::kRight, 1.0, 1.18, floor, HandShape::kPoint, 0);
  s.Arm(Side::kRight, 1.18, 1.33, lower, HandShape::kPoint, 0);
  s.ArmHome(Side::kRight, 1.85, 2.40);
  s.Look(0.05, 0.55, {26, -6, 0});
  s.Look(1.80, 2.35, {0, 0, 0});
  s.Turn(Run::kThorax, 0.12, 0.62, {7, 3, 0});
  s.Turn(Run::kThorax, 1.85, 2.4, {0, 0, 0});
  for (const char* shape : {"eyeLookDownLeft", "eyeLookDownRight"}) {
    s.Shape(shape, 0.08, 0.26, 0.45f);
    s.Shape(shape, 1.7, 1.9, 0);
  }
  return 2.75;
}

constexpr Recipe kRecipes[] = {{"point_self", PointSelf},
                               {"point_you", PointYou},
                               {"point_left", PointLeft},
                               {"point_right", PointRight},
                               {"point_down", PointDown}};

}  // namespace

absl::Span<const Recipe> PointRecipes() { return kRecipes; }

}  // namespace posewire::gesture
