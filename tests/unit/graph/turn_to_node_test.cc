#include "libs/graph/turn_to_node.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/allocation_count.h"
#include "tests/unit/graph/look_at_helpers.h"

namespace posewire::graph {
namespace {

using skel::Vec3;

Target User() {
  Target target;
  target.kind = Target::Kind::kUserHead;
  return target;
}

struct Turner {
  explicit Turner(TurnToSettings settings, const char* rig_name = "hanim_loa3")
      : rig(BuiltinRig(rig_name)), stage(rig, {NumberVariable("much", 1)}) {
    const auto parts = std::make_shared<const BodyParts>(rig);
    auto below = std::make_unique<FixedNode>(*rig);
    below->pose.span().CopyFrom(rig->rest());
    node = std::make_unique<TurnToNode>(parts, std::move(below), std::move(settings));
    feet = {parts->legs[0].end, parts->legs[1].end};
  }
  float Heading() {
    const gesture::Forward at(*rig, stage.pose.view(), rig->rest());
    const auto& left = rig->joint_names()[static_cast<size_t>(feet[0])];
    const auto& right = rig->joint_names()[static_cast<size_t>(feet[1])];
    const Vec3 side = at.place(left) - at.place(right);
    return std::atan2(-side.z, side.x) * kDegrees;
  }
  std::shared_ptr<const skel::Rig> rig;
  Stage stage;
  std::unique_ptr<TurnToNode> node;
  std::array<int, 2> feet;
};

TEST(TurnToNode, FacesTheTargetOnEveryRigAndKeepsItsFeetInPlace) {
  for (const char* rig : {"hanim_loa1", "hanim_loa3", "ace_biped", "vrm"}) {
    for (float left : {-170.0f, -60.0f, 0.0f, 35.0f, 120.0f}) {
      Turner t({User()}, rig);
      t.stage.users = {UserAround(left)};
      for (int k = 0; k < 150; ++k) {
        const AllocationCount allocations;
        t.stage.Tick(*t.node);
        ASSERT_EQ(allocations.count(), 0);
      }
      // The feet's middle stands a little behind or before the origin.
      EXPECT_NEAR(t.Heading(), left, 3) << rig;
      const gesture::Forward at(*t.rig, t.stage.pose.view(), t.rig->rest());
      const gesture::Forward rest(*t.rig, t.rig->rest(), t.rig->rest());
      const auto middle = [&](const gesture::Forward& f) {
        return Lerp(f.at[static_cast<size_t>(t.feet[0])], f.at[static_cast<size_t>(t.feet[1])],
                    0.5f);
      };
      EXPECT_LT(Length(middle(at) - middle(rest)), 1e-4f) << rig;
    }
  }
}

TEST(TurnToNode, KeepsItsSpeedAndItsLimit) {
  TurnToSettings settings{User()};
  settings.limit_deg = 50, settings.speed_deg_s = 60;
  Turner t(settings);
  Random rng(2);
  float last = 0;
  for (int k = 0; k < 3000; ++k) {
    if (k % 50 == 0) t.stage.users = {UserAround(rng.Uniform(-180, 180))};
    if (k % 170 == 0) t.stage.users.clear();
    t.stage.Tick(*t.node);
    const float now = t.Heading();
    ASSERT_LT(std::fabs(now), 50.1f);
    ASSERT_LT(std::fabs(now - last), 60 * kTick_s + 0.02) << k;
    last = now;
  }
}

TEST(TurnToNode, GoesBackWhenTheTargetOrTheWeightGoes) {
  TurnToSettings settings{User()};
  settings.weight = Number::Follow(0);
  Turner t(settings);
  t.stage.users = {UserAround(80)};
  for (int k = 0; k < 100; ++k) t.stage.Tick(*t.node);
  EXPECT_NEAR(t.Heading(), 80, 3);
  t.stage.variables.Set(0, Value{0.5, {}});
  for (int k = 0; k < 100; ++k) t.stage.Tick(*t.node);
  EXPECT_NEAR(t.Heading(), 40, 2);
  t.stage.users.clear();
  for (int k = 0; k < 150; ++k) t.stage.Tick(*t.node);
  EXPECT_TRUE(SameBytes(t.stage.pose.view(), t.rig->rest()));
}

TEST(TurnToNode, TakesTheShortWayRoundAndDoesNotSwingRoundForATargetThatPassesBehind) {
  TurnToSettings settings{User()};
  settings.limit_deg = 120;
  Turner t(settings);
  for (int k = 0; k < 100; ++k) {
    t.stage.users = {UserAround(150)};
    t.stage.Tick(*t.node);
  }
  EXPECT_NEAR(t.Heading(), 120, 1);
  for (int k = 0; k < 100; ++k) {
    t.stage.users = {UserAround(-170)};
    t.stage.Tick(*t.node);
  }
  EXPECT_NEAR(t.Heading(), 120, 1);
  for (int k = 0; k < 200; ++k) {
    t.stage.users = {UserAround(-100)};
    t.stage.Tick(*t.node);
  }
  EXPECT_NEAR(t.Heading(), -100, 3);
}

}  // namespace
}  // namespace posewire::graph
