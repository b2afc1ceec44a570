#include "libs/graph/delay_node.h"

#include <deque>

#include "tests/unit/graph/runner.h"

namespace posewire::graph {
namespace {

class DelayTest : public testing::Test {
 protected:
  std::unique_ptr<DelayNode> Make(Number delay_s, double most_s) {
    auto fixed = std::make_unique<FixedNode>(*run_.rig);
    below_ = fixed.get();
    return std::make_unique<DelayNode>(*run_.rig, std::move(fixed), delay_s, most_s);
  }
  Runner run_{{NumberVariable("delay")}};
  FixedNode* below_ = nullptr;
};

TEST_F(DelayTest, WithoutDelayPassesThePose) {
  Random rng(1);
  const auto node = Make(Number(0), 0);
  for (int k = 0; k < 20; ++k) {
    below_->pose = RandomPose(*run_.rig, rng);
    run_.Tick(*node);
    EXPECT_TRUE(SameBytes(run_.raw.view(), below_->pose.view()));
  }
}

// Against a list of all poses ever, read at the exact times of its ticks.
TEST_F(DelayTest, ShowsThePoseOfThatManyTicksAgo) {
  Random rng(2);
  for (const int ticks : {1, 7, 40, 120}) {
    const auto node = Make(Number(ticks / 30.0), ticks / 30.0);
    std::vector<skel::Pose> all;
    for (int k = 0; k < 300; ++k) {
      below_->pose = RandomPose(*run_.rig, rng);
      all.push_back(below_->pose);
      run_.Tick(*node);
      const skel::Pose& want = all[static_cast<size_t>(std::max(0, k - ticks))];
      const Step step = LargestStep(run_.raw.view(), want.view());
      ASSERT_LT(step.degrees, 0.05) << k;
      ASSERT_LT(step.weight, 1e-5) << k;
    }
  }
}

TEST_F(DelayTest, ReadsBetweenPoses) {
  const auto node = Make(Number(0.05), 0.05);
  const int jaw = run_.rig->FindShape("jawOpen");
  const int head = run_.rig->FindJoint("skullbase");
  for (int k = 0; k < 30; ++k) {
    below_->pose.span().SetWeight(jaw, static_cast<float>(k) / 30);
    below_->pose.span().SetRotation(head,
                                    skel::FromAxisAngle({0, 1, 0}, static_cast<float>(k) / 30));
    run_.Tick(*node);
    const double want = std::max(0.0, k - 1.5) / 30;
    EXPECT_NEAR(run_.raw.view().weights[jaw], want, 1e-5) << k;
    EXPECT_NEAR(AngleBetween(run_.raw.view().rotation(head), {}), want, 1e-4) << k;
    EXPECT_FALSE(run_.raw.view().has_w[jaw + 1]);
  }
}

TEST_F(DelayTest, KeepsThirtyASecondOfFasterTicks) {
  const auto node = Make(Number(1.0), 1.0);
  const int jaw = run_.rig->FindShape("jawOpen");
  for (int k = 0; k < 400; ++k) {
    below_->pose.span().SetWeight(jaw, static_cast<float>(k) / 400);
    run_.Tick(*node, 1, 1.0 / 120);
    EXPECT_NEAR(run_.raw.view().weights[jaw], std::max(0, k - 120) / 400.0, 1e-4) << k;
  }
}

TEST_F(DelayTest, EasesASwitchedDelay) {
  const auto node = Make(Number::Follow(0), 4);
  const int head = run_.rig->FindJoint("skullbase");
  Random rng(3);
  for (int k = 0; k < 1500; ++k) {
    const auto angle = static_cast<float>(1.2 * std::sin(k / 12.0));
    below_->pose.span().SetRotation(head, skel::FromAxisAngle({1, 0, 0}, angle));
    if (rng.Uniform() < 0.03f) run_.Set("delay", rng.Uniform(0, 5));
    run_.Tick(*node);
    if (k == 0) continue;
    ASSERT_LT(run_.step().degrees, 30) << k;
  }
}

TEST_F(DelayTest, ForgetsWhatWasBeforeItWasNotSeen) {
  const auto node = Make(Number(1.0), 1.0);
  const int jaw = run_.rig->FindShape("jawOpen");
  below_->pose.span().SetWeight(jaw, 0.2f);
  run_.Tick(*node, 40);
  run_.UpdateOnly(*node);
  below_->pose.span().SetWeight(jaw, 0.7f);
  run_.Tick(*node);
  EXPECT_EQ(run_.raw.view().weights[jaw], 0.7f);
}

TEST_F(DelayTest, AdoptKeepsTheLine) {
  const auto old = Make(Number(0.5), 2.0);
  const int jaw = run_.rig->FindShape("jawOpen");
  for (int k = 0; k < 60; ++k) {
    below_->pose.span().SetWeight(jaw, static_cast<float>(k) / 100);
    run_.Tick(*old);
  }
  const auto node = Make(Number(0.5), 1.0);
  node->Adopt(*old);
  // Here the node below says something else: the line goes over to it without a jump.
  below_->pose.span().SetWeight(jaw, 0);
  for (int k = 60; k < 100; ++k) {
    run_.Tick(*node);
    if (k < 75) {
      EXPECT_NEAR(run_.raw.view().weights[jaw], (k - 15) / 100.0, 1e-5) << k;
    } else {
      EXPECT_LT(run_.step().weight, 0.2f) << k;
    }
  }
  EXPECT_LT(run_.raw.view().weights[jaw], 1e-3f);
}

}  // namespace
}  // namespace posewire::graph
