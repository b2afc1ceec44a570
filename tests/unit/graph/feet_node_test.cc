#include "libs/graph/feet_node.h"

#include <gtest/gtest.h>

#include <cmath>

#include "libs/graph/idle_node.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/graph/look_at_helpers.h"

namespace posewire::graph {
namespace {

using skel::Quat;
using skel::Vec3;

struct FeetHolder {
  explicit FeetHolder(const char* rig_name = "hanim_loa3", bool idle = false)
      : rig(BuiltinRig(rig_name)), parts(std::make_shared<const BodyParts>(rig)), stage(rig) {
    std::unique_ptr<Node> below;
    if (idle) {
      below = *IdleNode::Make(rig);
    } else {
      auto fixed_node = std::make_unique<FixedNode>(*rig);
      fixed_node->pose.span().CopyFrom(rig->rest());
      fixed = fixed_node.get();
      below = std::move(fixed_node);
    }
    node = std::make_unique<FeetNode>(parts, std::move(below), FeetSettings{});
  }
  void MoveHips(Vec3 off) {
    fixed->pose.span().SetTranslation(parts->root, rig->rest().translation(parts->root) + off);
  }
  void Tick() {
    const AllocationCount allocations;
    stage.Tick(*node);
    EXPECT_EQ(allocations.count(), 0);
    Watch();
  }
  // Places by plain forward kinematics; how far a held foot slid since it was held.
  void Watch() {
    const gesture::Forward at(*rig, stage.pose.view(), rig->rest());
    for (size_t side = 0; side < 2; ++side) {
      const Vec3 now = at.at[static_cast<size_t>(parts->legs[side].end)];
      const float floor = parts->rest_at[static_cast<size_t>(parts->legs[side].end)].y;
      deepest = std::max(deepest, floor - now.y);
      if (!node->held(side)) {
        was_held[side] = false;
        continue;
      }
      if (!was_held[side]) held_at[side] = now, was_held[side] = true;
      slid = std::max(slid, std::hypot(now.x - held_at[side].x, now.z - held_at[side].z));
    }
  }
  std::shared_ptr<const skel::Rig> rig;
  std::shared_ptr<const BodyParts> parts;
  FixedNode* fixed = nullptr;
  Stage stage;
  std::unique_ptr<FeetNode> node;
  std::array<Vec3, 2> held_at;
  std::array<bool, 2> was_held{};
  float slid = 0, deepest = 0;
};

TEST(FeetNode, HeldFeetNeitherSlideNorSinkWhileTheHipsSway) {
  for (const char* rig : {"hanim_loa1", "hanim_loa3", "ace_biped", "vrm"}) {
    FeetHolder w(rig);
    int held = 0;
    for (int k = 0; k < 600; ++k) {
      const auto t = static_cast<float>(k * kTick_s);
      // Sways, dips by up to 8 cm, and twists a little.
      w.MoveHips({0.05f * std::sin(1.3f * t), -0.04f + 0.04f * std::cos(0.9f * t),
                  0.04f * std::sin(0.7f * t)});
      const Quat twist = skel::Exp({0, 0.15f * std::sin(1.1f * t), 0});
      w.fixed->pose.span().SetRotation(
          w.parts->root, Normalized(Mul(twist, w.rig->rest().rotation(w.parts->root))));
      w.Tick();
      held += w.node->held(0) + w.node->held(1);
      if (k > 1) {
        ASSERT_LT(LargestStep(w.stage.before.view(), w.stage.pose.view()).degrees, 8)
            << rig << " " << k;
      }
    }
    EXPECT_GT(held, 1100) << rig;
    EXPECT_LT(w.slid, 1e-3f) << rig;
    EXPECT_LT(w.deepest, 1e-3f) << rig;
  }
}

TEST(FeetNode, HoldsThroughIdle) {
  FeetHolder w("hanim_loa3", true);
  for (int k = 0; k < 900; ++k) w.Tick();
  EXPECT_TRUE(w.node->held(0) && w.node->held(1));
  EXPECT_LT(w.slid, 1e-3f);
  EXPECT_LT(w.deepest, 1e-3f);
}

TEST(FeetNode, LowersTheHipsWhereALegWouldBeTooShort) {
  FeetHolder w;
  for (int k = 0; k < 10; ++k) w.Tick();
  for (int k = 0; k < 100; ++k) {
    // To the side, where the far leg does not reach any more.
    const float way = std::min(0.0012f * static_cast<float>(k), 0.1f);
    w.MoveHips({way, 0.2f * way, 0});
    w.Tick();
    EXPECT_LT(LargestStep(w.stage.before.view(), w.stage.pose.view()).metres, 0.01f);
  }
  EXPECT_TRUE(w.node->held(0) && w.node->held(1));
  EXPECT_LT(w.slid, 1e-3f);
  EXPECT_LT(w.stage.pose.view().ty[w.parts->root], w.fixed->pose.view().ty[w.parts->root] - 1e-3f);
}

TEST(FeetNode, AFootThatStepsGoesWhereItIsAnimatedAndComesDownWithoutAPop) {
  for (const char* rig : {"hanim_loa3", "vrm"}) {
    FeetHolder w(rig);
    const auto& leg = w.parts->legs[0];
    const Vec3 hinge = leg.hinge;
    int let_go = 0;
    for (int k = 0; k < 600; ++k) {
      // Walks on the spot: hip and knee bend for half a second in two.
      const float phase = static_cast<float>(k % 60) / 15;
      const float lift = phase < 1 ? 0.5f - 0.5f * std::cos(6.2832f * phase) : 0;
      w.MoveHips({0.02f * std::sin(static_cast<float>(k) * 0.07f), 0, 0});
      const auto turn = [&](int j, Quat q) {
        w.fixed->pose.span().SetRotation(j, Normalized(Mul(q, w.rig->rest().rotation(j))));
      };
      turn(leg.start, skel::FromAxisAngle(hinge, -0.7f * lift));
      turn(leg.middle, skel::FromAxisAngle(hinge, 1.3f * lift));
      w.Tick();
      let_go += !w.node->held(0);
      if (k > 1) {
        // The animation itself turns the knee by 16 degrees a tick; that of a straight leg is
        // quick.
        ASSERT_LT(LargestStep(w.stage.before.view(), w.stage.pose.view()).degrees, 30)
            << rig << " " << k;
      }
      if (lift > 0.95f) {
        const gesture::Forward shown(*w.rig, w.stage.pose.view(), w.rig->rest());
        const gesture::Forward want(*w.rig, w.fixed->pose.view(), w.rig->rest());
        const auto i = static_cast<size_t>(leg.end);
        EXPECT_LT(Length(shown.at[i] - want.at[i]), 0.03f);
      }
    }
    EXPECT_GT(let_go, 80) << rig;
    EXPECT_LT(let_go, 300) << rig;
    EXPECT_LT(w.slid, 1e-3f) << rig;
    EXPECT_LT(w.deepest, 1e-3f) << rig;
  }
}

TEST(FeetNode, LeavesAPoseThatStandsAsItIs) {
  FeetHolder w;
  for (int k = 0; k < 10; ++k) w.Tick();
  EXPECT_LT(LargestStep(w.stage.pose.view(), w.rig->rest()).degrees, 0.01f);
  EXPECT_LT(LargestStep(w.stage.pose.view(), w.rig->rest()).metres, 1e-5f);
}

}  // namespace
}  // namespace posewire::graph
