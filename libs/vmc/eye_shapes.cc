#include "libs/vmc/eye_shapes.h"

#include <algorithm>
#include <cmath>

namespace posewire::vmc {
namespace {

constexpr float kRadians = 3.14159265358979f / 180;
constexpr float kSide_rad = 35 * kRadians, kUp_rad = 30 * kRadians;

void Set(int shape, float weight, ArkitWeights& weights) {
  weights[static_cast<size_t>(shape)] = std::clamp(weight, 0.0f, 1.0f);
}

}  // namespace

void LookAt(skel::Vec3 target, ArkitWeights& weights) {
  const float left = std::atan2(target.x, target.z) / kSide_rad;
  const float up = std::atan2(target.y, std::hypot(target.x, target.z)) / kUp_rad;
  Set(skel::kArkitEyeLookOutLeft, left, weights);
  Set(skel::kArkitEyeLookInRight, left, weights);
  Set(skel::kArkitEyeLookInLeft, -left, weights);
  Set(skel::kArkitEyeLookOutRight, -left, weights);
  for (const int shape : {skel::kArkitEyeLookUpLeft, skel::kArkitEyeLookUpRight}) {
    Set(shape, up, weights);
  }
  for (const int shape : {skel::kArkitEyeLookDownLeft, skel::kArkitEyeLookDownRight}) {
    Set(shape, -up, weights);
  }
}

skel::Vec3 TargetOf(const ArkitWeights& weights) {
  const auto half = [&](int a, int b) {
    return (weights[static_cast<size_t>(a)] + weights[static_cast<size_t>(b)]) / 2;
  };
  const float left = kSide_rad * (half(skel::kArkitEyeLookOutLeft, skel::kArkitEyeLookInRight) -
                                  half(skel::kArkitEyeLookInLeft, skel::kArkitEyeLookOutRight));
  const float up = kUp_rad * (half(skel::kArkitEyeLookUpLeft, skel::kArkitEyeLookUpRight) -
                              half(skel::kArkitEyeLookDownLeft, skel::kArkitEyeLookDownRight));
  return {std::sin(left) * std::cos(up), std::sin(up), std::cos(left) * std::cos(up)};
}

}  // namespace posewire::vmc
