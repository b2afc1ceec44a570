#include "libs/mesh/skin_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "libs/mesh/dual_quat.h"

namespace posewire::mesh {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;
using testing::HasSubstr;

constexpr float kS = 0.70710678f;
constexpr auto kLinear = SkinningMethod::kClassicLinear;
constexpr auto kDual = SkinningMethod::kDualQuaternion;

// Joint A stands at the origin; B, bound one unit above, is turned and scaled there.
std::vector<Affine> TwoJoints(Quat turn, float scale = 1) {
  const Affine bind = skel::FromTrs({0, 1, 0}, {}, {1, 1, 1});
  const Affine pose = skel::FromTrs({0, 1, 0}, turn, {scale, scale, scale});
  return {Affine{}, SkinningTransform(bind, pose)};
}

Vec3 Skinned(const std::vector<Affine>& joints, float a, float b, SkinningMethod method,
             Affine geom_bind = {}) {
  const std::vector<Vec3> points = {{0, 2, 0}};
  std::vector<Vec3> out(1);
  const int indices[] = {0, 1};
  const float weights[] = {a, b};
  SkinJob job;
  job.method = method;
  job.transforms = joints;
  job.indices = indices;
  job.weights = weights;
  job.per_point = 2;
  job.geom_bind = geom_bind;
  job.points = points;
  job.out_points = absl::MakeSpan(out);
  EXPECT_TRUE(job.Run().ok());
  return out[0];
}

void ExpectComponentsNear(Vec3 got, Vec3 expected) {
  EXPECT_NEAR(got.x, expected.x, 2e-6);
  EXPECT_NEAR(got.y, expected.y, 2e-6);
  EXPECT_NEAR(got.z, expected.z, 2e-6);
}

TEST(SkinJob, QuarterTurnOfTheUpperJoint) {
  const std::vector<Affine> joints = TwoJoints({kS, 0, 0, kS});
  ExpectComponentsNear(Skinned(joints, 0, 1, kLinear), {-1, 1, 0});
  ExpectComponentsNear(Skinned(joints, 0, 1, kDual), {-1, 1, 0});
  ExpectComponentsNear(Skinned(joints, 0.5f, 0.5f, kLinear), {-0.5f, 1.5f, 0});
  ExpectComponentsNear(Skinned(joints, 0.5f, 0.5f, kDual), {-0.7071068f, 1.7071068f, 0});
  ExpectComponentsNear(Skinned(joints, 0.25f, 0.75f, kLinear), {-0.75f, 1.25f, 0});
  ExpectComponentsNear(Skinned(joints, 0.25f, 0.75f, kDual), {-0.9297883f, 1.3680947f, 0});
  ExpectComponentsNear(Skinned(joints, 0, 1, kLinear, skel::FromTrs({0, 0, 1}, {}, {1, 1, 1})),
                       {-1, 1, 1});
}

TEST(SkinJob, HalfATurnCollapsesLinearlyAndNotWithDualQuaternions) {
  const std::vector<Affine> joints = TwoJoints({0, 0, 0, 1});
  ExpectComponentsNear(Skinned(joints, 0.5f, 0.5f, kLinear), {0, 1, 0});
  ExpectComponentsNear(Skinned(joints, 0.5f, 0.5f, kDual), {-1, 1, 0});
}

TEST(SkinJob, WeightsAreTakenAsTheyAre) {
  const std::vector<Affine> joints = TwoJoints({kS, 0, 0, kS});
  ExpectComponentsNear(Skinned(joints, 1, 1, kLinear), {-1, 3, 0});
  ExpectComponentsNear(Skinned(joints, 1, 1, kDual), {-0.7071068f, 1.7071068f, 0});
}

TEST(SkinJob, ScaleIsBlendedBeforeTheMotion) {
  const std::vector<Affine> joints = TwoJoints({kS, 0, 0, kS}, 2);
  ExpectComponentsNear(Skinned(joints, 0.5f, 0.5f, kLinear), {-1, 1.5f, 0});
  ExpectComponentsNear(Skinned(joints, 0.5f, 0.5f, kDual), {-0.9142136f, 2.2071068f, 0});
}

TEST(SkinJob, NormalsFollowTheInverseTranspose) {
  const std::vector<Affine> joints = {skel::FromTrs({0, 0, 0}, {}, {2, 1, 1})};
  const std::vector<Vec3> points(1), normals = {{kS, kS, 0}};
  std::vector<Vec3> out(1), out_normals(1);
  const int indices[] = {0};
  const float weights[] = {1};
  SkinJob job;
  job.transforms = joints;
  job.indices = indices;
  job.weights = weights;
  job.per_point = 1;
  job.points = points;
  job.normals = normals;
  job.out_points = absl::MakeSpan(out);
  job.out_normals = absl::MakeSpan(out_normals);
  ASSERT_TRUE(job.Run().ok());
  ExpectComponentsNear(out_normals[0], {0.4472136f, 0.8944272f, 0});
}

TEST(SkinJob, IndicesThatAreNoJointFailEvenWithoutWeight) {
  const std::vector<Affine> joints(2);
  const std::vector<Vec3> points(1);
  std::vector<Vec3> out = {{7, 7, 7}};
  const float weights[] = {1, 0};
  for (int bad : {-1, 2}) {
    const int indices[] = {0, bad};
    SkinJob job;
    job.transforms = joints;
    job.indices = indices;
    job.weights = weights;
    job.per_point = 2;
    job.points = points;
    job.out_points = absl::MakeSpan(out);
    EXPECT_THAT(std::string(job.Run().message()), HasSubstr("indices[1] is"));
    EXPECT_EQ(out[0].x, 7);
  }
}

TEST(SkinJob, LengthsThatDoNotAgreeAreNamed) {
  SkinJob job;
  const std::vector<Vec3> points(2);
  job.points = points;
  EXPECT_THAT(std::string(job.Run().message()), HasSubstr("indices has 0 entries, expected 8"));
  job.per_point = 0;
  EXPECT_THAT(std::string(job.Run().message()), HasSubstr("per_point is 0"));
}

TEST(SkinJob, OnlyTheTwoMethodsHaveNames) {
  EXPECT_EQ(*ParseSkinningMethod("classicLinear"), kLinear);
  EXPECT_EQ(*ParseSkinningMethod("dualQuaternion"), kDual);
  EXPECT_FALSE(ParseSkinningMethod("linear").ok());
}

TEST(SkinRigid, OneJointCarriesAndSeveralSkinTheAxes) {
  const std::vector<Affine> joints = TwoJoints({kS, 0, 0, kS});
  const int one[] = {1}, both[] = {0, 1};
  const float whole[] = {1}, halves[] = {0.5f, 0.5f};
  const Affine carried = *SkinRigid(joints, one, whole, skel::FromTrs({0, 2, 0}, {}, {1, 1, 1}));
  ExpectComponentsNear(carried.row[3], {-1, 1, 0});
  const Affine mixed = *SkinRigid(joints, both, halves, {});
  ExpectComponentsNear(mixed.row[0], {0.5f, 0.5f, 0});
  ExpectComponentsNear(mixed.row[1], {-0.5f, 0.5f, 0});
  ExpectComponentsNear(mixed.row[2], {0, 0, 1});
  ExpectComponentsNear(mixed.row[3], {0.5f, 0.5f, 0});
  const int bad[] = {5};
  EXPECT_FALSE(SkinRigid(joints, bad, whole, {}).ok());
}

TEST(Factor, ASingularTransformCountsAsNothing) {
  const Factors f = Factor(skel::FromTrs({1, 2, 3}, {}, {1, 0, 1}));
  EXPECT_TRUE(f.singular);
  EXPECT_EQ(skel::Dot(f.motion.real, f.motion.real), 0);
}

Affine RandomTransform(std::mt19937& random, bool scaled) {
  std::uniform_real_distribution<float> any(-1, 1), size(0.5f, 2);
  const Quat q = skel::Normalized(Quat{any(random), any(random), any(random), any(random)});
  const Vec3 s = scaled ? Vec3{size(random), size(random), size(random)} : Vec3{1, 1, 1};
  return skel::FromTrs({any(random), any(random), any(random)}, q, s);
}

TEST(Factor, PutTogetherAgainIsTheTransform) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> any(-1, 1);
  for (int round = 0; round < 300; ++round) {
    Affine m = skel::Mul(RandomTransform(random, true), RandomTransform(random, true));
    if (round % 3 == 0) m.row[1] = m.row[1] * -1;
    const Factors f = Factor(m);
    ASSERT_FALSE(f.singular);
    const Vec3 p{any(random), any(random), any(random)};
    const Vec3 q = skel::TransformPoint(f.stretch, p);
    const Quat t = skel::Mul(f.motion.dual, skel::Conjugate(f.motion.real));
    const Vec3 got = skel::Rotate(f.motion.real, q) + Vec3{t.x, t.y, t.z} * 2;
    EXPECT_LT(skel::Length(got - skel::TransformPoint(m, p)), 2e-4f);
  }
}

TEST(SkinJob, OneJointOfWeightOneMovesPointsAsItsTransformDoes) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> any(-1, 1);
  for (const SkinningMethod method : {kLinear, kDual}) {
    for (int round = 0; round < 200; ++round) {
      const std::vector<Affine> joints = {RandomTransform(random, round % 2 == 0),
                                          RandomTransform(random, false)};
      const std::vector<Vec3> points = {{any(random), any(random), any(random)}};
      std::vector<Vec3> out(1);
      const int indices[] = {0, 1};
      const float weights[] = {1, 0};
      SkinJob job;
      job.method = method;
      job.transforms = joints;
      job.indices = indices;
      job.weights = weights;
      job.per_point = 2;
      job.points = points;
      job.out_points = absl::MakeSpan(out);
      ASSERT_TRUE(job.Run().ok());
      EXPECT_LT(skel::Length(out[0] - skel::TransformPoint(joints[0], points[0])), 1e-4f);
    }
  }
}

}  // namespace
}  // namespace posewire::mesh
