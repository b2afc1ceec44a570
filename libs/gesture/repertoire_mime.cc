// Mimes: what is not there is handled.
#include <cmath>
#include <utility>

#include "libs/gesture/repertoire.h"
#include "libs/gesture/stay.h"

namespace posewire::gesture {
namespace {

constexpr Side kBoth[] = {Side::kLeft, Side::kRight};

// Stiff forearms, one up and one level, change over; the trunk turns in jerks.
double Robot(Script& s) {
  Reach up;
  up.wrist = {0.430f, 1.645f, 0.130f};
  up.fingers = {0, 1, 0};
  up.palm = {-1, 0, 0};
  up.elbow = {1, -0.35f, 0};
  Reach level = up;
  level.wrist = {0.300f, 1.175f, 0.240f};
  level.fingers = {0, -0.05f, 1};
  level.elbow = {1, -0.5f, -0.5f};
  const Side other[] = {Side::kRight, Side::kLeft};
  double t = 0.10;
  for (int i = 0; i < 4; ++i, t += 0.58) {
    const Side high = kBoth[i % 2], low = other[i % 2];
    const double take = i == 0 ? 0.42 : 0.30;
    s.Arm(high, t, t + take, up, HandShape::kFlat, 0);
    s.Arm(low, t, t + take, level, HandShape::kFlat, 0);
    const float left = i % 2 == 0 ? 1.0f : -1.0f;
    s.Turn(Run::kThorax, t, t + 0.25, {0, 11 * left, 0}, 0);
    s.Turn(Run::kLumbar, t, t + 0.25, {0, 8 * left, 0}, 0);
    s.Look(t + 0.16, t + 0.36, {0, -24 * left, 0}, 0);
  }
  for (Side side : kBoth) s.ArmHome(side, 2.48, 3.0);
  s.Turn(Run::kThorax, 2.45, 2.85, {0, 0, 0}, 0);
  s.Turn(Run::kLumbar, 2.45, 2.85, {0, 0, 0}, 0);
  s.Look(2.5, 2.9, {0, 0, 0}, 0);
  StayPair(s, "eyeWide", {0.15, 0.4, 2.4, 2.8}, 0.35f);
  return 3.4;
}

// The left hand is the telephone: the right dials, then the receiver goes to the ear.
double PhoneDialing(Script& s) {
  Reach phone;
  phone.wrist = {0.150f, 1.160f, 0.270f};
  phone.fingers = {-0.80f, 0.35f, 0.50f};
  phone.palm = {-0.10f, 0.85f, -0.55f};
  phone.elbow = {0.8f, -1, -0.3f};
  s.Arm(Side::kLeft, 0.06, 0.55, phone, HandShape::kCup, 0.5f);
  Reach dial;
  dial.wrist = {0.130f, 1.335f, 0.235f};
  dial.fingers = {-0.65f, -0.50f, 0.45f};
  dial.palm = {-0.35f, -0.75f, -0.45f};
  dial.elbow = {1, 0.05f, -0.1f};
  s.Arm(Side::kRight, 0.10, 0.58, dial, HandShape::kPoint, 0.4f);
  double t = 0.62;
  for (int i = 0; i < 5; ++i, t += 0.21) {
    Reach key = dial;
    key.wrist = dial.wrist + skel::Vec3{0.012f * static_cast<float>(i % 3), -0.030f,
                                        0.010f * static_cast<float>(i % 2)};
    s.Arm(Side::kRight, t, t + 0.10, key, HandShape::kPoint, 0);
    s.Arm(Side::kRight, t + 0.10, t + 0.20, dial, HandShape::kPoint, 0);
  }
  s.ArmHome(Side::kLeft, 1.75, 2.35);
  Reach ear;
  ear.wrist = {0.165f, 1.540f, 0.105f};
  ear.fingers = {-0.30f, 0.90f, 0.32f};
  ear.palm = {-1, 0, -0.30f};
  ear.elbow = {0.9f, -1, 0.2f};
  ear.clavicle_up = 0.10f;
  s.Arm(Side::kRight, 1.75, 2.25, ear, HandShape::kPhone, 0.5f);
  s.ArmHome(Side::kRight, 2.95, 3.50);
  s.Look(0.1, 0.5, {20, 0, 0});
  s.Look(1.7, 2.2, {0, -6, 7});
  s.Look(2.9, 3.4, {0, 0, 0});
  StayPair(s, "eyeLookDown", {0.1, 0.35, 1.7, 1.9}, 0.4f);
  StayBrows(s, {2.0, 2.3, 2.8, 3.2}, 0.4f);
  return 3.9;
}

// The hand shades the eyes, the trunk pans along the horizon.
double TryingToSee(Script& s) {
  Reach visor;
  visor.wrist = {0.165f, 1.690f, 0.110f};
  visor.fingers = {-0.92f, 0.14f, 0.30f};
  visor.palm = {0, -1, 0.15f};
  visor.elbow = {1, -0.5f, 0.35f};
  visor.clavicle_up = 0.18f;
  s.Arm(Side::kRight, 0.10, 0.70, visor, HandShape::kFlat, 0.5f);
  s.ArmHome(Side::kRight, 3.20, 3.85);
  s.Turn(Run::kThorax, 0.2, 0.8, {4, 10, 0});
  s.Turn(Run::kLumbar, 0.2, 0.8, {6, 9, 0});
  s.Look(0.2, 0.8, {-2, 6, 0});
  s.Turn(Run::kThorax, 1.35, 2.5, {5, -10, 0}, 0.02f);
  s.Turn(Run::kLumbar, 1.35, 2.5, {8, -9, 0}, 0.02f);
  s.Look(1.35, 2.5, {-4, -6, 0}, 0.02f);
  for (Run run : {Run::kThorax, Run::kLumbar}) s.Turn(run, 3.15, 3.8, {0, 0, 0});
  s.Look(3.15, 3.8, {0, 0, 0});
  StayPair(s, "eyeSquint", {0.3, 0.7, 3.1, 3.6}, 0.9f);
  StayPair(s, "browDown", {0.3, 0.7, 3.1, 3.6}, 0.5f);
  StayPair(s, "cheekSquint", {0.3, 0.7, 3.1, 3.6}, 0.4f);
  StayPair(s, "mouthUpperUp", {0.3, 0.7, 3.1, 3.6}, 0.15f);
  return 4.25;
}

// Two hands on the wheel: left, right, and straight on.
double DrivingMime(Script& s) {
  const auto grip = [&](double t0, double t1, float degrees) {
    // Turned to the avatar's left by `degrees`.
    const float a = degrees * 0.01745329252f;
    for (Side side : kBoth) {
      const float sign = side == Side::kLeft ? 1.0f : -1.0f;
      Reach at;
      at.wrist = {0.175f * std::cos(a), 1.225f - sign * 0.175f * std::sin(a), 0.375f};
      at.fingers = {-0.25f, 0.45f, 0.85f};
      at.palm = {-0.80f, -0.45f, 0.1f};
      at.elbow = {0.75f, -1, -0.2f};
      s.Arm(side, t0, t1, at, HandShape::kGrip, t0 < 0.2 ? 0.5f : 0.15f);
    }
    const float lean = degrees / 45;
    s.Turn(Run::kThorax, t0, t1, {2, 3 * lean, 4 * lean});
    s.Look(t0, t1, {0, 14 * lean, 3 * lean});
  };
  grip(0.12, 0.70, 0);
  grip(0.95, 1.45, 42);
  grip(1.65, 2.35, -42);
  grip(2.55, 3.00, 14);
  grip(3.05, 3.40, 0);
  // A bump in the road.
  s.Turn(Run::kPelvisShift, 3.00, 3.12, {0, -0.018f, 0}, 0);
  s.Turn(Run::kPelvisShift, 3.12, 3.30, {0, 0, 0}, 0);
  for (Side side : kBoth) s.ArmHome(side, 3.70, 4.35);
  s.Turn(Run::kThorax, 3.7, 4.3, {0, 0, 0});
  s.Look(3.7, 4.3, {0, 0, 0});
  StaySmile(s, {0.6, 1.0, 3.5, 4.1}, 0.35f);
  return 4.75;
}

// The back of the hand wipes the brow; then all sinks and heaves.
double Exhausted(Script& s) {
  Reach wipe;
  wipe.wrist = {0.020f, 1.655f, 0.165f};
  wipe.fingers = {-0.85f, 0.10f, -0.10f};
  wipe.palm = {0, -0.25f, 1};
  wipe.elbow = {1, -0.35f, 0.25f};
  wipe.clavicle_up = 0.16f;
  s.Arm(Side::kRight, 0.10, 0.70, wipe, HandShape::kRelaxed, 0.4f);
  Reach off = wipe;
  off.wrist = {0.190f, 1.640f, 0.110f};
  s.Arm(Side::kRight, 0.80, 1.20, off, HandShape::kRelaxed, 0.2f);
  s.Look(0.15, 0.7, {-4, 4, 0});
  s.Look(0.8, 1.2, {-2, -8, -4});
  // The arms fall; head and trunk follow.
  ArmAngles limp = s.ArmNow(Side::kLeft);
  limp[kShoulderX] -= 0.42f;
  limp[kElbowFlex] = 0.10f;
  limp[kClavicleUp] = -0.10f;
  limp[kClavicleFront] = 0.22f;
  s.Arm(Side::kRight, 1.30, 1.75, limp, 0.8f);
  s.Arm(Side::kLeft, 1.25, 1.80, limp, 0.4f);
  s.Turn(Run::kPelvis, 1.25, 1.85, {7, 0, 0});
  s.Turn(Run::kPelvisShift, 1.25, 1.85, {0, -0.028f, -0.035f});
  s.Turn(Run::kLumbar, 1.25, 1.85, {13, 0, 0});
  s.Look(1.3, 1.95, {24, 0, 3});
  s.Turn(Run::kThorax, 1.25, 1.85, {17, 0, 0}, 0);
  for (double t : {1.85, 2.75}) {
    s.Turn(Run::kThorax, t, t + 0.42, {8, 0, 0}, 0);
    s.Turn(Run::kThorax, t + 0.45, t + 0.88, {18, 0, 0}, 0);
    for (Side side : kBoth) {
      s.ArmAngle(side, kClavicleUp, t, -0.10f);
      s.ArmAngle(side, kClavicleUp, t + 0.42, 0.10f);
      s.ArmAngle(side, kClavicleUp, t + 0.86, -0.10f);
    }
    StayShape(s, "jawOpen", {t, t + 0.4, t + 0.5, t + 0.85}, 0.28f);
    StayShape(s, "mouthFunnel", {t + 0.3, t + 0.5, t + 0.6, t + 0.85}, 0.4f);
  }
  s.Turn(Run::kThorax, 3.75, 4.4, {0, 0, 0});
  s.Turn(Run::kLumbar, 3.70, 4.35, {0, 0, 0});
  s.Turn(Run::kPelvis, 3.70, 4.35, {0, 0, 0});
  s.Turn(Run::kPelvisShift, 3.70, 4.35, {0, 0, 0});
  s.Look(3.75, 4.45, {0, 0, 0});
  for (Side side : kBoth) s.ArmHome(side, 3.75, 4.40);
  StayPair(s, "eyeBlink", {0.5, 1.2, 3.4, 4.1}, 0.45f);
  StayShape(s, "browInnerUp", {0.2, 0.8, 3.6, 4.3}, 0.65f);
  StayPair(s, "mouthFrown", {0.3, 0.9, 3.6, 4.3}, 0.3f);
  return 4.8;
}

// Hand over hand on a rope, with the whole weight.
double PullingMime(Script& s) {
  const auto hold = [&](Side side, double t0, double t1, float y, float z) {
    Reach at;
    at.wrist = {0.075f, y, z};
    at.fingers = {-0.12f, 0.10f, 1};
    at.palm = {-1, -0.15f, 0};
    at.elbow = {0.9f, -1, -0.5f};
    s.Arm(side, t0, t1, at, HandShape::kGrip, t0 < 0.2 ? 0.4f : 0.1f);
  };
  const auto lean = [&](double t0, double t1, float degrees, float back_m) {
    for (Run run : {Run::kThorax, Run::kLumbar}) s.Turn(run, t0, t1, {degrees * 0.5f, 0, 0}, 0);
    s.Turn(Run::kPelvisShift, t0, t1, {0, -0.5f * back_m - 0.01f, -back_m}, 0);
  };
  Side first = Side::kRight, second = Side::kLeft;
  hold(first, 0.08, 0.55, 1.215f, 0.480f);
  hold(second, 0.08, 0.55, 1.165f, 0.320f);
  lean(0.1, 0.55, 14, -0.02f);
  for (const double t : {0.62, 1.46, 2.30}) {
    hold(first, t, t + 0.42, 1.150f, 0.300f);
    hold(second, t, t + 0.42, 1.090f, 0.140f);
    lean(t, t + 0.42, -14, 0.085f);
    s.Look(t, t + 0.42, {12, 0, 3}, 0);
    const Stay strain{t - 0.04, t + 0.18, t + 0.46, t + 0.74};
    StayPair(s, "browDown", strain, 0.85f);
    StayPair(s, "eyeSquint", strain, 0.75f);
    StayPair(s, "noseSneer", strain, 0.45f);
    StayPair(s, "eyeBlink", strain, 0.45f);
    StayPair(s, "mouthStretch", strain, 0.80f);
    StayPair(s, "mouthFrown", strain, 0.50f);
    StayPair(s, "mouthPress", strain, 0.50f);
    if (t > 2) break;
    // The hand behind goes ahead of the other.
    std::swap(first, second);
    hold(first, t + 0.46, t + 0.80, 1.215f, 0.480f);
    hold(second, t + 0.46, t + 0.80, 1.165f, 0.320f);
    lean(t + 0.46, t + 0.80, 14, -0.02f);
    s.Look(t + 0.46, t + 0.80, {-4, 0, -2}, 0);
    StayShape(s, "cheekPuff", {t + 0.42, t + 0.56, t + 0.62, t + 0.80}, 0.4f);
  }
  for (Side side : kBoth) s.ArmHome(side, 2.95, 3.55);
  for (Run run : {Run::kThorax, Run::kLumbar, Run::kPelvisShift}) {
    s.Turn(run, 2.95, 3.55, {0, 0, 0}, 0);
  }
  s.Look(2.95, 3.5, {0, 0, 0});
  return 3.9;
}

constexpr Recipe kRecipes[] = {{"robot", Robot},
                               {"phone_dialing", PhoneDialing},
                               {"trying_to_see", TryingToSee},
                               {"driving_mime", DrivingMime},
                               {"exhausted", Exhausted},
                               {"pulling_mime", PullingMime}};

}  // namespace

absl::Span<const Recipe> MimeRecipes() { return kRecipes; }

}  // namespace posewire::gesture
