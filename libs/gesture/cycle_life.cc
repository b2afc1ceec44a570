#include "libs/gesture/cycle.h"

namespace posewire::gesture {
namespace {

constexpr Side kBoth[] = {Side::kLeft, Side::kRight};

}  // namespace

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

// Small slow movements of hips, trunk, head and fingers.
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

}  // namespace posewire::gesture
