#include "libs/graph/clip_node.h"

#include "gtest/gtest.h"
#include "libs/graph/layer_node.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {
namespace {

// A clip of `frames` at 30 fps whose jawOpen is i / 100.
clip::Clip Ramp(int frames, bool loops) {
  const auto rig = BuiltinRig();
  std::vector<skel::Pose> poses;
  for (int i = 0; i < frames; ++i) {
    poses.emplace_back(rig->joints(), rig->shapes());
    poses.back().span().SetWeight(rig->FindShape("jawOpen"), static_cast<float>(i) / 100);
  }
  return clip::Clip("ramp", rig, {30, 1}, std::move(poses), loops);
}

class ClipNodeTest : public testing::Test {
 protected:
  float Tick(double dt = 1.0 / 30) {
    const TickContext ctx{0, 0, dt, &rng_, &inputs_, nullptr};
    node_.Update(ctx, 1);
    node_.Evaluate(ctx, out_.span());
    return out_.view().weights[rig_->FindShape("jawOpen")];
  }
  std::shared_ptr<const skel::Rig> rig_ = BuiltinRig();
  Random rng_{1};
  Inputs inputs_;
  ClipNode node_;
  skel::Pose out_{rig_->joints(), rig_->shapes()};
};

TEST_F(ClipNodeTest, WithoutAClipSaysNothing) {
  out_.span().SetWeight(0, 1);
  Tick();
  EXPECT_EQ(out_.view().has_w[0], 0);
  EXPECT_FALSE(node_.ended());
}

TEST_F(ClipNodeTest, StartsAtTheFirstFrameAndHoldsTheLast) {
  const clip::Clip clip = Ramp(4, false);
  node_.Play(&clip);
  EXPECT_FLOAT_EQ(Tick(), 0);
  EXPECT_FLOAT_EQ(Tick(), 0.01f);
  EXPECT_FLOAT_EQ(Tick(1.0 / 60), 0.015f);
  EXPECT_FALSE(node_.ended());
  Tick(1);
  EXPECT_TRUE(node_.ended());
  EXPECT_FLOAT_EQ(Tick(), 0.03f);
}

TEST_F(ClipNodeTest, GoesRoundWhenItLoops) {
  const clip::Clip clip = Ramp(4, true);
  node_.Play(&clip);
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(Tick(), 0.01f * static_cast<float>(i % 4), 1e-6) << i;
  EXPECT_FALSE(node_.ended());
}

TEST_F(ClipNodeTest, ShowsItsClipAtItsTimeBodyAndFace) {
  const clip::Clip* wave = Gestures()->Find("wave");
  node_.Play(wave);
  bool body = false, face = false;
  for (int k = 0; k < 30; ++k) {
    Tick();
    ASSERT_NEAR(node_.remaining_s(), wave->duration_s() - k / 30.0, 1e-9);
    ASSERT_EQ(FarFrom(*wave, k / 30.0, out_.view()), 0) << k;
    for (int j = 0; j < rig_->joints(); ++j) body = body || out_.view().has_r[j];
    for (int s = 0; s < rig_->shapes(); ++s) face = face || out_.view().has_w[s];
  }
  EXPECT_GT(FarFrom(*wave, 28 / 30.0, out_.view()), 0.01f) << "a frame away is seen";
  EXPECT_TRUE(body);
  EXPECT_TRUE(face);
  const clip::Clip lips = Ramp(2, false);
  node_.Play(&lips);
  Tick();
  for (int j = 0; j < rig_->joints(); ++j) EXPECT_EQ(out_.view().has_r[j], 0) << j;
  for (int s = 0; s < rig_->shapes(); ++s) {
    EXPECT_EQ(out_.view().has_w[s] != 0, s == rig_->FindShape("jawOpen")) << s;
  }
}

TEST_F(ClipNodeTest, AHalfOfItIsSeenAtHalfTheWeight) {
  const clip::Clip clip = Ramp(4, false);
  auto node = std::make_unique<ClipNode>();
  node->Play(&clip);
  auto below = std::make_unique<FixedNode>(*rig_);
  below->pose.span().CopyFrom(rig_->rest());
  LayerNode layer(rig_, std::move(below), std::move(node));
  layer.set_weight(0.5f);
  for (int k = 0; k < 4; ++k) {
    const TickContext ctx{k, 0, 1.0 / 30, &rng_, &inputs_, nullptr};
    layer.Update(ctx, 1);
    layer.Evaluate(ctx, out_.span());
    EXPECT_NEAR(out_.view().weights[rig_->FindShape("jawOpen")], 0.005 * k, 1e-7) << k;
  }
}

}  // namespace
}  // namespace posewire::graph
