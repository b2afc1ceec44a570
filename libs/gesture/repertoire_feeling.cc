// What one feels about oneself or the other, shown with the whole body.
#include "libs/gesture/repertoire.h"
#include "libs/gesture/stay.h"

namespace posewire::gesture {
namespace {

// The palm meets the forehead and the head shakes in it; then the hand gives up: how stupid.
double Stupid(Script& s) {
  Reach swing;
  swing.wrist = {0.260f, 1.480f, 0.270f};
  swing.fingers = {-0.10f, 1, 0.15f};
  swing.palm = {-0.55f, 0, -0.80f};
  swing.elbow = {1, -0.8f, 0};
  swing.clavicle_up = 0.08f;
  Reach forehead;
  forehead.wrist = {0.080f, 1.600f, 0.146f};
  forehead.fingers = {-0.62f, 0.78f, -0.06f};
  forehead.palm = {-0.10f, -0.10f, -1};
  forehead.elbow = {1, -0.55f, 0.15f};
  forehead.clavicle_up = 0.14f;
  s.Arm(Side::kRight, 0.06, 0.46, swing, HandShape::kOpen, 0.5f);
  s.Arm(Side::kRight, 0.48, 0.68, forehead, HandShape::kFlat, 0.2f);
  s.Look(0.10, 0.46, {-7, 0, 0});
  s.Look(0.50, 0.72, {15, 0, -2}, 0);
  double t = 0.95;
  for (const float way : {1.0f, -1.0f, 1.0f, -1.0f, 0.4f}) {
    s.Look(t, t + 0.24, {16, 7 * way, -3 * way}, 0);
    t += 0.25;
  }
  StayTrunk(s, {0.50, 0.80, 2.6, 3.3}, {9, 0, 2});
  Reach drop;
  drop.wrist = {0.360f, 1.110f, 0.280f};
  drop.fingers = {0.55f, 0.05f, 0.85f};
  drop.palm = {-0.1f, 1, 0.1f};
  drop.elbow = {0.5f, -1, -0.5f};
  s.Arm(Side::kRight, 2.25, 2.72, drop, HandShape::kOpen, 0.8f);
  s.Look(2.25, 2.70, {4, -6, -9});
  s.ArmHome(Side::kRight, 2.95, 3.50);
  s.Look(2.95, 3.50, {0, 0, 0});
  StayPair(s, "eyeBlink", {0.46, 0.60, 2.10, 2.40}, 0.95f);
  StayPair(s, "eyeSquint", {0.46, 0.60, 2.10, 2.50}, 0.55f);
  StayPair(s, "browDown", {0.46, 0.65, 2.10, 2.50}, 0.60f);
  StayShape(s, "browInnerUp", {2.20, 2.50, 2.90, 3.40}, 0.65f);
  StayPair(s, "mouthFrown", {0.50, 0.80, 2.80, 3.40}, 0.45f);
  StayPair(s, "mouthStretch", {0.50, 0.70, 2.00, 2.40}, 0.50f);
  StayPair(s, "mouthPress", {2.20, 2.50, 2.90, 3.40}, 0.55f);
  return 3.9;
}

// The weight goes from leg to leg, the trunk with it.
void Sway(Script& s, double t0, double t1, float left) {
  s.Turn(Run::kPelvisShift, t0, t1, {0.022f * left, -0.004f, 0}, 0);
  s.Turn(Run::kLumbar, t0, t1, {1, 2 * left, -2.5f * left}, 0);
  s.Turn(Run::kThorax, t0, t1, {1, 3 * left, -2.5f * left}, 0);
}

// The hand goes to the heart, which is heard beating.
void TakeToHeart(Script& s) {
  Reach heart;
  heart.wrist = {0.165f, 1.245f, 0.160f};
  heart.fingers = {-1, 0.42f, -0.12f};
  heart.palm = {-0.05f, 0, -1};
  heart.elbow = {1, -0.75f, -0.1f};
  Reach beat = heart;
  beat.wrist.z += 0.032f;
  s.Arm(Side::kRight, 0.45, 1.05, heart, HandShape::kFlat, 0.5f);
  for (const double t : {1.35, 1.62, 2.25, 2.52}) {
    s.Arm(Side::kRight, t, t + 0.11, beat, HandShape::kFlat, 0);
    s.Arm(Side::kRight, t + 0.11, t + 0.24, heart, HandShape::kFlat, 0);
  }
  s.Look(0.10, 0.50, {-5, 0, 0});
  s.Look(0.90, 1.60, {2, 0, 11});
  StayBrows(s, {0.10, 0.35, 1.20, 1.80}, 0.75f);
  StayPair(s, "eyeWide", {0.10, 0.30, 0.90, 1.40}, 0.60f);
}

// So warm here: the hand is the fan.
void Fan(Script& s) {
  Reach fan;
  fan.wrist = {0.255f, 1.415f, 0.250f};
  fan.fingers = {-0.25f, 1, 0.05f};
  fan.palm = {-0.75f, 0, -0.65f};
  fan.elbow = {1, -0.9f, -0.1f};
  fan.clavicle_up = 0.08f;
  s.Arm(Side::kRight, 3.35, 3.90, fan, HandShape::kFlat, 0.4f);
  const ArmAngles held = s.ArmNow(Side::kRight);
  double t = 3.98;
  for (int i = 0; i < 14; ++i, t += 0.135) {
    const float way = i % 2 == 0 ? 1.0f : -1.0f;
    s.ArmAngle(Side::kRight, kWristFlex, t, held[kWristFlex] + 0.48f * way);
    s.ArmAngle(Side::kRight, kElbowFlex, t, held[kElbowFlex] - 0.07f * way);
  }
  s.ArmAngle(Side::kRight, kWristFlex, t, held[kWristFlex]);
  s.ArmAngle(Side::kRight, kElbowFlex, t, held[kElbowFlex]);
  s.Look(3.40, 3.95, {-11, 8, 5});
  StayPair(s, "eyeBlink", {3.50, 3.80, 5.20, 5.60}, 0.70f);
  StayShape(s, "mouthFunnel", {3.60, 3.90, 5.20, 5.60}, 0.45f);
  StayShape(s, "cheekPuff", {4.00, 4.30, 5.10, 5.50}, 0.35f);
}

// Hands together under the chin, away and back with the lashes.
void Swoon(Script& s) {
  Reach chin;
  chin.wrist = {0.052f, 1.335f, 0.185f};
  chin.fingers = {-0.30f, 1, 0.05f};
  chin.palm = {-1, -0.25f, 0};
  chin.elbow = {0.8f, -1, 0};
  for (Side side : {Side::kLeft, Side::kRight}) {
    s.Arm(side, 6.05, 6.70, chin, HandShape::kFlat, 0.3f);
    s.ArmHome(side, 9.00, 9.70);
  }
  s.Look(6.15, 6.80, {9, 20, 8});
  s.Look(7.55, 8.05, {2, -4, 13});
  s.Look(9.00, 9.65, {0, 0, 0});
  StayPair(s, "eyeLookDown", {6.20, 6.60, 7.40, 7.60}, 0.55f);
  for (const double t : {7.95, 8.20, 8.45}) {
    StayPair(s, "eyeBlink", {t, t + 0.08, t + 0.09, t + 0.19}, 0.90f);
  }
  StayPair(s, "mouthSmile", {6.00, 6.60, 9.00, 9.70}, 0.70f);
  StayPair(s, "cheekSquint", {6.00, 6.60, 9.00, 9.70}, 0.50f);
  StayShape(s, "browInnerUp", {7.50, 7.90, 8.90, 9.50}, 0.60f);
}

// Somebody is very much liked: the heart, the heat, the sigh.
double Attraction(Script& s) {
  TakeToHeart(s);
  Fan(s);
  Swoon(s);
  double t = 1.05;
  for (const float left : {1.0f, -1.0f, 0.0f, 0.7f, -0.7f, 1.0f, -1.0f}) {
    Sway(s, t, t + 0.95, left);
    t += 1.12;
  }
  s.Turn(Run::kPelvisShift, 9.00, 9.70, {0, 0, 0}, 0);
  for (Run run : {Run::kLumbar, Run::kThorax}) s.Turn(run, 9.00, 9.70, {0, 0, 0}, 0);
  StayPair(s, "mouthSmile", {0.60, 1.20, 3.30, 3.70}, 0.55f);
  StayPair(s, "cheekSquint", {0.60, 1.20, 3.30, 3.70}, 0.30f);
  return 10.2;
}

constexpr Recipe kRecipes[] = {{"stupid", Stupid}, {"attraction", Attraction}};

}  // namespace

absl::Span<const Recipe> FeelingRecipes() { return kRecipes; }

}  // namespace posewire::gesture
