#include "libs/gesture/repertoire.h"

namespace posewire::gesture {
namespace {

constexpr Side kBoth[] = {Side::kLeft, Side::kRight};

// Fast and uneven, in waves; the shoulders drawn up.
double Shiver(Cycle& c) {
  const auto shake = [&](auto swing, double phase) {
    // Neighbouring rates beat against each other once a second.
    swing(0.6f, 15, phase);
    swing(0.4f, 17, phase + 0.21);
  };
  shake([&](float a, int n, double p) { c.Swing(Run::kThorax, {0.5f * a, 0.9f * a, 0}, n, p); }, 0);
  shake([&](float a, int n, double p) { c.SwingLook({0.7f * a, 1.6f * a, 0.4f * a}, n, p); }, 0.3);
  for (Side side : kBoth) {
    const double late = side == Side::kLeft ? 0 : 0.4;
    c.SwingArm(side, kClavicleUp, 1.0f, 2, 0.75);
    const auto arm = [&](ArmControl control, float degrees, double phase) {
      shake([&](float a, int n, double p) { c.SwingArm(side, control, degrees * a, n, p); },
            phase + late);
    };
    arm(kClavicleUp, 0.8f, 0.1);
    arm(kShoulderX, 1.1f, 0.2);
    arm(kElbowFlex, 2.0f, 0.05);
    arm(kForearmTwist, 2.4f, 0.35);
    arm(kWristFlex, 2.2f, 0.15);
  }
  return 2;
}

// Fingers, wrists and shoulders that find no rest.
double Fidget(Cycle& c) {
  c.Swing(Run::kThorax, {0.5f, 1.2f, 0.5f}, 2, 0);
  c.SwingLook({1.2f, 2.2f, 1.4f}, 2, 0.15);
  c.SwingLook({0.8f, -1.4f, 0.6f}, 5, 0.4);
  for (Side side : kBoth) {
    const double late = side == Side::kLeft ? 0 : 0.43;
    c.SwingArm(side, kClavicleUp, 1.4f, 1, 0.1 + late);
    c.SwingArm(side, kShoulderX, 1.3f, 3, 0.3 + late);
    c.SwingArm(side, kElbowFlex, 2.4f, 3, 0.25 + late);
    c.SwingArm(side, kForearmTwist, 5.0f, 4, 0.6 + late);
    c.SwingArm(side, kWristFlex, 4.0f, 5, 0.8 + late);
    c.SwingArm(side, kThumbOppose, 5.0f, 7, 0.5 + late);
    for (int f = 0; f < 4; ++f) {
      const auto base = static_cast<ArmControl>(kFingers + 3 * f + 1);
      const auto middle = static_cast<ArmControl>(kFingers + 3 * f + 2);
      c.SwingArm(side, base, 7.0f, 7, 0.1 + late - 0.12 * f);
      // No joint goes further back than straight.
      c.SwingArm(side, middle, 1.8f, 6, 0.35 + late - 0.12 * f);
    }
  }
  return 4;
}

constexpr CycleRecipe kLayers[] = {{"fidget", Fidget}, {"shiver", Shiver}};

}  // namespace

absl::Span<const CycleRecipe> LayerRecipes() { return kLayers; }

}  // namespace posewire::gesture
