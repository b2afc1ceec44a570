#include "libs/mesh/blend_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace posewire::mesh {
namespace {

using skel::Vec3;
using testing::HasSubstr;

// One point; the shape moves it by x, in-betweens by y and z, so that the parts can be read off.
BlendShape ThreeKeys(float y_weight, float z_weight) {
  BlendShapeParts parts;
  parts.name = "shape";
  parts.offsets = {{1, 0, 0}};
  parts.inbetweens = {{y_weight, {{0, 1, 0}}, {}}, {z_weight, {{0, 0, 1}}, {}}};
  return *BlendShape::Make(parts);
}

Vec3 PartsAt(const BlendShape& shape, float weight) {
  std::vector<Vec3> points(1);
  const float weights[] = {weight};
  BlendShapesJob job;
  job.shapes = absl::MakeConstSpan(&shape, 1);
  job.weights = weights;
  job.points = absl::MakeSpan(points);
  EXPECT_TRUE(job.Run().ok());
  return points[0];
}

void ExpectParts(const BlendShape& shape, float weight, Vec3 expected) {
  const Vec3 got = PartsAt(shape, weight);
  EXPECT_NEAR(got.x, expected.x, 1e-5) << "weight " << weight;
  EXPECT_NEAR(got.y, expected.y, 1e-5) << "weight " << weight;
  EXPECT_NEAR(got.z, expected.z, 1e-5) << "weight " << weight;
}

TEST(BlendShape, WithoutInbetweensTheWeightIsUnbounded) {
  BlendShapeParts parts;
  parts.offsets = {{1, 0, 0}};
  const BlendShape shape = *BlendShape::Make(parts);
  for (float w : {2.0f, -0.5f, 0.3f}) ExpectParts(shape, w, {w, 0, 0});
}

TEST(BlendShape, InbetweensWithinTheRangeTakeOverPiecewise) {
  const BlendShape shape = ThreeKeys(0.25f, 0.5f);
  ExpectParts(shape, -0.25f, {0, -1, 0});
  ExpectParts(shape, 0, {0, 0, 0});
  ExpectParts(shape, 0.125f, {0, 0.5f, 0});
  ExpectParts(shape, 0.25f, {0, 1, 0});
  ExpectParts(shape, 0.375f, {0, 0.5f, 0.5f});
  ExpectParts(shape, 0.5f, {0, 0, 1});
  ExpectParts(shape, 0.75f, {0.5f, 0, 0.5f});
  ExpectParts(shape, 1, {1, 0, 0});
  ExpectParts(shape, 2, {3, 0, -2});
}

TEST(BlendShape, InbetweensOutsideTheRangeTakeOverBeyondIt) {
  const BlendShape shape = ThreeKeys(-0.5f, 1.5f);  // neg in y, over in z
  ExpectParts(shape, -1, {0, 2, 0});
  ExpectParts(shape, -0.25f, {0, 0.5f, 0});
  ExpectParts(shape, 0.5f, {0.5f, 0, 0});
  ExpectParts(shape, 1.25f, {0.5f, 0, 0.5f});
  ExpectParts(shape, 2, {-1, 0, 2});
}

TEST(BlendShape, ForbiddenInbetweensAreLeftOutWithAWarning) {
  BlendShapeParts parts;
  parts.name = "smile";
  parts.offsets = {{1, 0, 0}};
  for (float w : {0.0f, 1.0f, 0.5f, 0.5f}) parts.inbetweens.push_back({w, {{0, 9, 0}}, {}});
  std::vector<std::string> warnings;
  const BlendShape shape = *BlendShape::Make(parts, &warnings);
  EXPECT_EQ(warnings.size(), 4u);
  EXPECT_THAT(warnings[2], HasSubstr("smile"));
  ExpectParts(shape, 0.5f, {0.5f, 0, 0});
}

TEST(BlendShape, CountsThatDoNotAgreeAreErrors) {
  BlendShapeParts parts;
  parts.name = "smile";
  parts.indices = {1, 3};
  parts.offsets = {{0, 1, 0}};
  EXPECT_THAT(std::string(BlendShape::Make(parts).status().message()),
              HasSubstr("smile: the shape itself has 1 offsets for 2 point indices"));
  parts.offsets = {{0, 1, 0}, {0, 2, 0}};
  parts.inbetweens = {{0.5f, {{0, 1, 0}}, {}}};
  EXPECT_FALSE(BlendShape::Make(parts).ok());
  parts.inbetweens = {};
  parts.offsets[0].x = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(BlendShape::Make(parts).ok());
}

TEST(BlendShapesJob, SparseOffsetsMoveTheirPointsAndTwiceNamedOnesTwice) {
  BlendShapeParts parts;
  parts.indices = {1, 3, 1};
  parts.offsets = {{0, 1, 0}, {0, 2, 0}, {1, 0, 0}};
  const std::vector<BlendShape> shapes = {*BlendShape::Make(parts)};
  std::vector<Vec3> points(4);
  BlendShapesJob job;
  job.shapes = shapes;
  const float weights[] = {0.5f};
  job.weights = weights;
  job.points = absl::MakeSpan(points);
  ASSERT_TRUE(job.Run().ok());
  EXPECT_FLOAT_EQ(points[1].y, 0.5f);
  EXPECT_FLOAT_EQ(points[1].x, 0.5f);
  EXPECT_FLOAT_EQ(points[3].y, 1);
  EXPECT_FLOAT_EQ(points[0].y + points[2].y, 0);
}

TEST(BlendShapesJob, AnIndexThatIsNoPointIsNamedAndNothingMoves) {
  BlendShapeParts parts;
  parts.name = "frown";
  parts.indices = {0, 4};
  parts.offsets = {{0, 1, 0}, {0, 2, 0}};
  const std::vector<BlendShape> shapes = {*BlendShape::Make(parts)};
  std::vector<Vec3> points(4);
  const float weights[] = {1.0f};
  BlendShapesJob job;
  job.shapes = shapes;
  job.weights = weights;
  job.points = absl::MakeSpan(points);
  EXPECT_THAT(std::string(job.Run().message()), HasSubstr("frown: index 1 is 4"));
  EXPECT_EQ(points[0].y, 0);
  job.weights = {};
  EXPECT_THAT(std::string(job.Run().message()), HasSubstr("weights has 0 entries, expected 1"));
}

TEST(BlendShapesJob, OffsetsForOtherPointsThanThereAreAreNamedAndNothingMoves) {
  BlendShapeParts good, bad;
  good.offsets = {{0, 1, 0}, {0, 2, 0}};
  bad.name = "sneer";
  bad.offsets = {{0, 1, 0}};
  const std::vector<BlendShape> shapes = {*BlendShape::Make(good), *BlendShape::Make(bad)};
  std::vector<Vec3> points(2);
  const float weights[] = {1.0f, 0.5f}, without[] = {1.0f, 0.0f};
  BlendShapesJob job;
  job.shapes = shapes;
  job.weights = weights;
  job.points = absl::MakeSpan(points);
  EXPECT_THAT(std::string(job.Validate().message()),
              HasSubstr("sneer has 1 offsets for 2 points and no point indices"));
  EXPECT_FALSE(job.Run().ok());
  EXPECT_EQ(points[0].y, 0);
  job.weights = without;
  EXPECT_TRUE(job.Run().ok());
  EXPECT_EQ(points[1].y, 2);
}

TEST(BlendShapesJob, NormalsStayUnit) {
  BlendShapeParts parts;
  parts.offsets = {{0, 1, 0}};
  parts.normal_offsets = {{1, 0, -1}};
  const std::vector<BlendShape> shapes = {*BlendShape::Make(parts)};
  std::vector<Vec3> points(1), normals = {{0, 0, 1}};
  const float weights[] = {0.5f};
  BlendShapesJob job;
  job.shapes = shapes;
  job.weights = weights;
  job.points = absl::MakeSpan(points);
  job.normals = absl::MakeSpan(normals);
  ASSERT_TRUE(job.Run().ok());
  EXPECT_NEAR(normals[0].x, std::sqrt(0.5f), 1e-6);
  EXPECT_NEAR(normals[0].z, std::sqrt(0.5f), 1e-6);
}

// The rule, read off a sorted map.
Vec3 Reference(const std::map<float, Vec3>& keys, float w) {
  if (std::fabs(w) < 1e-6f) return {};
  auto up = keys.upper_bound(w);
  if (up == keys.begin()) ++up;
  if (up == keys.end()) --up;
  const auto low = std::prev(up);
  const float t = (w - low->first) / (up->first - low->first);
  return skel::Lerp(low->second, up->second, t);
}

TEST(BlendShapesJob, AgreesWithThePlainRuleOnRandomShapes) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> any(-2, 2);
  for (int round = 0; round < 500; ++round) {
    std::map<float, Vec3> keys = {{0, {}}};
    BlendShapeParts parts;
    parts.offsets = {{any(random), any(random), any(random)}};
    keys[1] = parts.offsets[0];
    for (int i = 0; i < round % 5; ++i) {
      const float w = any(random);
      parts.inbetweens.push_back({w, {{any(random), any(random), any(random)}}, {}});
      keys[w] = parts.inbetweens.back().offsets[0];
    }
    const BlendShape shape = *BlendShape::Make(parts);
    const float w = any(random);
    const Vec3 expected = Reference(keys, w), got = PartsAt(shape, w);
    const float bound = 1e-4f * (1 + skel::Length(expected));
    EXPECT_LT(skel::Length(expected - got), bound) << "weight " << w;
  }
}

}  // namespace
}  // namespace posewire::mesh
