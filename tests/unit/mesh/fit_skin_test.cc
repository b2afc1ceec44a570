#include "libs/mesh/fit_skin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "libs/mesh/simplex_fit.h"

namespace posewire::mesh {
namespace {

using skel::Affine;
using skel::Vec3;
using ::testing::HasSubstr;

// The shortest over all choices of which weights are not 0, each solved directly.
double ShortestBySearch(const Eigen::MatrixXd& g) {
  const auto n = static_cast<int>(g.rows());
  double best = 1e300;
  for (int set = 1; set < 1 << n; ++set) {
    std::vector<Eigen::Index> of;
    for (int k = 0; k < n; ++k) {
      if (set >> k & 1) of.push_back(k);
    }
    const auto m = static_cast<Eigen::Index>(of.size());
    Eigen::MatrixXd kkt = Eigen::MatrixXd::Zero(m + 1, m + 1);
    for (Eigen::Index r = 0; r < m; ++r) {
      for (Eigen::Index c = 0; c < m; ++c) {
        kkt(r, c) = g(of[static_cast<size_t>(r)], of[static_cast<size_t>(c)]);
      }
      kkt(r, m) = kkt(m, r) = 1;
    }
    Eigen::VectorXd right = Eigen::VectorXd::Zero(m + 1);
    right(m) = 1;
    const Eigen::VectorXd w = kkt.fullPivLu().solve(right).head(m);
    if (w.minCoeff() < -1e-9 || std::fabs(w.sum() - 1) > 1e-6) continue;
    best = std::min(best, w.dot(kkt.topLeftCorner(m, m) * w));
  }
  return best;
}

TEST(ShortestMixture, IsAsShortAsTheBestOfAllChoices) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 300; ++round) {
    const int n = 1 + round % 7;
    Eigen::MatrixXd vectors(9, n);
    for (Eigen::Index k = 0; k < vectors.size(); ++k) {
      vectors.data()[k] = normal(random) + (round % 2 == 0 ? 1 : 0);
    }
    if (n > 2 && round % 5 == 0) vectors.col(1) = vectors.col(0);
    const Eigen::MatrixXd g = vectors.transpose() * vectors;
    const std::vector<double> w = ShortestMixture(g);
    double sum = 0, length = 0;
    for (int r = 0; r < n; ++r) {
      ASSERT_GE(w[static_cast<size_t>(r)], 0);
      sum += w[static_cast<size_t>(r)];
      for (int c = 0; c < n; ++c) {
        length += w[static_cast<size_t>(r)] * w[static_cast<size_t>(c)] * g(r, c);
      }
    }
    ASSERT_NEAR(sum, 1, 1e-12);
    ASSERT_LE(length, ShortestBySearch(g) + 1e-6 * g.trace()) << "round " << round;
  }
}

// A limb along X with four joints, smooth weights, bending about Z and twisting about X.
struct Limb {
  static constexpr size_t kRings = 41, kSides = 8, kJoints = 4, kFrames = 24;
  std::vector<Vec3> rest, frames;
  std::vector<JointAtRest> joints;
  std::vector<Affine> transforms;
  std::vector<int> indices;
  std::vector<float> weights;

  explicit Limb(float bulge_m = 0) {
    for (size_t j = 0; j < kJoints; ++j) {
      joints.push_back({{0.25f * static_cast<float>(j), 0, 0}, static_cast<int>(j) - 1});
    }
    for (size_t r = 0; r < kRings; ++r) {
      const float x = static_cast<float>(r) / (kRings - 1);
      const float along = x * 4 - 0.5f;  // joints are at their bones' middles
      const auto low = static_cast<int>(std::clamp(std::floor(along), 0.0f, 2.0f));
      float share = std::clamp(along - static_cast<float>(low), 0.0f, 1.0f);
      share = share * share * (3 - 2 * share);
      for (size_t s = 0; s < kSides; ++s) {
        const float a = 6.2831853f * static_cast<float>(s) / kSides;
        rest.push_back({x, 0.06f * std::cos(a), 0.06f * std::sin(a)});
        indices.insert(indices.end(), {low, low + 1});
        weights.insert(weights.end(), {1 - share, share});
      }
    }
    for (size_t f = 0; f < kFrames; ++f) {
      const float t = 6.2831853f * static_cast<float>(f) / kFrames;
      Affine above;
      std::vector<Affine> now;
      for (size_t j = 0; j < kJoints; ++j) {
        const auto k = static_cast<float>(j);
        const skel::Quat turn =
            skel::Mul(skel::FromAxisAngle({0, 0, 1}, 0.7f * std::sin(t + k)),
                      skel::FromAxisAngle({1, 0, 0}, 0.5f * std::cos(2 * t + k)));
        const Vec3 at = joints[j].at;
        const Affine own = skel::Mul(skel::FromTrs(at * -1, {1, 0, 0, 0}, {1, 1, 1}),
                                     skel::FromTrs(at, turn, {1, 1, 1}));
        above = skel::Mul(own, above);
        now.push_back(above);
      }
      transforms.insert(transforms.end(), now.begin(), now.end());
      for (size_t i = 0; i < rest.size(); ++i) {
        const Vec3 out = Vec3{0, rest[i].y, rest[i].z} *
                         (bulge_m / 0.06f * std::sin(t) * std::sin(3.1415927f * rest[i].x));
        Vec3 p;
        for (size_t k = 0; k < 2; ++k) {
          p = p +
              skel::TransformPoint(now[static_cast<size_t>(indices[2 * i + k])], rest[i] + out) *
                  weights[2 * i + k];
        }
        frames.push_back(p);
      }
    }
  }
  FitSkinInput Input(bool with_transforms = true) const {
    return {rest, frames, joints,
            with_transforms ? absl::MakeConstSpan(transforms) : absl::Span<const Affine>()};
  }
};

void CheckWeights(const FittedSkin& fit, size_t points) {
  ASSERT_EQ(fit.weights.size(), points * static_cast<size_t>(fit.per_point));
  for (size_t i = 0; i < points; ++i) {
    float sum = 0;
    for (size_t k = 0; k < static_cast<size_t>(fit.per_point); ++k) {
      const float w = fit.weights[i * static_cast<size_t>(fit.per_point) + k];
      ASSERT_GE(w, 0);
      sum += w;
    }
    ASSERT_NEAR(sum, 1, 1e-5);
  }
}

TEST(FitSkin, FindsTheWeightsOfJointsThatAreKnown) {
  const Limb limb;
  const auto fit = FitSkin(limb.Input(), {.move_joints = false});
  ASSERT_TRUE(fit.ok()) << fit.status();
  CheckWeights(*fit, limb.rest.size());
  EXPECT_LT(fit->rounds.back().worst_m, 1e-4);
  // The weights themselves, where two joints do not move alike.
  for (size_t i = 0; i < limb.rest.size(); ++i) {
    float of_first = 0;
    for (size_t k = 0; k < 4; ++k) {
      if (fit->indices[4 * i + k] == limb.indices[2 * i]) of_first += fit->weights[4 * i + k];
    }
    EXPECT_NEAR(of_first, limb.weights[2 * i], 0.02) << i;
  }
}

TEST(FitSkin, FindsJointsAndWeightsFromThePointsAlone) {
  const Limb limb;
  const auto fit = FitSkin(limb.Input(false), {.rounds = 30});
  ASSERT_TRUE(fit.ok()) << fit.status();
  CheckWeights(*fit, limb.rest.size());
  EXPECT_LT(fit->rounds.back().rms_m, 2e-3);  // of a limb of a metre
  EXPECT_LT(fit->rounds.back().rms_m, 0.3 * fit->rounds.front().rms_m);
  for (size_t r = 1; r < fit->rounds.size(); ++r) {
    EXPECT_LE(fit->rounds[r].rms_m, fit->rounds[r - 1].rms_m * 1.001 + 1e-7) << r;
  }
}

TEST(FitSkin, ComesNearerToABulgeThanWeightsByHand) {
  const Limb limb(0.02f);
  const auto hand = MeasureSkin(limb.Input(), limb.indices, limb.weights, 2);
  const auto weights = FitSkin(limb.Input(), {.move_joints = false});
  const auto both = FitSkin(limb.Input(), {});
  ASSERT_TRUE(hand.ok() && weights.ok() && both.ok());
  EXPECT_LE(weights->rounds.back().rms_m, hand->rms_m);
  EXPECT_LT(both->rounds.back().rms_m, 0.95 * hand->rms_m);
}

// As a hand's are, for a point of the arm.
TEST(FitSkin, IsNotLedAstrayByManyJointsThatMoveAlike) {
  Limb limb(0.02f);
  const auto hand = MeasureSkin(limb.Input(), limb.indices, limb.weights, 2);
  std::vector<Affine> more;
  for (size_t f = 0; f < Limb::kFrames; ++f) {
    const auto now = absl::MakeConstSpan(limb.transforms).subspan(f * Limb::kJoints, Limb::kJoints);
    more.insert(more.end(), now.begin(), now.end());
    for (size_t joint = 0; joint < Limb::kJoints; ++joint) {
      more.insert(more.end(), 15, now[joint]);
    }
  }
  limb.transforms = more;
  for (size_t joint = 0; joint < Limb::kJoints; ++joint) {
    limb.joints.insert(limb.joints.end(), 15, {limb.joints[joint].at, static_cast<int>(joint)});
  }
  const auto fit = FitSkin(limb.Input(), {.move_joints = false});
  ASSERT_TRUE(hand.ok() && fit.ok());
  EXPECT_LE(fit->rounds.back().rms_m, hand->rms_m);
}

TEST(FitSkin, HasNoMoreInfluencesThanAskedForAndIsTheSameOnEachRun) {
  const Limb limb(0.02f);
  const auto one = FitSkin(limb.Input(), {.influences = 1, .rounds = 2});
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->weights, std::vector<float>(limb.rest.size(), 1.0f));
  const auto a = FitSkin(limb.Input(false), {.rounds = 2}),
             b = FitSkin(limb.Input(false), {.rounds = 2});
  EXPECT_EQ(a->indices, b->indices);
  EXPECT_EQ(a->weights, b->weights);
}

TEST(FitSkin, NamesWhatCannotBe) {
  const Limb limb;
  FitSkinInput input = limb.Input();
  input.frames = input.frames.subspan(1);
  EXPECT_THAT(std::string(FitSkin(input, {}).status().message()),
              HasSubstr("rest's points in each"));
  input = limb.Input();
  input.transforms = input.transforms.subspan(1);
  EXPECT_THAT(std::string(FitSkin(input, {}).status().message()), HasSubstr("transforms has 95"));
  EXPECT_FALSE(FitSkin(limb.Input(false), {.move_joints = false}).ok());
  EXPECT_FALSE(FitSkin(limb.Input(), {.influences = 9}).ok());
  EXPECT_EQ(FitSkin(limb.Input(), {}, [](int) { return false; }).status().code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace posewire::mesh
