#include "libs/graph/layer_node.h"

#include <limits>

#include "gtest/gtest.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {
namespace {

class LayerNodeTest : public testing::Test {
 protected:
  LayerNodeTest() {
    auto below = std::make_unique<FixedNode>(*rig_), layer = std::make_unique<FixedNode>(*rig_);
    below_ = below.get(), layer_ = layer.get();
    below_->pose.span().CopyFrom(rig_->rest());
    layer_->pose.span().SetRotation(elbow_, skel::FromAxisAngle({1, 0, 0}, -1));
    layer_->pose.span().SetWeight(jaw_, 0.8f);
    node_ = std::make_unique<LayerNode>(rig_, std::move(below), std::move(layer));
  }
  void Tick() {
    const TickContext ctx{0, 0, 1.0 / 30, &rng_, &inputs_, nullptr};
    node_->Update(ctx, 0.5f);
    node_->Evaluate(ctx, out_.span());
  }
  float Turn() { return AngleBetween(out_.view().rotation(elbow_), {}); }

  std::shared_ptr<const skel::Rig> rig_ = BuiltinRig();
  int elbow_ = rig_->FindJoint("l_elbow"), jaw_ = rig_->FindShape("jawOpen");
  FixedNode *below_ = nullptr, *layer_ = nullptr;
  std::unique_ptr<LayerNode> node_;
  Random rng_{1};
  Inputs inputs_;
  skel::Pose out_{rig_->joints(), rig_->shapes()};
};

TEST_F(LayerNodeTest, MixesByWeight) {
  node_->set_weight(0.25f);
  Tick();
  EXPECT_NEAR(Turn(), 0.25f, 1e-5);
  EXPECT_NEAR(out_.view().weights[jaw_], 0.2f, 1e-6);
  EXPECT_FLOAT_EQ(layer_->seen_weight, 0.125f);
  EXPECT_FLOAT_EQ(below_->seen_weight, 0.5f);
}

TEST_F(LayerNodeTest, ClampsItsWeight) {
  node_->set_weight(7);
  EXPECT_EQ(node_->weight(), 1);
  Tick();
  EXPECT_NEAR(Turn(), 1, 1e-5);
  node_->set_weight(-1);
  EXPECT_EQ(node_->weight(), 0);
  node_->set_weight(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(node_->weight(), 0);
}

TEST_F(LayerNodeTest, DoesNotEvaluateWhatIsNotSeen) {
  node_->set_weight(0);
  Tick();
  EXPECT_EQ(layer_->evaluated, 0);
  EXPECT_NEAR(Turn(), 0, 1e-6);
}

TEST_F(LayerNodeTest, KeepsToItsMask) {
  skel::Mask mask(*rig_, 1);
  mask.set_joint(elbow_, 0);
  node_->set_mask(mask);
  Tick();
  EXPECT_NEAR(Turn(), 0, 1e-6);
  EXPECT_FLOAT_EQ(out_.view().weights[jaw_], 0.8f);
}

}  // namespace
}  // namespace posewire::graph
