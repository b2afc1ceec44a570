#include "libs/gesture/repertoire.h"

namespace posewire::gesture {
namespace {

void Smile(Script& s, double t0, double t1, double t2, double t3, float weight) {
  for (const char* shape : {"mouthSmileLeft", "mouthSmileRight"}) {
    s.Shape(shape, t0, t1, weight);
    s.Shape(shape, t2, t3, 0);
  }
  for (const char* shape : {"cheekSquintLeft", "cheekSquintRight"}) {
    s.Shape(shape, t0, t1, weight * 0.5f);
    s.Shape(shape, t2, t3, 0);
  }
}

double Wave(Script& s) {
  Reach up;
  up.wrist = {0.430f, 1.560f, 0.150f};
  up.fingers = {0, 1, 0.05f};
  up.palm = {0, 0, 1};
  up.elbow = {0.9f, -1, -0.15f};
  up.clavicle_up = 0.16f;
  s.Arm(Side::kRight, 0.08, 0.62, up, HandShape::kOpen);
  const ArmAngles held = s.ArmNow(Side::kRight);
  // The forearm swings about the elbow, the hand follows through.
  double t = 0.62;
  float swing = 0.34f;
  for (int i = 0; i < 7; ++i) {
    const float way = i % 2 == 0 ? -swing : swing;
    s.ArmAngle(Side::kRight, kElbowFlex, t, held[kElbowFlex] + way);
    s.ArmAngle(Side::kRight, kWristDeviate, t, held[kWristDeviate] + way * 0.7f);
    t += 0.21;
    if (i >= 4) swing *= 0.75f;
  }
  s.ArmHome(Side::kRight, 2.05, 2.65);
  s.Turn(Run::kLumbar, 0.08, 0.6, {0, 0, -2});
  s.Turn(Run::kThorax, 0.08, 0.6, {0, 3, -3});
  s.Look(0.15, 0.6, {-2, -3, 7});
  s.Turn(Run::kLumbar, 2.0, 2.6, {0, 0, 0});
  s.Turn(Run::kThorax, 2.0, 2.6, {0, 0, 0});
  s.Look(2.0, 2.6, {0, 0, 0});
  Smile(s, 0.2, 0.5, 2.1, 2.7, 0.5f);
  for (const char* shape : {"browOuterUpLeft", "browOuterUpRight"}) {
    s.Shape(shape, 0.15, 0.4, 0.4f);
    s.Shape(shape, 1.0, 1.5, 0);
  }
  return 3.0;
}

double ThumbsUp(Script& s) {
  Reach fist;
  fist.wrist = {0.200f, 1.240f, 0.300f};
  fist.fingers = {-0.35f, 0.05f, 1};
  fist.palm = {-1, 0, -0.35f};
  fist.elbow = {0.55f, -1, -0.5f};
  s.Arm(Side::kRight, 0.08, 0.60, fist, HandShape::kThumbUp);
  // A small push towards the other.
  fist.wrist = {0.195f, 1.265f, 0.335f};
  s.Arm(Side::kRight, 0.85, 1.08, fist, HandShape::kThumbUp, 0.6f);
  s.ArmHome(Side::kRight, 1.75, 2.30);
  s.Look(0.75, 1.0, {7, 0, 0});
  s.Look(1.0, 1.3, {-1, 0, 3}, 0);
  s.Look(1.75, 2.2, {0, 0, 0});
  s.Turn(Run::kThorax, 0.1, 0.6, {1, 4, 0});
  s.Turn(Run::kThorax, 1.75, 2.3, {0, 0, 0});
  Smile(s, 0.5, 0.8, 1.8, 2.3, 0.5f);
  return 2.7;
}

double Count(Script& s, HandShape shape) {
  Reach up;
  up.wrist = {0.300f, 1.400f, 0.250f};
  up.fingers = {0.02f, 1, 0.03f};
  up.palm = {0, 0, 1};
  up.elbow = {0.55f, -1, -0.1f};
  s.Arm(Side::kRight, 0.05, 0.54, up, HandShape::kFist, 0.7f);
  s.Hand(Side::kRight, 0.40, 0.68, shape);
  // A beat stresses the number.
  up.wrist.y -= 0.018f;
  up.wrist.z += 0.022f;
  s.Arm(Side::kRight, 0.78, 0.92, up, shape, 0.5f);
  s.ArmHome(Side::kRight, 1.50, 2.00);
  s.Look(0.62, 0.86, {5, -3, 0});
  s.Look(1.0, 1.4, {0, 0, 0});
  return 2.35;
}

double Count1(Script& s) { return Count(s, HandShape::kCount1); }
double Count2(Script& s) { return Count(s, HandShape::kCount2); }
double Count3(Script& s) { return Count(s, HandShape::kCount3); }
double Count4(Script& s) { return Count(s, HandShape::kCount4); }
double Count5(Script& s) { return Count(s, HandShape::kCount5); }

constexpr Recipe kRecipes[] = {{"wave", Wave},      {"thumbs_up", ThumbsUp}, {"count_1", Count1},
                               {"count_2", Count2}, {"count_3", Count3},     {"count_4", Count4},
                               {"count_5", Count5}};

}  // namespace

absl::Span<const Recipe> SignRecipes() { return kRecipes; }

}  // namespace posewire::gesture
