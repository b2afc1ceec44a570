#include "libs/graph/output_node.h"

#include "gtest/gtest.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {
namespace {

TEST(OutputNode, FillsWhatNothingSaysWithRest) {
  const auto rig = BuiltinRig("ace_biped");
  auto below = std::make_unique<FixedNode>(*rig);
  below->pose.span().SetWeight(3, 0.5f);
  OutputNode node(rig, std::move(below));
  Random rng(1);
  const Inputs none;
  const TickContext ctx{0, 0, 1.0 / 30, &rng, &none, nullptr};
  skel::Pose out(rig->joints(), rig->shapes());
  node.Update(ctx, 1);
  node.Evaluate(ctx, out.span());
  const skel::PoseView p = out.view(), rest = rig->rest();
  for (int j = 0; j < p.joints; ++j) {
    EXPECT_TRUE(p.has_t[j] && p.has_r[j] && p.has_s[j]);
    EXPECT_LT(AngleBetween(p.rotation(j), rest.rotation(j)), 1e-6f);
    EXPECT_EQ(p.tx[j], rest.tx[j]);
    EXPECT_EQ(p.sx[j], 1);
  }
  EXPECT_EQ(p.weights[3], 0.5f);
  EXPECT_EQ(p.weights[4], 0);
}

TEST(OutputNode, KeepsTheSignOfEachRotationNearTheTickBefore) {
  const auto rig = BuiltinRig();
  auto below = std::make_unique<FixedNode>(*rig);
  FixedNode* source = below.get();
  OutputNode node(rig, std::move(below));
  Random rng(1);
  const Inputs none;
  const TickContext ctx{0, 0, 1.0 / 30, &rng, &none, nullptr};
  skel::Pose out(rig->joints(), rig->shapes()), last = out;
  for (int k = 0; k < 500; ++k) {
    for (int j = 0; j < rig->joints(); ++j) {
      const skel::Quat q = skel::FromAxisAngle({0, 1, 0}, 0.3f * static_cast<float>(k));
      source->pose.span().SetRotation(j, rng.Uniform() < 0.5f ? q : -q);
    }
    last = out;
    node.Evaluate(ctx, out.span());
    for (int j = 0; j < rig->joints() && k > 0; ++j) {
      EXPECT_GE(Dot(out.view().rotation(j), last.view().rotation(j)), 0);
      EXPECT_LT(AngleBetween(out.view().rotation(j), source->pose.view().rotation(j)), 2e-3f);
    }
  }
}

}  // namespace
}  // namespace posewire::graph
