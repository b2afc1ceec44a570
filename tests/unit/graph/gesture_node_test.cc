#include "libs/graph/gesture_node.h"

#include "gtest/gtest.h"
#include "libs/graph/ease_stage.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {
namespace {

class GestureNodeTest : public testing::Test {
 protected:
  GestureNodeTest() {
    auto below = std::make_unique<FixedNode>(*rig_);
    below_ = below.get();
    below_->pose.span().CopyFrom(rig_->rest());
    auto node = std::make_unique<GestureNode>(rig_, std::move(below));
    node_ = node.get();
    stage_ = std::make_unique<EaseStage>(rig_, std::move(node));
  }
  void Tick(int times = 1) {
    for (int i = 0; i < times; ++i) {
      last_ = out_;
      const TickContext ctx{0, 0, kTick_s, &rng_, &inputs_, nullptr};
      stage_->Update(ctx, 1);
      stage_->Evaluate(ctx, out_.span());
    }
  }
  float Turn(const char* joint) {
    return AngleBetween(out_.view().rotation(rig_->FindJoint(joint)), {});
  }
  std::shared_ptr<const skel::Rig> rig_ = BuiltinRig();
  FixedNode* below_ = nullptr;
  GestureNode* node_ = nullptr;
  std::unique_ptr<EaseStage> stage_;
  Random rng_{1};
  Inputs inputs_;
  skel::Pose out_{rig_->joints(), rig_->shapes()}, last_ = out_;
};

TEST_F(GestureNodeTest, PlaysForItsLengthAndFallsBack) {
  const clip::Clip* wave = Gestures()->Find("wave");
  Tick(3);
  node_->Set(wave);
  const int frames = wave->frames();
  for (int k = 0; k < frames; ++k) {
    Tick();
    EXPECT_EQ(node_->playing(), wave) << k;
    if (k > 15) {
      // Past its own easing the gesture is shown as it is.
      const int elbow = rig_->FindJoint("r_elbow");
      EXPECT_LT(AngleBetween(out_.view().rotation(elbow), wave->frame(k).rotation(elbow)), 2e-3f);
    }
  }
  Tick();
  EXPECT_EQ(node_->playing(), nullptr);
  Tick(14);
  EXPECT_NEAR(Turn("r_elbow"), 0, 1e-5);
}

TEST_F(GestureNodeTest, TouchesOnlyTheElementsOfItsClip) {
  Tick(3);
  node_->Set(Gestures()->Find("wave"));
  for (int k = 0; k < 40; ++k) {
    // What is below jumps about elsewhere, and must pass as it is.
    const auto jump = skel::FromAxisAngle({1, 0, 0}, static_cast<float>(k % 7) * 0.2f);
    below_->pose.span().SetRotation(rig_->FindJoint("l_elbow"), jump);
    below_->pose.span().SetWeight(rig_->FindShape("jawOpen"), static_cast<float>(k % 5) * 0.1f);
    Tick();
    const int elbow = rig_->FindJoint("l_elbow");
    EXPECT_LT(AngleBetween(out_.view().rotation(elbow), jump), 1e-3f) << k;
    EXPECT_FLOAT_EQ(out_.view().weights[rig_->FindShape("jawOpen")],
                    static_cast<float>(k % 5) * 0.1f);
  }
}

TEST_F(GestureNodeTest, ANewGestureOrNoneInterruptsWithoutAJump) {
  Tick(3);
  node_->Set(Gestures()->Find("wave"));
  Tick(25);
  EXPECT_GT(Turn("r_elbow"), 1.0f);
  node_->Set(Gestures()->Find("shrug"));
  for (int k = 0; k < 20; ++k) {
    Tick();
    EXPECT_LT(LargestStep(last_.view(), out_.view()).degrees, 32) << k;
  }
  EXPECT_EQ(node_->playing()->name(), "shrug");
  node_->Set(nullptr);
  for (int k = 0; k < 20; ++k) {
    Tick();
    EXPECT_LT(LargestStep(last_.view(), out_.view()).degrees, 32) << k;
  }
  EXPECT_EQ(node_->playing(), nullptr);
  EXPECT_LT(LargestStep(out_.view(), rig_->rest()).degrees, 0.01);
}

TEST_F(GestureNodeTest, TheSameGestureAgainStartsAnew) {
  const clip::Clip* nod = Gestures()->Find("nod");
  // Without the stage, for the gesture as it is.
  const TickContext ctx{0, 0, kTick_s, &rng_, &inputs_, nullptr};
  float far = 0;
  for (int round = 0; round < 2; ++round) {
    node_->Set(nod);
    for (int k = 0; k < 20; ++k) {
      node_->Update(ctx, 1);
      node_->Evaluate(ctx, out_.span());
      ASSERT_EQ(node_->playing(), nod);
      ASSERT_LT(FarFrom(*nod, k * kTick_s, out_.view()), 1e-6f) << k;
      far = std::max(far, FarFrom(*nod, (k + 1) * kTick_s, out_.view()));
    }
    EXPECT_GT(FarFrom(*nod, 0, out_.view()), 0.01f) << "the start is seen to be one";
  }
  EXPECT_GT(far, 0.01f) << "a frame away is seen";
}

TEST_F(GestureNodeTest, NoneWithNothingPlayingChangesNothing) {
  Tick(2);
  node_->Set(nullptr);
  Tick(2);
  EXPECT_TRUE(SameBytes(out_.view(), rig_->rest()));
}

}  // namespace
}  // namespace posewire::graph
