#include "libs/skel/unpack_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/skel/random_pose.h"

namespace posewire::skel {
namespace {

using ::testing::ElementsAre;

TEST(KeyPlaces, KnowsWhatStandsWhere) {
  const KeyPlaces same({0, 1, 2}, 3);
  EXPECT_TRUE(same.IsIdentity());
  EXPECT_FALSE(same.IsSparse());
  const KeyPlaces part({0, 1}, 3), none;
  EXPECT_FALSE(part.IsIdentity());
  EXPECT_EQ(part.size(), 2);
  EXPECT_EQ(part.key_size(), 3);
  EXPECT_EQ(none.size(), 0);
  // Places that the key does not have are none.
  const KeyPlaces odd({2, -7, 5, 0}, 3);
  EXPECT_THAT(odd.placed(), ElementsAre(0, 3));
  EXPECT_THAT(std::vector<int>(odd.has(), odd.has() + 4), ElementsAre(1, 0, 0, 1));
  std::vector<int32_t> few(64, -1);
  few[5] = 1, few[63] = 0;
  EXPECT_TRUE(KeyPlaces(few, 2).IsSparse());
}

TEST(UnpackJob, WantsPlacesForThePoseThatItWrites) {
  const KeyPlaces two({0, 1}, 2);
  Pose out(3, 2);
  UnpackJob job{.rotations = {{}, &two}, .out = out.span()};
  EXPECT_FALSE(job.Run());
  EXPECT_EQ(job.Validate().message(), "rotations has places for 2 elements, expected 3");
  EXPECT_TRUE((UnpackJob{.weights = {{}, &two}, .out = out.span()}.Run()));
  EXPECT_FALSE((UnpackJob{.scales = {{}, &two}, .out = out.span()}.Run()));
  EXPECT_FALSE((UnpackJob{.translations = {{}, &two}, .out = out.span()}.Run()));
}

TEST(UnpackJob, LeavesTracksWithoutPlacesAndClearsThoseWithoutAKey) {
  RandomPoses random(3);
  Pose out = random.Of(3, 2);
  const Pose before = out;
  const KeyPlaces joints({2, 1, 0}, 3), shapes({0, 1}, 2);
  const std::vector<float> scales = {1, 2, 3, 4, 5, 6, 7, 8, 9}, wrong = {1};
  ASSERT_TRUE((UnpackJob{.rotations = {{}, &joints},
                         .scales = {scales, &joints},
                         .weights = {wrong, &shapes},
                         .out = out.span()}
                   .Run()));
  const PoseView v = out.view();
  for (int j = 0; j < 3; ++j) {
    EXPECT_EQ(v.has_r[j], 0);
    EXPECT_EQ(v.has_t[j], 1);
    EXPECT_EQ(v.tx[j], before.view().tx[j]);
    EXPECT_EQ(v.has_s[j], 1);
  }
  EXPECT_EQ(v.sx[0], 7);
  EXPECT_EQ(v.sz[2], 3);
  EXPECT_EQ(v.has_w[0] + v.has_w[1], 0);
}

TEST(UnpackJob, BringsRotationsToUnitLength) {
  const KeyPlaces places({0, 1, 2}, 3);
  const std::vector<float> key = {0, 0, 0, 0, 0.9f, 0.1f, 0, 0, 0, 2, 0, 0};
  Pose out(3, 0);
  ASSERT_TRUE((UnpackJob{.rotations = {key, &places}, .out = out.span()}.Run()));
  EXPECT_EQ(out.view().qw[0], 1);
  EXPECT_NEAR(Dot(out.view().rotation(1), out.view().rotation(1)), 1, 1e-6);
  EXPECT_EQ(out.view().qx[2], 1);
}

}  // namespace
}  // namespace posewire::skel
