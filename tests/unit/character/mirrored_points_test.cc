#include "libs/character/mirrored_points.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "libs/character/deformer.h"
#include "libs/character/point_skin.h"
#include "libs/character_file/builtin.h"
#include "libs/character_file/read_character.h"
#include "tests/unit/character/reading.h"

namespace posewire::character {
namespace {

using skel::Vec3;

// Pairs on both sides of the plane across `axis`, in any order.
std::vector<Vec3> Symmetric(int axis, size_t pairs) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> from(-1, 1);
  std::vector<Vec3> out;
  for (size_t i = 0; i < pairs; ++i) {
    float v[3] = {from(random), from(random), from(random)};
    out.push_back({v[0], v[1], v[2]});
    v[axis] = -v[axis];
    out.push_back({v[0], v[1], v[2]});
  }
  std::shuffle(out.begin(), out.end(), random);
  return out;
}

TEST(MirroredPoints, FindsThePlaneAndThePartners) {
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<Vec3> points = Symmetric(axis, 200);
    MirroredPoints mirror(points);
    ASSERT_TRUE(mirror.symmetric());
    std::vector<Vec3> offsets = points;
    std::vector<float> shares(points.size());
    for (size_t i = 0; i < points.size(); ++i) shares[i] = points[i].x + 2 * points[i].y;
    mirror.Mirror(absl::MakeSpan(offsets), absl::MakeSpan(shares));
    for (size_t i = 0; i < points.size(); ++i) {
      // The offset is the position, so the partner's mirrored one is the own one.
      EXPECT_LT(skel::Length(offsets[i] - points[i]), 1e-6f);
      const Vec3 other = points[mirror.images()[i]];
      EXPECT_EQ(shares[i], other.x + 2 * other.y);
    }
  }
}

TEST(MirroredPoints, APointWithoutAPartnerGetsNoShare) {
  std::vector<Vec3> points = Symmetric(0, 50);
  points.push_back({0.5f, 3, 3});
  MirroredPoints mirror(points);
  EXPECT_TRUE(mirror.symmetric());
  EXPECT_EQ(mirror.images().back(), MirroredPoints::kNone);
  std::vector<Vec3> offsets(points.size(), {1, 1, 1});
  std::vector<float> shares(points.size(), 0.5f);
  mirror.Mirror(absl::MakeSpan(offsets), absl::MakeSpan(shares));
  EXPECT_EQ(shares.back(), 0);
  EXPECT_EQ(shares.front(), 0.5f);
}

TEST(MirroredPoints, OfWhatHasNoPlaneSaysSo) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> from(0, 1);
  std::vector<Vec3> points;
  for (int i = 0; i < 100; ++i) points.push_back({from(random), from(random), from(random)});
  EXPECT_FALSE(MirroredPoints(points).symmetric());
  EXPECT_FALSE(MirroredPoints({}).symmetric());
  EXPECT_FALSE(MirroredPoints(std::vector<Vec3>(5, Vec3{})).symmetric());
}

TEST(MirroredPoints, TheBuiltInWomanIsSymmetric) {
  if (character_file::BuiltinFile("woman").empty()) {
    GTEST_SKIP() << "the build had no data to make her of";
  }
  const auto woman = *character_file::OpenCharacter("woman", Rigs());
  const Deformer deformer(woman);
  const PointSkin skin(deformer);
  const MirroredPoints mirror(skin.rest());
  EXPECT_TRUE(mirror.symmetric());
}

}  // namespace
}  // namespace posewire::character
