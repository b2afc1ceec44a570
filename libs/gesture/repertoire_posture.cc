#include "libs/gesture/repertoire.h"

namespace posewire::gesture {
namespace {

constexpr Side kBoth[] = {Side::kLeft, Side::kRight};

// The chest and shoulders rise and fall; the neck keeps the head level.
void Breathe(Cycle& c, int times, float depth) {
  c.Swing(Run::kThorax, {-1.4f * depth, 0, 0}, times, 0);
  c.Swing(Run::kLumbar, {-0.4f * depth, 0, 0}, times, 0);
  c.SwingLook({1.5f * depth, 0, 0}, times, 0.02);
  for (Side side : kBoth) {
    c.SwingArm(side, kClavicleUp, 1.2f * depth, times, 0.97);
    c.SwingArm(side, kShoulderZ, 0.6f * depth, times, 0.95);
    c.SwingArm(side, kElbowFlex, 0.8f * depth, times, 0.92);
  }
}

// What nobody holds still: hips, trunk, head and fingers, slowly.
void Live(Cycle& c, float amount) {
  c.Swing(Run::kPelvisShift, {0.0035f * amount, 0, 0.003f * amount}, 1, 0.13);
  c.Swing(Run::kPelvisShift, {0.0020f * amount, 0, -0.002f * amount}, 2, 0.55);
  c.Swing(Run::kPelvis, {0, 0.7f * amount, 0.3f * amount}, 1, 0.31);
  c.Swing(Run::kLumbar, {0.4f * amount, -0.4f * amount, -0.5f * amount}, 1, 0.36);
  c.SwingLook({0.8f * amount, 1.6f * amount, 0.9f * amount}, 1, 0.62);
  c.SwingLook({0.6f * amount, -1.0f * amount, 0.5f * amount}, 3, 0.17);
  for (Side side : kBoth) {
    const double late = side == Side::kLeft ? 0.0 : 0.37;
    c.SwingArm(side, kShoulderX, 0.9f * amount, 1, 0.2 + late);
    c.SwingArm(side, kElbowFlex, 1.2f * amount, 2, 0.7 + late);
    c.SwingArm(side, kForearmTwist, 1.5f * amount, 1, 0.45 + late);
    c.SwingArm(side, kWristFlex, 1.5f * amount, 2, 0.1 + late);
    for (int f = 0; f < 4; ++f) {
      const auto base = static_cast<ArmControl>(kFingers + 3 * f + 1);
      const auto middle = static_cast<ArmControl>(kFingers + 3 * f + 2);
      c.SwingArm(side, base, 2.2f * amount, 2, 0.33 + late - 0.03 * f);
      c.SwingArm(side, middle, 2.8f * amount, 1, 0.58 + late - 0.02 * f);
    }
  }
}

// Upright on both feet, turned to the other, a little forward.
double Attentive(Cycle& c) {
  constexpr double kPeriod_s = 8;
  c.Hold(Run::kPelvisShift, {0, 0, 0.012f});
  c.Hold(Run::kPelvis, {2.0f, 0, 0});
  c.Hold(Run::kLumbar, {-1.5f, 0, 0});
  c.Hold(Run::kThorax, {-4.0f, 0, 0});
  c.HoldLook({4.5f, 0, 0});
  // The hands joined before the body, the right on the left.
  for (Side side : kBoth) {
    const bool right = side == Side::kRight;
    Reach joined;
    joined.wrist = {right ? 0.075f : 0.065f, right ? 1.020f : 1.000f, right ? 0.190f : 0.160f};
    joined.fingers = {-1, -0.35f, right ? 0.10f : 0.16f};
    joined.palm = {-0.1f, 0.25f, -1};
    joined.elbow = {0.75f, -0.6f, -0.75f};
    c.HoldArm(side, joined, HandShape::kCup);
  }
  Breathe(c, 2, 1);
  Live(c, 0.7f);
  // The head turns its attention a little, twice.
  c.GoLook({-1, 4, 4}, {0.6, 1.5, 2.9, 3.9});
  c.GoLook({3, -3, -3}, {4.5, 5.3, 6.3, 7.4});
  c.HoldShape("browInnerUp", 0.10f);
  for (const char* brow : {"browOuterUpLeft", "browOuterUpRight"}) {
    c.HoldShape(brow, 0.14f);
    c.GoShape(brow, 0.10f, {0.8, 1.1, 1.9, 2.6});
  }
  return kPeriod_s;
}

// The weight on one leg, shoulders and arms let go, the look wandering.
double Idle(Cycle& c) {
  constexpr double kPeriod_s = 10;
  c.Hold(Run::kPelvisShift, {0.042f, -0.010f, 0});
  c.Hold(Run::kPelvis, {0, 4, 3.2f});
  c.Hold(Run::kLumbar, {2.5f, -2, -5.5f});
  c.Hold(Run::kThorax, {3.5f, -1, 1.5f});
  c.HoldLook({2, 0, 1});
  for (Side side : kBoth) {
    ArmAngles a = c.HeldArm(side);
    a[kClavicleUp] = -0.05f;
    a[kElbowFlex] = side == Side::kLeft ? 0.16f : 0.30f;
    a[kShoulderX] += side == Side::kLeft ? 0.02f : -0.05f;
    c.HoldArm(side, a);
  }
  // Back to the middle and a little over it for a while.
  const Visit over{4.2, 5.9, 8.2, 9.8};
  c.Go(Run::kPelvisShift, {-0.062f, 0.008f, 0.004f}, over);
  c.Go(Run::kPelvis, {0, -5.5f, -4.6f}, over);
  c.Go(Run::kLumbar, {0, 3, 7.8f}, over);
  c.Go(Run::kThorax, {-0.5f, 1, -2.2f}, over);
  Breathe(c, 2, 1.2f);
  Live(c, 1.1f);
  c.GoLook({1, 13, -2}, {0.4, 1.4, 2.9, 4.0});
  c.GoLook({-1, -10, 3}, {4.6, 5.7, 7.6, 8.8});
  c.SwingShape("browInnerUp", 0.03f, 1, 0.4);
  return kPeriod_s;
}

// Leaning in with a tilted head that nods now and then, hands folded low.
double Listening(Cycle& c) {
  constexpr double kPeriod_s = 9;
  c.Hold(Run::kPelvisShift, {-0.022f, -0.004f, -0.020f});
  c.Hold(Run::kPelvis, {6, -2, -1.8f});
  c.Hold(Run::kLumbar, {5, 1, 4.0f});
  c.Hold(Run::kThorax, {5, 3, 1});
  c.HoldLook({-6, -4, 11});
  for (Side side : kBoth) {
    const bool right = side == Side::kRight;
    Reach low;
    low.wrist = {right ? 0.085f : 0.075f, right ? 0.935f : 0.920f, right ? 0.200f : 0.170f};
    low.fingers = {-0.80f, -0.75f, right ? 0.05f : 0.10f};
    low.palm = {-0.25f, 0.2f, -1};
    low.elbow = {0.9f, -0.4f, -0.7f};
    c.HoldArm(side, low, HandShape::kCup);
  }
  Breathe(c, 2, 1);
  Live(c, 0.7f);
  // Two small nods, then one.
  c.GoLook({9, 0, 0}, {1.2, 1.52, 1.52, 1.88});
  c.GoLook({7, 0, 0}, {1.88, 2.16, 2.16, 2.6});
  c.GoLook({8, 1, 0}, {5.9, 6.3, 6.3, 6.9});
  c.GoLook({1, 3, -6}, {3.3, 4.4, 7.6, 8.7});
  c.HoldShape("browInnerUp", 0.18f);
  for (const char* brow : {"browOuterUpLeft", "browOuterUpRight"}) {
    c.HoldShape(brow, 0.10f);
    c.GoShape(brow, 0.20f, {3.6, 4.0, 5.0, 5.8});
  }
  return kPeriod_s;
}

// One hand at the chin, the other arm across the body; the eyes search above.
double Thinking(Cycle& c) {
  constexpr double kPeriod_s = 9;
  c.Hold(Run::kPelvisShift, {-0.034f, -0.008f, 0});
  c.Hold(Run::kPelvis, {0, -3, -2.6f});
  c.Hold(Run::kLumbar, {2, 1, 4.6f});
  c.Hold(Run::kThorax, {2, 0, -1});
  c.HoldLook({-2, -11, 8});
  Reach across;
  across.wrist = {-0.085f, 1.115f, 0.205f};
  across.fingers = {-1, 0.12f, -0.12f};
  across.palm = {0, 0.15f, -1};
  across.elbow = {1, -0.6f, -0.25f};
  c.HoldArm(Side::kLeft, across, HandShape::kFlat);
  Reach chin;
  chin.wrist = {0.065f, 1.468f, 0.168f};
  chin.fingers = {-0.45f, 1, -0.30f};
  chin.palm = {-0.75f, 0, -0.65f};
  chin.elbow = {0.75f, -1, 0.35f};
  chin.clavicle_up = 0.05f;
  chin.clavicle_front = 0.12f;
  c.HoldArm(Side::kRight, chin, HandShape::kChin);
  Breathe(c, 2, 0.8f);
  Live(c, 0.4f);
  // The index finger taps the chin.
  for (double t : {4.9, 5.35, 5.8}) {
    const Visit tap{t, t + 0.2, t + 0.2, t + 0.44};
    ArmAngles a = c.HeldArm(Side::kRight);
    a[kFingers + 1] -= 0.30f;
    a[kFingers + 2] -= 0.22f;
    c.GoArm(Side::kRight, a, tap);
  }
  // The eyes go up to one side, then down to the other; the head after them.
  const Visit up{0.3, 0.55, 4.1, 4.4}, down{4.6, 4.85, 8.4, 8.7};
  for (const char* eye : {"eyeLookUpLeft", "eyeLookUpRight"}) c.GoShape(eye, 0.55f, up);
  for (const char* eye : {"eyeLookInLeft", "eyeLookOutRight"}) c.GoShape(eye, 0.40f, up);
  for (const char* eye : {"eyeLookDownLeft", "eyeLookDownRight"}) c.GoShape(eye, 0.30f, down);
  for (const char* eye : {"eyeLookOutLeft", "eyeLookInRight"}) c.GoShape(eye, 0.30f, down);
  c.GoLook({-4, -5, 1}, {0.5, 1.2, 4.2, 5.0});
  c.GoLook({5, 9, -2}, {4.8, 5.6, 8.3, 9.1});
  c.HoldShape("browDownLeft", 0.20f);
  c.HoldShape("browDownRight", 0.14f);
  c.GoShape("browOuterUpRight", 0.30f, {0.5, 0.9, 3.8, 4.4});
  c.GoShape("browDownRight", 0.20f, down);
  return kPeriod_s;
}

Reach TalkReach(float x, float y, float z) {
  Reach r;
  r.wrist = {x, y, z};
  r.fingers = {-0.25f, 0.12f, 1};
  r.palm = {-0.75f, 0.65f, 0.1f};
  r.elbow = {0.8f, -1, -0.3f};
  return r;
}

// Both forearms up, the hands free before the body: they open, close and weigh.
double Talking(Cycle& c) {
  constexpr double kPeriod_s = 8;
  c.Hold(Run::kPelvisShift, {0.010f, -0.002f, 0});
  c.Hold(Run::kPelvis, {1.5f, 0, 0.8f});
  c.Hold(Run::kLumbar, {1.5f, 0, -1.5f});
  c.Hold(Run::kThorax, {0.5f, 0, 0});
  c.HoldLook({0, 0, -1});
  for (Side side : kBoth) c.HoldArm(side, TalkReach(0.150f, 1.120f, 0.250f), HandShape::kOpen);
  Breathe(c, 2, 0.8f);
  Live(c, 0.8f);
  Reach open = TalkReach(0.340f, 1.130f, 0.270f);
  open.fingers = {0.45f, 0.12f, 0.9f};
  open.palm = {-0.2f, 1, 0.1f};
  const Reach raised = TalkReach(0.180f, 1.215f, 0.255f);
  const Reach close = TalkReach(0.095f, 1.085f, 0.255f);
  c.GoArm(Side::kRight, open, HandShape::kOpen, {0.4, 1.0, 1.9, 2.7});
  c.GoArm(Side::kLeft, raised, HandShape::kRelaxed, {2.3, 2.75, 2.85, 3.25});
  c.GoArm(Side::kRight, raised, HandShape::kRelaxed, {2.9, 3.3, 3.4, 3.85});
  c.GoArm(Side::kLeft, open, HandShape::kOpen, {4.0, 4.65, 5.4, 6.2});
  c.GoArm(Side::kRight, open, HandShape::kOpen, {4.1, 4.75, 5.3, 6.1});
  c.GoArm(Side::kLeft, close, HandShape::kCup, {6.4, 6.9, 7.3, 7.9});
  c.GoArm(Side::kRight, close, HandShape::kCup, {6.35, 6.9, 7.35, 7.95});
  // Small beats on top.
  for (Side side : kBoth) {
    const double late = side == Side::kLeft ? 0.03 : 0;
    c.SwingArm(side, kShoulderX, 1.4f, 5, 0.2 - late);
    c.SwingArm(side, kElbowFlex, 2.6f, 5, 0.16 - late);
    c.SwingArm(side, kWristFlex, 2.5f, 5, 0.05 - late);
  }
  // The trunk goes with the hand, the head stresses.
  c.Go(Run::kThorax, {0, -4, 0}, {0.3, 1.0, 1.9, 2.8});
  c.Go(Run::kThorax, {3, 0, 0}, {3.9, 4.7, 5.4, 6.3});
  c.GoLook({3, -8, 2}, {0.5, 1.1, 1.7, 2.4});
  c.GoLook({5, 3, 0}, {2.4, 2.75, 2.85, 3.3});
  c.GoLook({-4, 2, -4}, {4.0, 4.7, 5.2, 5.9});
  c.GoLook({5, 0, 2}, {6.4, 6.85, 7.0, 7.6});
  for (const char* brow : {"browInnerUp", "browOuterUpLeft", "browOuterUpRight"}) {
    c.HoldShape(brow, 0.04f);
    c.GoShape(brow, 0.25f, {0.5, 0.8, 1.2, 1.8});
    c.GoShape(brow, 0.30f, {4.0, 4.4, 5.2, 5.8});
  }
  return kPeriod_s;
}

constexpr CycleRecipe kPostures[] = {{"posture_attentive", Attentive},
                                     {"posture_idle", Idle},
                                     {"posture_listening", Listening},
                                     {"posture_talking", Talking},
                                     {"posture_thinking", Thinking}};

}  // namespace

absl::Span<const CycleRecipe> PostureRecipes() { return kPostures; }

}  // namespace posewire::gesture
