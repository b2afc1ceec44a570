#include "libs/mesh/fit_joints.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace posewire::mesh {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

// A chain of three joints that turn in each frame, with 30 points on them.
struct Chain {
  std::vector<Vec3> rest, frames;
  std::vector<int> indices;
  std::vector<float> weights;
  std::vector<std::vector<Quat>> turns;  // by frame

  std::vector<Affine> Transforms(const std::vector<Vec3>& at) const {
    std::vector<Affine> out;
    for (const std::vector<Quat>& frame : turns) {
      Affine above;
      for (size_t j = 0; j < at.size(); ++j) {
        above = skel::Mul(skel::Mul(skel::FromTrs(at[j] * -1, {}, {1, 1, 1}),
                                    skel::FromTrs(at[j], frame[j], {1, 1, 1})),
                          above);
        out.push_back(above);
      }
    }
    return out;
  }
};

std::vector<JointAtRest> JointsOf(const std::vector<Vec3>& at) {
  std::vector<JointAtRest> out;
  for (size_t j = 0; j < at.size(); ++j) out.push_back({at[j], static_cast<int>(j) - 1});
  return out;
}

Chain MakeChain(const std::vector<Vec3>& at, bool hinges) {
  std::mt19937 random(5);
  std::normal_distribution<float> any(0, 0.4f);
  std::uniform_real_distribution<float> share(0, 1);
  Chain out;
  for (int f = 0; f < 25; ++f) {
    std::vector<Quat>& frame = out.turns.emplace_back();
    for (size_t j = 0; j < at.size(); ++j) {
      const float x = any(random);
      frame.push_back(skel::Exp(hinges ? Vec3{x, 0, 0} : Vec3{x, any(random), any(random)}));
    }
  }
  for (int i = 0; i < 30; ++i) {
    out.rest.push_back({any(random), any(random), any(random)});
    const float one = share(random);
    out.indices.insert(out.indices.end(), {i % 3, (i + 1) % 3});
    out.weights.insert(out.weights.end(), {one, 1 - one});
  }
  const std::vector<Affine> transforms = out.Transforms(at);
  for (size_t f = 0; f < out.turns.size(); ++f) {
    for (size_t i = 0; i < out.rest.size(); ++i) {
      Vec3 p;
      for (size_t k = 2 * i; k < 2 * i + 2; ++k) {
        const Affine& t = transforms[f * at.size() + static_cast<size_t>(out.indices[k])];
        p = p + skel::TransformPoint(t, out.rest[i]) * out.weights[k];
      }
      out.frames.push_back(p);
    }
  }
  return out;
}

TEST(FitJoints, FindsTheJointsAboutWhichThePointsTurn) {
  const std::vector<Vec3> is = {{0, 1, 0}, {0.2f, 1.4f, -0.05f}, {0.5f, 1.3f, 0.1f}};
  const std::vector<Vec3> given = {{0, 1.1f, 0}, {0.3f, 1.3f, 0}, {0.45f, 1.45f, 0}};
  const Chain chain = MakeChain(is, false);
  std::vector<Affine> transforms = chain.Transforms(given);
  const std::vector<JointAtRest> joints = JointsOf(given);
  const auto got = FitJoints({chain.rest, chain.frames, joints, transforms}, chain.indices,
                             chain.weights, 2, 1e-7);
  ASSERT_TRUE(got.ok()) << got.status();
  for (size_t j = 0; j < is.size(); ++j) {
    EXPECT_LT(skel::Length(given[j] + (*got)[j] - is[j]), 1e-3f) << j;
  }
  ASSERT_TRUE(ShiftJoints(joints, *got, absl::MakeSpan(transforms)).ok());
  const auto error =
      MeasureSkin({chain.rest, chain.frames, joints, transforms}, chain.indices, chain.weights, 2);
  ASSERT_TRUE(error.ok()) << error.status();
  EXPECT_LT(error->worst_m, 1e-3);
}

TEST(FitJoints, KeepsThePlaceAlongTheAxisOfAHinge) {
  const std::vector<Vec3> is = {{0, 1, 0}, {0.2f, 1.4f, -0.05f}, {0.5f, 1.3f, 0.1f}};
  const std::vector<Vec3> given = {{0, 1.1f, 0}, {0.3f, 1.3f, 0}, {0.45f, 1.45f, 0}};
  const Chain chain = MakeChain(is, true);
  const std::vector<Affine> transforms = chain.Transforms(given);
  const auto got = FitJoints({chain.rest, chain.frames, JointsOf(given), transforms}, chain.indices,
                             chain.weights, 2, 1e-7);
  ASSERT_TRUE(got.ok()) << got.status();
  for (size_t j = 0; j < is.size(); ++j) {
    EXPECT_NEAR((*got)[j].x, 0, 1e-4f) << j;
    EXPECT_NEAR(given[j].y + (*got)[j].y, is[j].y, 1e-3f) << j;
    EXPECT_NEAR(given[j].z + (*got)[j].z, is[j].z, 1e-3f) << j;
  }
}

TEST(FitJoints, LeavesAJointWithHardlyAnyPointsWhereItIs) {
  const std::vector<Vec3> is = {{0, 1, 0}, {0.2f, 1.4f, -0.05f}, {0.5f, 1.3f, 0.1f}};
  const std::vector<Vec3> given = {{0, 1, 0}, {0.2f, 1.4f, -0.05f}, {0.4f, 1.2f, 0}};
  Chain chain = MakeChain(is, false);
  for (size_t k = 0; k < chain.indices.size(); ++k) {
    if (chain.indices[k] == 2) chain.weights[k] *= 1e-4f;
  }
  const auto got = FitJoints({chain.rest, chain.frames, JointsOf(given), chain.Transforms(given)},
                             chain.indices, chain.weights, 2);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_LT(skel::Length((*got)[2]), 0.1f);
}

TEST(ShiftJoints, IsTheMotionOfTheMovedSkeleton) {
  const std::vector<Vec3> is = {{0, 1, 0}, {0.2f, 1.4f, -0.05f}, {0.5f, 1.3f, 0.1f}};
  const std::vector<Vec3> given = {{0, 1.1f, 0}, {0.3f, 1.3f, 0}, {0.45f, 1.45f, 0}};
  const Chain chain = MakeChain(is, false);
  std::vector<Affine> moved = chain.Transforms(given);
  std::vector<Vec3> shifts;
  for (size_t j = 0; j < is.size(); ++j) shifts.push_back(is[j] - given[j]);
  ASSERT_TRUE(ShiftJoints(JointsOf(given), shifts, absl::MakeSpan(moved)).ok());
  const std::vector<Affine> expected = chain.Transforms(is);
  for (size_t k = 0; k < moved.size(); ++k) {
    for (size_t r = 0; r < 4; ++r) {
      EXPECT_LT(skel::Length(moved[k].row[r] - expected[k].row[r]), 1e-5f) << k;
    }
  }
}

TEST(FitJoints, RejectsLengthsThatDoNotMatch) {
  const std::vector<Vec3> at = {{0, 1, 0}, {0, 2, 0}};
  std::vector<Affine> three(3);
  const std::vector<Vec3> one(1);
  EXPECT_FALSE(ShiftJoints(JointsOf(at), at, absl::MakeSpan(three)).ok());
  EXPECT_FALSE(FitJoints({one, one, JointsOf(at), three}, {0}, {1}, 1).ok());
  std::vector<Affine> two(2);
  EXPECT_FALSE(ShiftJoints({{at[0], 1}, {at[1], -1}}, at, absl::MakeSpan(two)).ok());
}

}  // namespace
}  // namespace posewire::mesh
