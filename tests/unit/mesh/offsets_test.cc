#include "libs/mesh/offsets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace posewire::mesh {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr float kPi = 3.14159265f;

void ExpectNear(Vec3 got, Vec3 expected, float tolerance = 1e-6f) {
  EXPECT_LT(skel::Length(got - expected), tolerance)
      << got.x << " " << got.y << " " << got.z << ", expected " << expected.x << " " << expected.y
      << " " << expected.z;
}

Affine Turn(Vec3 axis, float angle_rad, Vec3 t = {}) {
  return skel::FromTrs(t, skel::FromAxisAngle(axis, angle_rad), {1, 1, 1});
}

std::vector<Vec3> Skinned(const std::vector<Affine>& s, const std::vector<Vec3>& v) {
  std::vector<Vec3> out;
  for (size_t i = 0; i < v.size(); ++i) out.push_back(skel::TransformPoint(s[i], v[i]));
  return out;
}

// Four points on two joints: whole, half and half, three to one, whole.
struct Arm {
  std::vector<int> indices = {0, 1, 0, 1, 0, 1, 0, 1};
  std::vector<float> weights = {1, 0, 0.5f, 0.5f, 0.25f, 0.75f, 0, 1};
  std::vector<Vec3> rest = {{0, 0, 0}, {1, 0.1f, 0}, {1.2f, -0.1f, 0}, {2, 0, 0.1f}};
  std::vector<Affine> transforms, s = std::vector<Affine>(4);
  std::vector<size_t> singular;

  PointTransformsJob Job(SkinningMethod method) {
    PointTransformsJob job;
    job.method = method;
    job.transforms = transforms;
    job.indices = indices;
    job.weights = weights;
    job.per_point = 2;
    job.out = absl::MakeSpan(s);
    job.singular = &singular;
    return job;
  }
};

TEST(PointTransforms, IsTheSumOfWeightsTimesInverseRestTimesPosed) {
  // R and M of the document: rest and posed transform of a joint. Here both joints rest at x = 1.
  const Affine rest = skel::FromTrs({1, 0, 0}, {}, {1, 1, 1});
  const Affine posed = Turn({0, 0, 1}, kPi / 2, {1, 0, 0});
  Arm arm;
  arm.transforms = {SkinningTransform(rest, rest), SkinningTransform(rest, posed)};
  ASSERT_TRUE(arm.Job(SkinningMethod::kClassicLinear).Run().ok());
  // v S = v (0.5 I + 0.5 R^-1 M): a quarter turn about x = 1, half of it.
  ExpectNear(arm.s[1].row[0], {0.5f, 0.5f, 0});
  ExpectNear(arm.s[1].row[1], {-0.5f, 0.5f, 0});
  ExpectNear(arm.s[1].row[2], {0, 0, 1});
  ExpectNear(arm.s[1].row[3], {0.5f, -0.5f, 0});
  ExpectNear(skel::TransformPoint(arm.s[1], {3, 0, 0}), {2, 1, 0});
}

TEST(Offsets, AreWhatTheSkinLacksBeforeItTurns) {
  // (v" - p) S^-1: the complex point lies 2 above where a quarter turn takes (1, 0, 0), to (0, 1,
  // 0).
  const std::vector<Affine> s = {Turn({0, 0, 1}, kPi / 2)};
  const std::vector<Vec3> v = {{1, 0, 0}}, complex = {{0, 3, 0}};
  std::vector<Vec3> o(1), back(1);
  const std::vector<Vec3> p = Skinned(s, v);
  ASSERT_TRUE((OffsetsJob{s, p, complex, absl::MakeSpan(o)}.Run().ok()));
  ExpectNear(o[0], {2, 0, 0});
  const std::vector<WeighedOffsets> whole = {{o, 1}};
  ASSERT_TRUE((ReconstructJob{s, p, whole, absl::MakeSpan(back)}.Run().ok()));
  ExpectNear(back[0], {0, 3, 0});
}

TEST(Reconstruct, BlendsTheOffsetsOfClipsByTheirWeights) {
  const std::vector<Affine> s = {skel::FromTrs({0, 0, 5}, {}, {1, 1, 1})};
  const std::vector<Vec3> p = {{1, 1, 6}}, a = {{4, 0, 0}}, b = {{0, 8, 0}};
  std::vector<Vec3> out(1);
  const std::vector<WeighedOffsets> clips = {{a, 0.75f}, {b, 0.25f}};
  ASSERT_TRUE((ReconstructJob{s, p, clips, absl::MakeSpan(out)}.Run().ok()));
  ExpectNear(out[0], {4, 3, 6});
  ASSERT_TRUE((ReconstructJob{s, p, {}, absl::MakeSpan(out)}.Run().ok()));
  ExpectNear(out[0], {1, 1, 6});  // without offsets: the simple skin
  // A point has its share of each.
  const std::vector<float> half = {0.5f}, none = {0};
  const std::vector<WeighedOffsets> shared = {{a, 0.75f, half}, {b, 0.25f, none}};
  ASSERT_TRUE((ReconstructJob{s, p, shared, absl::MakeSpan(out)}.Run().ok()));
  ExpectNear(out[0], {2.5f, 1, 6});
  const std::vector<float> two = {1, 1};
  const std::vector<WeighedOffsets> wrong = {{a, 1, two}};
  EXPECT_FALSE((ReconstructJob{s, p, wrong, absl::MakeSpan(out)}.Run().ok()));
}

TEST(PointTransforms, MoveAPointAsTheSkinDoesByBothMethods) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> any(-1, 1), share(0, 1), size(0.8f, 1.25f);
  for (int round = 0; round < 400; ++round) {
    Arm arm;
    for (int j = 0; j < 2; ++j) {
      const Quat q =
          skel::Normalized(Quat{1 + share(random), any(random), any(random), any(random)});
      const Vec3 scale = round % 2 ? Vec3{size(random), size(random), size(random)} : Vec3{1, 1, 1};
      arm.transforms.push_back(skel::FromTrs({any(random), any(random), any(random)}, q, scale));
    }
    for (size_t i = 0; i < 4; ++i) {
      arm.weights[2 * i] = share(random);
      arm.weights[2 * i + 1] = 1 - arm.weights[2 * i];
    }
    for (const auto method : {SkinningMethod::kClassicLinear, SkinningMethod::kDualQuaternion}) {
      PointTransformsJob job = arm.Job(method);
      job.geom_bind = Turn({0, 1, 0}, any(random), {any(random), 0, 0});
      ASSERT_TRUE(job.Run().ok());
      SkinJob skin;
      skin.method = method;
      skin.transforms = arm.transforms;
      skin.indices = arm.indices;
      skin.weights = arm.weights;
      skin.per_point = 2;
      skin.geom_bind = job.geom_bind;
      skin.points = arm.rest;
      std::vector<Vec3> skinned(4);
      skin.out_points = absl::MakeSpan(skinned);
      ASSERT_TRUE(skin.Run().ok());
      for (size_t i = 0; i < 4; ++i) {
        if (std::count(arm.singular.begin(), arm.singular.end(), i)) continue;
        ExpectNear(skel::TransformPoint(arm.s[i], arm.rest[i]), skinned[i], 5e-6f);
      }
    }
  }
}

// The worst distance, over random poses of a character two metres high, between complex points and
// what comes back of them through their offsets.
float WorstWayBack(SkinningMethod method) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> any(-1, 1), share(0, 1);
  float worst = 0;
  for (int round = 0; round < 300; ++round) {
    const size_t points = 60, joints = 6;
    std::vector<Affine> transforms;
    for (size_t j = 0; j < joints; ++j) {
      transforms.push_back(skel::FromTrs(
          {any(random), any(random), any(random)},
          skel::Normalized(Quat{any(random), any(random), any(random), any(random)}), {1, 1, 1}));
    }
    std::vector<int> indices;
    std::vector<float> weights;
    std::vector<Vec3> rest, complex, offsets(points), back(points);
    for (size_t i = 0; i < points; ++i) {
      float sum = 0;
      for (int k = 0; k < 4; ++k) {
        indices.push_back(static_cast<int>(random() % joints));
        weights.push_back(share(random));
        sum += weights.back();
      }
      for (size_t k = weights.size() - 4; k < weights.size(); ++k) weights[k] /= sum;
      rest.push_back({any(random), any(random), any(random)});
      complex.push_back({any(random), any(random), any(random)});
    }
    std::vector<Affine> s(points);
    PointTransformsJob job;
    job.method = method;
    job.transforms = transforms;
    job.indices = indices;
    job.weights = weights;
    job.out = absl::MakeSpan(s);
    EXPECT_TRUE(job.Run().ok());
    const std::vector<Vec3> simple = Skinned(s, rest);
    EXPECT_TRUE((OffsetsJob{s, simple, complex, absl::MakeSpan(offsets)}.Run().ok()));
    const std::vector<WeighedOffsets> whole = {{offsets, 1}};
    EXPECT_TRUE((ReconstructJob{s, simple, whole, absl::MakeSpan(back)}.Run().ok()));
    for (size_t i = 0; i < points; ++i) {
      worst = std::max(worst, skel::Length(back[i] - complex[i]));
    }
  }
  return worst;
}

TEST(Reconstruct, IsWithinAHundredThousandthOfTheCharactersSize) {
  EXPECT_LT(WorstWayBack(SkinningMethod::kClassicLinear), 2e-5f);
  EXPECT_LT(WorstWayBack(SkinningMethod::kDualQuaternion), 2e-5f);
}

TEST(PointTransforms, ACollapsedBlendIsReportedAndMovesWithTheHeaviestJoint) {
  // Half and half of a joint and its half turn about x flattens everything onto the x axis.
  Arm arm;
  arm.transforms = {Affine{}, Turn({1, 0, 0}, kPi)};
  arm.weights[3] = 0.5f;
  ASSERT_TRUE(arm.Job(SkinningMethod::kClassicLinear).Run().ok());
  EXPECT_THAT(arm.singular, ElementsAre(1));
  ExpectNear(skel::TransformPoint(arm.s[1], arm.rest[1]), arm.rest[1]);
  const std::vector<Vec3> complex = {{0, 0, 0}, {1, 5, 2}, {1, 2, 3}, {2, 0, 0}};
  std::vector<Vec3> o(4), back(4);
  const std::vector<Vec3> simple = Skinned(arm.s, arm.rest);
  ASSERT_TRUE((OffsetsJob{arm.s, simple, complex, absl::MakeSpan(o)}.Run().ok()));
  const std::vector<WeighedOffsets> whole = {{o, 1}};
  ASSERT_TRUE((ReconstructJob{arm.s, simple, whole, absl::MakeSpan(back)}.Run().ok()));
  for (size_t i = 0; i < 4; ++i) ExpectNear(back[i], complex[i], 2e-6f);
  ASSERT_TRUE(arm.Job(SkinningMethod::kDualQuaternion).Run().ok());
  EXPECT_THAT(arm.singular, ElementsAre());  // which is what dual quaternions are for
}

TEST(PointTransforms, WhereTheHeaviestJointIsSingularTooThePointStays) {
  Arm arm;
  arm.transforms = {skel::FromTrs({1, 2, 3}, {}, {1, 0, 1}), Affine{}};
  ASSERT_TRUE(arm.Job(SkinningMethod::kClassicLinear).Run().ok());
  EXPECT_THAT(arm.singular, ElementsAre(0));
  ExpectNear(arm.s[0].row[3], {0, 0, 0});
}

TEST(Offsets, WhatDoesNotFitIsNamed) {
  Arm arm;
  arm.transforms = {Affine{}};
  EXPECT_THAT(std::string(arm.Job(SkinningMethod::kClassicLinear).Run().message()),
              HasSubstr("indices[1] is 1, expected 0 to 1 - 1"));
  arm.weights.pop_back();
  EXPECT_THAT(std::string(arm.Job(SkinningMethod::kClassicLinear).Run().message()),
              HasSubstr("weights has 7 entries, expected 8"));
  const std::vector<Affine> flat = {skel::FromTrs({}, {}, {1, 0, 1})};
  const std::vector<Vec3> one(1), two(2);
  std::vector<Vec3> out(1);
  EXPECT_THAT(std::string(OffsetsJob{flat, one, one, absl::MakeSpan(out)}.Run().message()),
              HasSubstr("transforms[0] cannot be inverted"));
  EXPECT_THAT(std::string(OffsetsJob{flat, one, two, absl::MakeSpan(out)}.Run().message()),
              HasSubstr("complex has 2 entries, expected 1"));
  const std::vector<WeighedOffsets> clips = {{one, 1}, {two, 1}};
  EXPECT_THAT(std::string(ReconstructJob{flat, one, clips, absl::MakeSpan(out)}.Run().message()),
              HasSubstr("clips[1].offsets has 2 entries, expected 1"));
}

}  // namespace
}  // namespace posewire::mesh
