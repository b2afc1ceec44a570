#include "libs/vmc/eye_shapes.h"

#include <cmath>

#include "gtest/gtest.h"

namespace posewire::vmc {
namespace {

float Weight(const ArkitWeights& weights, int shape) { return weights[static_cast<size_t>(shape)]; }

TEST(VmcEyeShapes, EyesTurnToTheTarget) {
  ArkitWeights weights{};
  const float side = std::tan(17.5f * static_cast<float>(M_PI) / 180);
  LookAt({side, 0, 1}, weights);  // to the avatar's left
  EXPECT_NEAR(Weight(weights, skel::kArkitEyeLookOutLeft), 0.5, 1e-5);
  EXPECT_NEAR(Weight(weights, skel::kArkitEyeLookInRight), 0.5, 1e-5);
  EXPECT_EQ(Weight(weights, skel::kArkitEyeLookInLeft), 0);
  EXPECT_EQ(Weight(weights, skel::kArkitEyeLookUpLeft), 0);
  LookAt({0, -5, 1}, weights);  // down, as far as eyes go
  EXPECT_EQ(Weight(weights, skel::kArkitEyeLookOutLeft), 0);
  EXPECT_EQ(Weight(weights, skel::kArkitEyeLookDownRight), 1);
  LookAt({}, weights);
  for (const float w : weights) EXPECT_EQ(w, 0);
}

TEST(VmcEyeShapes, TheTargetComesBack) {
  for (const skel::Vec3 target :
       {skel::Vec3{0, 0, 1}, {0.3f, 0.1f, 0.9f}, {-0.4f, -0.3f, 0.8f}, {0, 0.4f, 0.9f}}) {
    ArkitWeights weights{};
    LookAt(target, weights);
    const skel::Vec3 back = TargetOf(weights);
    const float length = std::sqrt(Dot(target, target));
    EXPECT_NEAR(back.x, target.x / length, 1e-5);
    EXPECT_NEAR(back.y, target.y / length, 1e-5);
    EXPECT_NEAR(back.z, target.z / length, 1e-5);
  }
}

}  // namespace
}  // namespace posewire::vmc
