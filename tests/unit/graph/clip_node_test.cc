#include "libs/graph/clip_node.h"

#include "gtest/gtest.h"
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

TEST_F(ClipNodeTest, ContributesItsClipTimeAndRegions) {
  node_.Play(Gestures()->Find("wave"));
  Tick();
  Tick();
  Contributions c;
  node_.Contribute(0.5f, c);
  ASSERT_EQ(c.count, 2);
  EXPECT_EQ(c.items[0].clip->name(), "wave");
  EXPECT_NEAR(c.items[0].clip_time_s, 1.0 / 30, 1e-9);
  EXPECT_FLOAT_EQ(c.items[0].weight, 0.5f);
  EXPECT_EQ(c.items[0].region, Region::kBody);
  EXPECT_EQ(c.items[1].region, Region::kFace);
  const clip::Clip face = Ramp(2, false);
  node_.Play(&face);
  c.count = 0;
  node_.Contribute(1, c);
  ASSERT_EQ(c.count, 1);
  EXPECT_EQ(c.items[0].region, Region::kFace);
}

TEST(Contributions, TheLeastGivesWay) {
  Contributions c;
  for (int i = 0; i < Contributions::kMost; ++i) {
    c.Add({nullptr, 0, static_cast<float>(i + 1), Region::kBody});
  }
  c.Add({nullptr, 7, 0.5f, Region::kBody});
  for (const Contribution& item : c.items) EXPECT_GE(item.weight, 1);
  c.Add({nullptr, 9, 5.5f, Region::kBody});
  EXPECT_EQ(c.count, Contributions::kMost);
  EXPECT_FLOAT_EQ(c.items[0].weight, 5.5f);
}

}  // namespace
}  // namespace posewire::graph
