#include "libs/mesh/fit_shapes.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace posewire::mesh {
namespace {

using skel::Vec3;

TEST(FitShapes, FindsTheShapesThatExplainTheOffsets) {
  constexpr size_t kPoints = 7, kShapes = 3, kFrames = 60;
  std::mt19937 random(2);
  std::uniform_real_distribution<float> share(0, 1);
  std::normal_distribution<float> any(0, 0.01f);
  std::vector<Vec3> shapes, offsets;
  for (size_t i = 0; i < kShapes * kPoints; ++i) {
    shapes.push_back({any(random), any(random), any(random)});
  }
  std::vector<float> weights;
  for (size_t f = 0; f < kFrames; ++f) {
    for (size_t s = 0; s < kShapes; ++s) weights.push_back(share(random));
    for (size_t i = 0; i < kPoints; ++i) {
      Vec3 sum;
      for (size_t s = 0; s < kShapes; ++s) {
        sum = sum + shapes[s * kPoints + i] * weights[f * kShapes + s];
      }
      offsets.push_back(sum);
    }
  }
  const auto got = FitShapes({offsets, weights, kPoints, kShapes});
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_EQ(got->size(), shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    EXPECT_LT(skel::Length((*got)[i] - shapes[i]), 2e-3f) << i;
  }
}

TEST(FitShapes, SharesWhatTwoShapesAlwaysDoTogether) {
  const std::vector<float> weights = {0, 0, 0.5f, 0.5f, 1, 1};
  const std::vector<Vec3> offsets = {{}, {0, 0.5f, 0}, {0, 1, 0}};
  const auto got = FitShapes({offsets, weights, 1, 2});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_NEAR((*got)[0].y, 0.5f, 0.01f);
  EXPECT_NEAR((*got)[1].y, 0.5f, 0.01f);
}

TEST(FitShapes, RejectsLengthsThatDoNotMatch) {
  const std::vector<float> weights(4);
  const std::vector<Vec3> offsets(3);
  for (const FitShapesInput& in :
       {FitShapesInput{offsets, weights, 1, 2}, FitShapesInput{offsets, weights, 3, 0},
        FitShapesInput{{}, weights, 0, 2}}) {
    EXPECT_EQ(FitShapes(in).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace posewire::mesh
