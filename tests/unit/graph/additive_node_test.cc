#include "libs/graph/additive_node.h"

#include "tests/unit/graph/runner.h"

namespace posewire::graph {
namespace {

class AdditiveNodeTest : public testing::Test {
 protected:
  std::unique_ptr<AdditiveNode> Make(bool with_reference) {
    auto below = std::make_unique<FixedNode>(*run_.rig),
         delta = std::make_unique<FixedNode>(*run_.rig),
         reference = std::make_unique<FixedNode>(*run_.rig);
    below_ = below.get(), delta_ = delta.get(), reference_ = reference.get();
    if (!with_reference) reference.reset();
    return std::make_unique<AdditiveNode>(run_.rig, std::move(below), std::move(delta),
                                          std::move(reference));
  }
  Runner run_{{NumberVariable("w", 1)}};
  FixedNode *below_ = nullptr, *delta_ = nullptr, *reference_ = nullptr;
};

TEST_F(AdditiveNodeTest, AddsTheDifferenceFromTheReference) {
  Random rng(1);
  for (int round = 0; round < 40; ++round) {
    const auto node = Make(true);
    below_->pose = RandomPose(*run_.rig, rng, 0.8f);
    delta_->pose = RandomPose(*run_.rig, rng, 0.8f);
    reference_->pose = RandomPose(*run_.rig, rng, 0.8f);
    const float w = rng.Uniform();
    node->set_weight(static_cast<double>(w));
    run_.Tick(*node);
    const skel::PoseView a = below_->pose.view(), d = delta_->pose.view(),
                         r = reference_->pose.view(), got = run_.raw.view();
    for (int j = 0; j < got.joints; ++j) {
      ASSERT_EQ(got.has_r[j], a.has_r[j]);
      ASSERT_EQ(got.has_t[j], a.has_t[j]);
      const bool turns = d.has_r[j] && r.has_r[j], moves = d.has_t[j] && r.has_t[j];
      if (a.has_r[j]) {
        // reference^-1 delta about its own axis, by the part w of its angle.
        skel::Vec3 v =
            turns ? skel::Log(Mul(Conjugate(r.rotation(j)), d.rotation(j))) : skel::Vec3{};
        const skel::Quat want = Mul(a.rotation(j), skel::Exp(v * w));
        ASSERT_LT(AngleBetween(got.rotation(j), want), 1e-3f);
      }
      if (a.has_t[j]) {
        ASSERT_NEAR(got.tx[j], a.tx[j] + (moves ? w * (d.tx[j] - r.tx[j]) : 0), 1e-5);
      }
    }
    for (int s = 0; s < got.shapes; ++s) {
      ASSERT_EQ(got.has_w[s], a.has_w[s]);
      if (!a.has_w[s]) continue;
      const float add = d.has_w[s] && r.has_w[s] ? w * (d.weights[s] - r.weights[s]) : 0;
      ASSERT_NEAR(got.weights[s], a.weights[s] + add, 1e-5);
    }
  }
}

TEST_F(AdditiveNodeTest, TheReferenceIsRestUnlessGivenAndTheMaskHolds) {
  const auto node = Make(false);
  const int elbow = run_.rig->FindJoint("l_elbow"), knee = run_.rig->FindJoint("l_knee");
  below_->pose.span().CopyFrom(run_.rig->rest());
  const skel::Quat turn = skel::FromAxisAngle({1, 0, 0}, 0.3f);
  delta_->pose.span().SetRotation(elbow, Mul(run_.rig->rest().rotation(elbow), turn));
  delta_->pose.span().SetRotation(knee, Mul(run_.rig->rest().rotation(knee), turn));
  skel::Mask mask(*run_.rig, 1);
  mask.set_joint(knee, 0);
  node->set_mask(mask);
  run_.Tick(*node);
  EXPECT_NEAR(AngleBetween(run_.raw.view().rotation(elbow), run_.rig->rest().rotation(elbow)), 0.3f,
              1e-4);
  EXPECT_LT(AngleBetween(run_.raw.view().rotation(knee), run_.rig->rest().rotation(knee)), 1e-4f);
}

TEST_F(AdditiveNodeTest, WithoutWeightNothingOfItIsEvaluated) {
  const auto node = Make(true);
  below_->pose.span().CopyFrom(run_.rig->rest());
  node->set_weight(-2.0);
  run_.Tick(*node);
  EXPECT_EQ(delta_->evaluated + reference_->evaluated, 0);
  EXPECT_EQ(delta_->seen_weight, 0) << "but goes on";
}

TEST_F(AdditiveNodeTest, ASwitchOfTheWeightOrOfTheDeltasElementsDoesNotPop) {
  const auto node = Make(false);
  node->set_weight(Number::Follow(0));
  Random rng(3);
  below_->pose = RandomPose(*run_.rig, rng, 1);
  const skel::Pose full = RandomPose(*run_.rig, rng, 1, 2.5f), empty(full.joints(), full.shapes());
  delta_->pose = full;
  run_.Tick(*node, 3);
  float moved = 0;
  for (int k = 0; k < 200; ++k) {
    if (k % 20 == 0) run_.Set("w", k % 40 == 0 ? 0 : 1);
    if (k % 50 == 15) delta_->pose = k % 100 == 15 ? empty : full;
    run_.Tick(*node);
    ASSERT_LE(run_.step().degrees, 38.1f) << k;
    ASSERT_LE(run_.step().weight, 0.57f) << k;
    moved = std::max(moved, run_.step().degrees);
  }
  EXPECT_GT(moved, 5);
}

}  // namespace
}  // namespace posewire::graph
