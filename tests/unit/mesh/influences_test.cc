#include "libs/mesh/influences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace posewire::mesh {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::Pointwise;

TEST(Influences, NormalizingDividesByEachPointsSum) {
  std::vector<float> weights = {3, 1, 1, 0, 4, 3, 2, 1, 40, 30, 20, 10, 0, 0, 0, 0};
  ASSERT_TRUE(NormalizeWeights(absl::MakeSpan(weights), 4).ok());
  EXPECT_THAT(weights, Pointwise(FloatEq(), {.6f, .2f, .2f, 0.f, .4f, .3f, .2f, .1f, .4f, .3f, .2f,
                                             .1f, 0.f, 0.f, 0.f, 0.f}));
}

TEST(Influences, LengthsThatAreNoMultipleAreErrors) {
  std::vector<float> weights(5);
  std::vector<int> indices(5);
  EXPECT_FALSE(NormalizeWeights(absl::MakeSpan(weights), 4).ok());
  EXPECT_FALSE(NormalizeWeights(absl::MakeSpan(weights), 0).ok());
  EXPECT_FALSE(SortInfluences(absl::MakeSpan(indices), absl::MakeSpan(weights), 2).ok());
  EXPECT_FALSE(ResizeIndices(indices, 4, 2).ok());
  EXPECT_FALSE(ResizeIndices(indices, 5, 0).ok());
  weights.clear();
  EXPECT_TRUE(NormalizeWeights(absl::MakeSpan(weights), 4).ok());
}

TEST(Influences, SortingPutsTheHeaviestFirstAndOfEqualsTheLargerIndex) {
  std::vector<int> indices = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  std::vector<float> weights = {3, 1, 4, 2, 1, 2, 3, 4, 4, 3, 2, 1};
  ASSERT_TRUE(SortInfluences(absl::MakeSpan(indices), absl::MakeSpan(weights), 4).ok());
  EXPECT_THAT(indices, ElementsAre(3, 1, 4, 2, 8, 7, 6, 5, 9, 10, 11, 12));
  EXPECT_THAT(weights, ElementsAre(4, 3, 2, 1, 4, 3, 2, 1, 4, 3, 2, 1));
  indices = {2, 5};
  weights = {1, 1};
  ASSERT_TRUE(SortInfluences(absl::MakeSpan(indices), absl::MakeSpan(weights), 2).ok());
  EXPECT_THAT(indices, ElementsAre(5, 2));
}

TEST(Influences, ResizingKeepsTheFirstAndPadsWithZero) {
  std::vector<int> indices = {1, 2, 3, 4, 5, 6, 7, 8};
  ASSERT_TRUE(ResizeIndices(indices, 4, 2).ok());
  EXPECT_THAT(indices, ElementsAre(1, 2, 5, 6));
  indices = {1, 2, 3, 4, 5, 6, 7, 8};
  ASSERT_TRUE(ResizeIndices(indices, 2, 4).ok());
  EXPECT_THAT(indices, ElementsAre(1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 7, 8, 0, 0));
}

TEST(Influences, ShrinkingNormalizesAndGrowingDoesNot) {
  std::vector<float> weights = {3, 1, 1, 5, 6, 1, 1, 3, 7, 8, 1, 3, 1, 9, 10};
  ASSERT_TRUE(ResizeWeights(weights, 5, 3).ok());
  EXPECT_THAT(weights, Pointwise(FloatEq(), {.6f, .2f, .2f, .2f, .2f, .6f, .2f, .6f, .2f}));
  weights = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  ASSERT_TRUE(ResizeWeights(weights, 3, 5).ok());
  EXPECT_THAT(weights, ElementsAre(1, 2, 3, 0, 0, 4, 5, 6, 0, 0, 7, 8, 9, 0, 0));
}

TEST(Influences, TheGreatestAreKeptAndNoMoreThanAnyPointNeeds) {
  const std::vector<int> joints = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<float> weights = {0.1f, 0, 0.3f, 0, 2, 0, 1, 1};
  std::vector<int> j = joints;
  std::vector<float> w = weights;
  int kept = 0;
  KeepGreatest(4, j, w, &kept);
  EXPECT_EQ(kept, 3);
  EXPECT_THAT(j, ElementsAre(3, 1, 4, 5, 8, 7));
  EXPECT_THAT(w, ElementsAre(FloatEq(0.75f), FloatEq(0.25f), 0, 0.5f, 0.25f, 0.25f));
  j = joints, w = weights, kept = 2;
  KeepGreatest(4, j, w, &kept);
  EXPECT_EQ(kept, 2);
  EXPECT_THAT(j, ElementsAre(3, 1, 5, 8));
  EXPECT_THAT(w, ElementsAre(FloatEq(0.75f), FloatEq(0.25f), FloatEq(2 / 3.0f), FloatEq(1 / 3.0f)));
}

TEST(Influences, ConstantOnesAreRepeatedForEachPoint) {
  const std::vector<int> one = {1, 2, 3, 4, 5};
  EXPECT_THAT(ExpandConstant(one, 3), ElementsAre(1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5));
  EXPECT_TRUE(ExpandConstant(one, 0).empty());
}

}  // namespace
}  // namespace posewire::mesh
