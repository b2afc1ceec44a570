#include "libs/shapes/shape_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/allocation_count.h"

namespace posewire::shapes {
namespace {

using ::testing::ElementsAre;

using Names = std::vector<std::string>;

std::vector<float> Changed(ShapeChange& change, const std::vector<float>& in) {
  std::vector<float> out;
  change.Apply(in, out);
  return out;
}

float Of(const ShapeChange& change, const std::vector<float>& weights, absl::string_view name) {
  const auto found = std::find(change.names().begin(), change.names().end(), name);
  if (found == change.names().end()) return -99;
  return weights[static_cast<size_t>(found - change.names().begin())];
}

TEST(ShapeChange, VisemesBecomeTheArkitShapesThatTheyReach) {
  auto change = ShapeChange::Make(Names{"Hat", "viseme_ou", "viseme_TH", "viseme_sil"}, nullptr);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->from().set, FindSet("oculus"));
  EXPECT_EQ(change->from().matched, 3);
  EXPECT_THAT(change->names(), ElementsAre("Hat", "jawOpen", "mouthFunnel", "mouthPucker",
                                           "mouthLowerDownLeft", "mouthLowerDownRight",
                                           "mouthUpperUpLeft", "mouthUpperUpRight", "tongueOut"));
  const std::vector<float> out = Changed(*change, {0.7f, 0.5f, 0, 0});
  EXPECT_EQ(out[0], 0.7f);
  EXPECT_NEAR(Of(*change, out, "mouthPucker"), 0.41f, 1e-6);
  EXPECT_EQ(Of(*change, out, "tongueOut"), 0);
}

TEST(ShapeChange, ArkitWinsOverTheSet) {
  auto change =
      ShapeChange::Make(Names{"viseme_ou", "viseme_TH", "viseme_aa", "mouthPucker"}, nullptr);
  ASSERT_TRUE(change);
  const std::vector<float> out = Changed(*change, {1, 0, 0, 0.2f});
  EXPECT_EQ(Of(*change, out, "mouthPucker"), 0.2f);
  EXPECT_NEAR(Of(*change, out, "mouthFunnel"), 0.36f, 1e-6);
}

TEST(ShapeChange, ArkitItselfAndNonsenseStay) {
  EXPECT_FALSE(ShapeChange::Make(Names{"jawOpen", "mouthClose", "EyeBlinkLeft"}, nullptr));
  EXPECT_FALSE(ShapeChange::Make(Names{"Hat", "Coat"}, nullptr));
  EXPECT_FALSE(ShapeChange::Make(Names{"Hat", "Coat"}, FindSet("oculus")));
  EXPECT_FALSE(ShapeChange::Make(Names{"aa", "ih", "ou"}, FindSet("vrm1")));
}

TEST(ShapeChange, ConvertsMouthCloseBetweenOtherSetsAndStreams) {
  auto in = ShapeChange::Make(Names{"JawOpen", "MouthClosed", "LipFunnelUpperLeft"}, nullptr);
  ASSERT_TRUE(in);
  const std::vector<float> ace = Changed(*in, {0.7f, 0.3f, 0});
  EXPECT_NEAR(Of(*in, ace, "jawOpen"), 0.4f, 1e-6);
  EXPECT_NEAR(Of(*in, ace, "mouthClose"), 0.3f, 1e-6);
  auto out = ShapeChange::Make(Names{"jawOpen", "mouthClose", "mouthFunnel"}, FindSet("unified"));
  ASSERT_TRUE(out);
  const std::vector<float> apple = Changed(*out, {0.4f, 0.3f, 0});
  EXPECT_NEAR(Of(*out, apple, "JawOpen"), 0.7f, 1e-6);
  EXPECT_NEAR(Of(*out, apple, "MouthClosed"), 0.3f, 1e-6);
  auto same =
      ShapeChange::Make(Names{"jawOpen", "mouthClose", "mouthFunnel"}, FindSet("perfect_sync"));
  ASSERT_TRUE(same);
  EXPECT_NEAR(Of(*same, Changed(*same, {0.4f, 0.3f, 0}), "JawOpen"), 0.4f, 1e-6);
}

TEST(ShapeChange, GoesFromOneForeignSetToAnother) {
  auto change = ShapeChange::Make(Names{"Jaw_Open", "Cheek_Puff_Left", "Cheek_Puff_Right", "Hat"},
                                  FindSet("vrm1"));
  ASSERT_TRUE(change);
  EXPECT_EQ(change->names().size(), 19u);
  EXPECT_EQ(change->names()[0], "Hat");
  const std::vector<float> out = Changed(*change, {0.5f, 1, 1, 0.1f});
  EXPECT_EQ(out[0], 0.1f);
  EXPECT_NEAR(Of(*change, out, "aa"), 0.5f, 1e-6);
}

TEST(ShapeChange, DoesNotAllocate) {
  auto change = ShapeChange::Make(Names{"viseme_ou", "viseme_TH", "viseme_aa"}, FindSet("unified"));
  ASSERT_TRUE(change);
  std::vector<float> out;
  out.reserve(200);
  const std::vector<float> in = {1, 0, 0.5f};
  const AllocationCount allocations;
  change->Apply(in, out);
  EXPECT_EQ(allocations.count(), 0);
}

}  // namespace
}  // namespace posewire::shapes
