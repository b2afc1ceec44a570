// The nodes that mix several inputs: blends, and blend spaces on a line and in a plane.
#include "libs/graph/mix_node.h"

#include "libs/graph/blend_node.h"
#include "libs/graph/blend_space_2d_node.h"
#include "libs/graph/clip_node.h"
#include "tests/unit/graph/runner.h"

namespace posewire::graph {
namespace {

// `n` inputs of fixed poses.
struct FixedInputs {
  FixedInputs(const skel::Rig& rig, int n, Random& rng, float part) {
    for (int i = 0; i < n; ++i) {
      auto node = std::make_unique<FixedNode>(rig);
      node->pose = RandomPose(rig, rng, part);
      inputs.push_back(node.get());
      owned.push_back(std::move(node));
    }
  }
  std::vector<FixedNode*> inputs;
  std::vector<std::unique_ptr<Node>> owned;
};

// sum(w x) / sum(w) in doubles, for each element on its own.
void ExpectBlend(const std::vector<FixedNode*>& inputs, const std::vector<double>& weights,
                 const skel::PoseView& got) {
  for (int j = 0; j < got.joints; ++j) {
    double sum = 0, x = 0, q[4] = {}, turned = 0;
    skel::Quat first;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const skel::PoseView p = inputs[i]->pose.view();
      if (weights[i] > 0 && p.has_t[j]) sum += weights[i], x += weights[i] * p.tx[j];
      if (weights[i] <= 0 || !p.has_r[j]) continue;
      const skel::Quat r = p.rotation(j);
      if (turned == 0) first = r;
      const double w = Dot(first, r) < 0 ? -weights[i] : weights[i];
      turned += weights[i];
      q[0] += w * r.w, q[1] += w * r.x, q[2] += w * r.y, q[3] += w * r.z;
    }
    ASSERT_EQ(got.has_t[j] != 0, sum > 0);
    if (sum > 0) {
      ASSERT_NEAR(got.tx[j], x / sum, 2e-5);
    }
    ASSERT_EQ(got.has_r[j] != 0, turned > 0);
    if (turned == 0) continue;
    const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const skel::Quat want = {static_cast<float>(q[0] / n), static_cast<float>(q[1] / n),
                             static_cast<float>(q[2] / n), static_cast<float>(q[3] / n)};
    ASSERT_LT(AngleBetween(got.rotation(j), want), 1e-3f);
  }
  for (int s = 0; s < got.shapes; ++s) {
    double sum = 0, x = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const skel::PoseView p = inputs[i]->pose.view();
      if (weights[i] > 0 && p.has_w[s]) sum += weights[i], x += weights[i] * p.weights[s];
    }
    ASSERT_EQ(got.has_w[s] != 0, sum > 0);
    if (sum > 0) {
      ASSERT_NEAR(got.weights[s], x / sum, 2e-5);
    }
  }
}

TEST(BlendNode, IsTheWeightedMeanOfWhatInputsHave) {
  Random rng(1);
  for (int round = 0; round < 60; ++round) {
    Runner run;
    const int n = 1 + static_cast<int>(rng.Next() % 5);
    FixedInputs fixed(*run.rig, n, rng, 0.6f);
    std::vector<Number> numbers;
    std::vector<double> weights;
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      weights.push_back(rng.Uniform() < 0.3f ? 0 : rng.Uniform());
      numbers.emplace_back(weights.back());
      sum += weights.back();
    }
    if (sum == 0) weights[0] = 1;
    BlendNode node(*run.rig, std::move(fixed.owned), numbers, false);
    run.Tick(node);
    ExpectBlend(fixed.inputs, weights, run.raw.view());
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_EQ(fixed.inputs[i]->evaluated, weights[i] > 0 ? 1 : 0) << "only what is seen";
    }
  }
}

TEST(BlendNode, ClampsWeightsAndHoldsTheLastWhenAllAreZero) {
  Runner run({NumberVariable("a", 5), NumberVariable("b", 0.5)});
  FixedInputs fixed(*run.rig, 2, run.rng, 1);
  BlendNode node(*run.rig, std::move(fixed.owned), {Number::Follow(0), Number::Follow(1)}, false);
  run.Tick(node);
  EXPECT_NEAR(node.shares()[0], 2.0 / 3, 1e-6) << "5 counts as 1";
  run.Set("a", -3);
  run.Set("b", 0);
  run.Tick(node);
  EXPECT_NEAR(node.shares()[0], 2.0 / 3, 1e-6);
  EXPECT_NEAR(node.shares()[1], 1.0 / 3, 1e-6);
  EXPECT_FLOAT_EQ(fixed.inputs[0]->seen_weight, 2.0f / 3);
}

TEST(BlendNode, EasesSwitchedWeightsAndElementsThatGo) {
  Random rng(9);
  for (int round = 0; round < 40; ++round) {
    Runner run({NumberVariable("a", 1), NumberVariable("b", 0)});
    FixedInputs fixed(*run.rig, 2, rng, 1);
    BlendNode node(*run.rig, std::move(fixed.owned), {Number::Follow(0), Number::Follow(1)}, false);
    run.Tick(node, 3);
    for (int k = 0; k < 60; ++k) {
      if (k % 9 == 0) run.Set("a", rng.Next() % 2), run.Set("b", rng.Next() % 2);
      if (k % 11 == 5) fixed.inputs[0]->pose = RandomPose(*run.rig, rng, 1), run.Tick(node);
      run.Tick(node);
      if (k % 11 != 5) {
        ASSERT_LE(run.step().degrees, 38.1f);
        ASSERT_LE(run.step().weight, 0.57f);
      }
    }
  }
}

TEST(BlendSpace1D, MixesTheTwoNeighbours) {
  Random rng(2);
  for (int round = 0; round < 100; ++round) {
    Runner run({NumberVariable("x")});
    const int n = 1 + static_cast<int>(rng.Next() % 5);
    FixedInputs fixed(*run.rig, n, rng, 1);
    std::vector<double> places;
    for (int i = 0; i < n; ++i) places.push_back(rng.Uniform(-10, 10));
    BlendSpace1DNode node(*run.rig, std::move(fixed.owned), places, Number::Follow(0), false);
    const double x = rng.Uniform(-12, 12);
    run.Set("x", x);
    run.Tick(node);
    // Slow: the highest place at or below x, and the lowest above it.
    int low = -1, high = -1;
    for (int i = 0; i < n; ++i) {
      const double p = places[static_cast<size_t>(i)];
      if (p <= x && (low < 0 || p > places[static_cast<size_t>(low)])) low = i;
      if (p > x && (high < 0 || p < places[static_cast<size_t>(high)])) high = i;
    }
    std::vector<double> weights(places.size());
    if (low < 0 || high < 0) {
      weights[static_cast<size_t>(low < 0 ? high : low)] = 1;
    } else {
      const double a = places[static_cast<size_t>(low)], b = places[static_cast<size_t>(high)];
      weights[static_cast<size_t>(low)] = (b - x) / (b - a);
      weights[static_cast<size_t>(high)] = (x - a) / (b - a);
    }
    for (size_t i = 0; i < weights.size(); ++i) {
      ASSERT_NEAR(node.shares()[i], weights[i], 1e-5) << round;
    }
    ExpectBlend(fixed.inputs, weights, run.raw.view());
  }
}

TEST(BlendSpace2D, MixesTheCornersOfTheTriangle) {
  Runner run({NumberVariable("x"), NumberVariable("y")});
  FixedInputs fixed(*run.rig, 4, run.rng, 1);
  BlendSpace2DNode node(*run.rig, std::move(fixed.owned), {{0, 0}, {1, 0}, {0, 1}, {-1, -1}},
                        Number::Follow(0), Number::Follow(1), false);
  run.Set("x", 0.25);
  run.Set("y", 0.5);
  run.Tick(node);
  ExpectBlend(fixed.inputs, {0.25, 0.25, 0.5, 0}, run.raw.view());
  EXPECT_EQ(fixed.inputs[3]->evaluated, 0);
  // Outside: the nearest place on the edge from (1, 0) to (0, 1).
  run.Set("x", 2);
  run.Set("y", 2);
  run.Tick(node, 60);
  ExpectBlend(fixed.inputs, {0, 0.5, 0.5, 0}, run.raw.view());
}

// A cycle of 1 s and one of 2 s, mixed half and half, both take 1.5 s.
TEST(BlendNode, EasesWhereTheShortWayChangesSides) {
  Runner run;
  const int elbow = run.rig->FindJoint("l_elbow");
  std::vector<std::unique_ptr<Node>> inputs;
  FixedNode* fixed[2];
  for (auto& f : fixed) {
    auto node = std::make_unique<FixedNode>(*run.rig);
    f = node.get();
    inputs.push_back(std::move(node));
  }
  BlendNode node(*run.rig, std::move(inputs), {Number(0.5), Number(0.5)}, false);
  fixed[0]->pose.span().SetRotation(elbow, {});
  float most = 0;
  for (int k = 0; k < 60; ++k) {
    // Past half a turn the mean is on the other side.
    const float angle = 2.6f + 0.02f * static_cast<float>(k);
    fixed[1]->pose.span().SetRotation(elbow, skel::FromAxisAngle({1, 0, 0}, angle));
    run.Tick(node);
    if (k > 0) most = std::max(most, run.step().degrees);
  }
  EXPECT_GT(most, 10) << "goes round";
  EXPECT_LE(most, 38.1f);
  const auto want = skel::FromAxisAngle({1, 0, 0}, (2.6f + 0.02f * 59 - 6.2831853f) / 2);
  EXPECT_LT(AngleBetween(run.pose.view().rotation(elbow), want), 0.01f);
}

TEST(BlendNode, EasesElementsWhoseFewHoldersChange) {
  Runner run({NumberVariable("a", 0.1), NumberVariable("b", 0)});
  const int elbow = run.rig->FindJoint("l_elbow"), knee = run.rig->FindJoint("l_knee");
  std::vector<std::unique_ptr<Node>> inputs;
  for (int i = 0; i < 3; ++i) {
    auto node = std::make_unique<FixedNode>(*run.rig);
    node->pose.span().SetRotation(knee, skel::FromAxisAngle({1, 0, 0}, 0.1f));
    if (i > 0) {
      node->pose.span().SetRotation(elbow, skel::FromAxisAngle({1, 0, 0}, i == 1 ? 0.8f : -0.8f));
    }
    inputs.push_back(std::move(node));
  }
  BlendNode node(*run.rig, std::move(inputs), {Number(0.9), Number::Follow(0), Number::Follow(1)},
                 false);
  run.Tick(node, 3);
  EXPECT_NEAR(AngleBetween(run.pose.view().rotation(elbow), {}), 0.8f, 1e-4f);
  run.Set("a", 0);
  run.Set("b", 0.1);
  for (int k = 0; k < 20; ++k) {
    run.Tick(node);
    EXPECT_LT(run.step().degrees, 25) << k;
    EXPECT_NEAR(AngleBetween(run.pose.view().rotation(knee), {}), 0.1f, 1e-4f);
  }
  EXPECT_LT(AngleBetween(run.pose.view().rotation(elbow), skel::FromAxisAngle({1, 0, 0}, -0.8f)),
            1e-3f);
}

TEST(Sync, CyclesTakeTheMeanOfTheirLengthsInStep) {
  Runner run({NumberVariable("x", 0.5)});
  auto a = std::make_unique<CycleNode>(*run.rig, 1.0),
       b = std::make_unique<CycleNode>(*run.rig, 2.0);
  CycleNode *short_one = a.get(), *long_one = b.get();
  std::vector<std::unique_ptr<Node>> inputs;
  inputs.push_back(std::move(a));
  inputs.push_back(std::move(b));
  BlendSpace1DNode node(*run.rig, std::move(inputs), {0, 1}, Number::Follow(0), true);
  run.Tick(node);
  for (int k = 1; k < 100; ++k) {
    run.Tick(node);
    EXPECT_NEAR(short_one->phase(), std::fmod(k / 45.0, 1), 1e-6);
    EXPECT_NEAR(long_one->phase(), short_one->phase(), 1e-9);
    EXPECT_NEAR(node.phase(), short_one->phase(), 1e-9);
  }
  EXPECT_NEAR(node.cycle_s(), 1.5, 1e-9);
  run.Set("x", 1);
  run.Tick(node);
  const double before = long_one->phase();
  run.Tick(node, 30);
  EXPECT_NEAR(std::fmod(long_one->phase() - before + 1, 1), 0.5, 1e-6) << "2 s a cycle now";
  EXPECT_NEAR(short_one->phase(), long_one->phase(), 1e-9) << "the unseen one keeps step";
}

TEST(Sync, MarksOfClipsMeet) {
  Runner run;
  const auto walk = SwingingClip("walk", 30, true, 1), run_clip = SwingingClip("run", 20, true, 2);
  auto a = std::make_unique<ClipNode>(), b = std::make_unique<ClipNode>();
  a->Play(walk.get());
  a->set_sync_marks({0.1, 0.7});
  b->Play(run_clip.get());
  b->set_sync_marks({0.05, 0.3});
  ClipNode *slow = a.get(), *fast = b.get();
  std::vector<std::unique_ptr<Node>> inputs;
  inputs.push_back(std::move(a));
  inputs.push_back(std::move(b));
  BlendNode node(*run.rig, std::move(inputs), {Number(0.7), Number(0.3)}, true);
  // Slow: where the place between two marks of the one lies between those of the other.
  for (int k = 0; k < 200; ++k) {
    run.Tick(node);
    const double t = slow->time_s();
    double want;
    if (t >= 0.1 && t < 0.7) {
      want = 0.05 + (t - 0.1) / 0.6 * 0.25;
    } else {
      want = 0.3 + (t >= 0.7 ? t - 0.7 : t + 0.3) / 0.4 * (20.0 / 30 - 0.25);
      want = std::fmod(want, 20.0 / 30);
    }
    ASSERT_NEAR(fast->time_s(), want, 1e-6) << k;
  }
}

}  // namespace
}  // namespace posewire::graph
