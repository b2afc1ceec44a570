#include "libs/graph/limits_node.h"

#include <gtest/gtest.h>

#include <cmath>

#include "libs/skel/limit_job.h"
#include "tests/unit/graph/runner.h"

namespace posewire::graph {
namespace {

using skel::Quat;
using skel::Vec3;

std::unique_ptr<FixedNode> Showing(const skel::Pose& pose) {
  auto node = std::make_unique<FixedNode>(*BuiltinRig());
  node->pose.span().CopyFrom(pose.view());
  return node;
}

TEST(LimitsNode, TakesEachJointToItsNearestBoundAndNothingElse) {
  const auto rig = BuiltinRig();
  Random rng(3);
  for (int round = 0; round < 100; ++round) {
    const skel::Pose pose = RandomPose(*rig, rng, 0.7f, 1.5f);
    LimitsNode node(rig, Showing(pose));
    Runner runner;
    runner.Tick(node);
    for (int j = 0; j < rig->joints(); ++j) {
      ASSERT_EQ(runner.raw.view().has_r[j], pose.view().has_r[j]);
      if (!pose.view().has_r[j]) continue;
      // The turn from rest, taken apart and clamped angle by angle.
      const Quat rest = rig->rest().rotation(j);
      const skel::JointLimit& limit = rig->limits()[static_cast<size_t>(j)];
      const Vec3 v = SwingTwist(Mul(Conjugate(rest), pose.view().rotation(j)));
      const Vec3 held{std::clamp(v.x, limit.min.x, limit.max.x),
                      std::clamp(v.y, limit.min.y, limit.max.y),
                      std::clamp(v.z, limit.min.z, limit.max.z)};
      const Quat want = Mul(rest, Mul(skel::Exp({held.x, 0, held.z}), skel::Exp({0, held.y, 0})));
      if (std::hypot(v.x, v.z) > 1.5f) continue;  // two ways to write it
      ASSERT_LT(AngleBetween(want, runner.raw.view().rotation(j)), 2e-3f) << j;
    }
    EXPECT_EQ(std::memcmp(runner.raw.view().tx, pose.view().tx, sizeof(float) * 10), 0);
  }
}

TEST(LimitsNode, AJointThatIsSpunRoundStaysWithinItsLimitsWithoutAPop) {
  const auto rig = BuiltinRig();
  for (const char* name : {"l_shoulder", "l_elbow", "skullbase", "r_hip", "r_knee"}) {
    const int j = rig->FindJoint(name);
    Random rng(4);
    for (int round = 0; round < 20; ++round) {
      const Vec3 axis =
          Normalized(Vec3{rng.Uniform(-1, 1), rng.Uniform(-1, 1), rng.Uniform(-1, 1)});
      skel::Pose pose(rig->joints(), rig->shapes());
      pose.span().CopyFrom(rig->rest());
      auto below = Showing(pose);
      FixedNode* fixed = below.get();
      LimitsNode node(rig, std::move(below));
      Runner runner;
      for (int k = 0; k < 200; ++k) {
        const float angle = 0.07f * static_cast<float>(k);
        fixed->pose.span().SetRotation(
            j, Normalized(Mul(rig->rest().rotation(j), skel::FromAxisAngle(axis, angle))));
        runner.Tick(node);
        const Quat q = runner.pose.view().rotation(j);
        ASSERT_LT(AngleBetween(q, skel::LimitedRotation(*rig, j, q)), 4e-3f) << name << " " << k;
        if (k > 0) {
          ASSERT_LT(runner.step().degrees, 30) << name << " " << k;
        }
      }
    }
  }
}

TEST(LimitsNode, PassesEverythingOnARigWithoutLimits) {
  const auto rig = BuiltinRig("vrm");
  if (!rig->limits().empty()) GTEST_SKIP();
  auto below = std::make_unique<FixedNode>(*rig);
  below->pose.span().CopyFrom(rig->rest());
  below->pose.span().SetRotation(3, skel::Exp({3, 0, 0}));
  const skel::Pose want = below->pose;
  LimitsNode node(rig, std::move(below));
  skel::Pose out(rig->joints(), rig->shapes());
  TickContext ctx;
  ctx.dt_s = 1 / 30.0;
  node.Update(ctx, 1);
  node.Evaluate(ctx, out.span());
  EXPECT_TRUE(SameBytes(out.view(), want.view()));
}

}  // namespace
}  // namespace posewire::graph
