// A body that turns to somebody steps: measured by plain forward kinematics.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/graph/feet_node.h"
#include "libs/graph/idle_node.h"
#include "libs/graph/turn_to_node.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/graph/look_at_helpers.h"

namespace posewire::graph {
namespace {

using skel::Quat;
using skel::Vec3;

constexpr int kTurnHz = 60;

// Idle, or the rest pose, that turns to the user; and its feet.
struct FeetTurner {
  explicit FeetTurner(const char* rig_name, bool idle = true, double speed_deg_s = 90)
      : rig(BuiltinRig(rig_name)), parts(std::make_shared<const BodyParts>(rig)), stage(rig) {
    TurnToSettings turn;
    turn.target.kind = Target::Kind::kUserHead;
    turn.speed_deg_s = speed_deg_s;
    node = std::make_unique<FeetNode>(
        parts, std::make_unique<TurnToNode>(parts, IdleOrRest(rig, idle), turn), FeetSettings{});
  }
  // Ticks for so long, and measures.
  void Run(double seconds, int hz = kTurnHz) {
    for (int k = 0; k < static_cast<int>(seconds * hz + 0.5); ++k) {
      const AllocationCount allocations;
      stage.Tick(*node, 1.0 / hz);
      EXPECT_EQ(allocations.count(), 0);
      Watch(hz);
    }
  }
  void Watch(int hz) {
    const gesture::Forward at(*rig, stage.pose.view(), rig->rest());
    for (size_t side = 0; side < 2; ++side) {
      const BodyParts::Limb& leg = parts->legs[side];
      const auto ankle = static_cast<size_t>(leg.end);
      deepest = std::max(deepest, parts->rest_at[ankle].y - at.at[ankle].y);
      if (const int toe = parts->toes[side]; toe >= 0) {
        const auto i = static_cast<size_t>(toe);
        deepest = std::max(deepest, parts->rest_at[i].y - at.at[i].y);
      }
      highest = std::max(highest, at.at[ankle].y - parts->rest_at[ankle].y);
      if (stage.tick < 3) {
        // Feet are taken at the second tick.
        held_at[side] = at.at[ankle], held_turn[side] = at.turn[ankle];
      } else if (node->steps(side)) {
        if (was_held[side]) steps.push_back(static_cast<int>(side));
      } else {
        ASSERT_TRUE(node->held(side)) << stage.tick;
        if (!was_held[side]) held_at[side] = at.at[ankle], held_turn[side] = at.turn[ankle];
        const Vec3 off = at.at[ankle] - held_at[side];
        slid = std::max(slid, std::hypot(off.x, off.z));
        turned = std::max(turned, AngleBetween(held_turn[side], at.turn[ankle]) * kDegrees);
      }
      was_held[side] = node->held(side);
      // How far the knee is before the line from hip to ankle.
      const auto middle = static_cast<size_t>(leg.middle);
      const Vec3 hip = at.at[static_cast<size_t>(leg.start)];
      const Vec3 line = Normalized(at.at[ankle] - hip), to_knee = at.at[middle] - hip;
      const Quat turn = Mul(at.turn[middle], Conjugate(parts->rest_turn[middle]));
      knee = std::min(knee, Dot(to_knee - line * Dot(to_knee, line), Rotate(turn, {0, 0, 1})));
    }
    const auto left = static_cast<size_t>(parts->legs[0].end),
               right = static_cast<size_t>(parts->legs[1].end);
    const Vec3 across = at.at[left] - at.at[right];
    nearest = std::min(nearest, std::hypot(across.x, across.z));
    const Quat l = Mul(at.turn[left], Conjugate(parts->rest_turn[left])),
               r = Mul(at.turn[right], Conjugate(parts->rest_turn[right]));
    const Vec3 lz = Rotate(l, {0, 0, 1}), rz = Rotate(r, {0, 0, 1});
    const float turn_in = std::atan2(lz.z * rz.x - lz.x * rz.z, lz.x * rz.x + lz.z * rz.z);
    in = std::max(in, turn_in * kDegrees), out = std::max(out, -turn_in * kDegrees);
    if (stage.tick > 2) {
      const Step step = LargestStep(stage.before.view(), stage.pose.view());
      const auto rate = static_cast<float>(hz);
      if (step.degrees * rate > fastest) fastest = step.degrees * rate, fastest_joint = step.joint;
      for (size_t j = 0; j < at.at.size(); ++j) {
        quickest = std::max(quickest, Length(at.at[j] - last[j]) * rate);
      }
    }
    last = at.at;
  }
  float Heading() const {
    const gesture::Forward at(*rig, stage.pose.view(), rig->rest());
    const auto root = static_cast<size_t>(parts->root);
    const Vec3 way = Rotate(Mul(at.turn[root], Conjugate(parts->rest_turn[root])), {0, 0, 1});
    return std::atan2(way.x, way.z) * kDegrees;
  }
  float FootHeading(size_t side) const {
    const gesture::Forward at(*rig, stage.pose.view(), rig->rest());
    const auto ankle = static_cast<size_t>(parts->legs[side].end);
    const Vec3 way = Rotate(Mul(at.turn[ankle], Conjugate(parts->rest_turn[ankle])), {0, 0, 1});
    return std::atan2(way.x, way.z) * kDegrees;
  }
  std::shared_ptr<const skel::Rig> rig;
  std::shared_ptr<const BodyParts> parts;
  Stage stage;
  std::unique_ptr<FeetNode> node;
  std::array<Vec3, 2> held_at;
  std::array<Quat, 2> held_turn;
  std::array<bool, 2> was_held{};
  std::vector<Vec3> last;
  std::vector<int> steps;  // which feet stepped, in order
  float slid = 0, turned = 0, deepest = 0, highest = 0, knee = 1, nearest = 1, in = 0, out = 0;
  float fastest = 0, quickest = 0;  // degrees and metres a second
  int fastest_joint = -1;
};

// A held foot stays, nothing sinks or pops, knees bend forwards, and feet keep out of each other.
void ExpectGood(const FeetTurner& t) {
  EXPECT_LT(t.slid, 1e-3f);
  EXPECT_LT(t.turned, 0.2f);
  EXPECT_LT(t.deepest, 1e-3f);
  EXPECT_LT(t.highest, 0.11f);
  EXPECT_GT(t.knee, -1e-3f);
  EXPECT_GT(t.nearest, 0.15f);
  EXPECT_LT(t.in, 20);
  EXPECT_LT(t.out, 60);
  EXPECT_LT(t.fastest, 12 * kDegrees) << t.rig->joint_names()[static_cast<size_t>(t.fastest_joint)];
  EXPECT_LT(t.quickest, 2.5f);
}

TEST(FeetTurn, StepsToTheUser) {
  for (const char* rig : {"hanim_loa3", "hanim_loa1", "ace_biped", "vrm"}) {
    for (float left : {30.0f, 90.0f, 170.0f, -30.0f, -90.0f, -170.0f}) {
      SCOPED_TRACE(absl::StrCat(rig, " ", left));
      FeetTurner t(rig, std::string(rig) == "hanim_loa3");
      t.Run(0.5);
      EXPECT_TRUE(t.steps.empty());
      t.stage.users = {UserAround(left)};
      t.Run(5);
      ExpectGood(t);
      EXPECT_NEAR(t.Heading(), left, 3.5f);
      for (size_t side : {0u, 1u}) EXPECT_NEAR(t.FootHeading(side), left, 3.5f);
      // One foot after the other, the one on the side of the turn first.
      ASSERT_GE(t.steps.size(), std::fabs(left) > 60 ? 4u : 2u);
      EXPECT_LE(t.steps.size(), 8u);
      EXPECT_EQ(t.steps[0], left > 0 ? 0 : 1);
      for (size_t k = 1; k < t.steps.size(); ++k) EXPECT_NE(t.steps[k], t.steps[k - 1]);
      // And then it stands.
      const size_t steps = t.steps.size();
      t.Run(4);
      EXPECT_EQ(t.steps.size(), steps);
    }
  }
}

TEST(FeetTurn, StepsTheSameAtEveryTickRate) {
  FeetTurner slow("hanim_loa3", false), quick("hanim_loa3", false);
  float far = 0;
  for (int k = 0; k < 240; ++k) {
    if (k == 20) slow.stage.users = quick.stage.users = {UserAround(150)};
    slow.Run(1.0 / 30, 30);
    quick.Run(1.0 / 30, 60);
    for (size_t j = 0; j < slow.last.size(); ++j) {
      far = std::max(far, Length(slow.last[j] - quick.last[j]));
    }
  }
  EXPECT_EQ(slow.steps, quick.steps);
  EXPECT_LT(far, 0.02f);
  for (size_t side : {0u, 1u}) EXPECT_NEAR(slow.FootHeading(side), quick.FootHeading(side), 0.5f);
}

TEST(FeetTurn, FollowsAUserWhoIsEverywhere) {
  for (const char* rig : {"hanim_loa3", "vrm"}) {
    SCOPED_TRACE(rig);
    FeetTurner t(rig, std::string(rig) == "hanim_loa3", 120);
    Random rng(5);
    t.Run(0.2);
    for (int k = 0; k < 150; ++k) {
      if (rng.Uniform() < 0.2f)
        t.stage.users.clear();
      else
        t.stage.users = {UserAround(rng.Uniform(-180, 180))};
      t.Run(rng.Uniform(0.1f, 2));
    }
    EXPECT_GT(t.steps.size(), 100u);
    ExpectGood(t);
  }
}

// Rest poses whose left foot stands elsewhere; what is below blends them.
struct Stander : FeetTurner {
  Stander() : FeetTurner("hanim_loa3", false) {
    auto below = std::make_unique<FixedNode>(*rig);
    below->pose.span().CopyFrom(rig->rest());
    fixed = below.get();
    node = std::make_unique<FeetNode>(parts, std::move(below), FeetSettings{});
  }
  void Spread(float by) {
    const BodyParts::Limb& leg = parts->legs[0];
    fixed->pose.span().SetRotation(leg.start,
                                   parts->LocalOf(leg.start, skel::FromAxisAngle({0, 0, 1}, by)));
    fixed->pose.span().SetRotation(leg.end,
                                   parts->LocalOf(leg.end, skel::FromAxisAngle({0, 0, 1}, -by)));
  }
  FixedNode* fixed;
};

TEST(FeetTurn, FeetStayThroughAnEaseAndThenStepToWhereThePostureHasThem) {
  Stander t;
  t.Run(0.5);
  // 6 cm to the side, within half a second.
  for (int k = 1; k <= 30; ++k) {
    t.Spread(0.07f * static_cast<float>(k) / 30);
    t.Run(1.0 / kTurnHz);
  }
  EXPECT_TRUE(t.steps.empty());
  t.Run(3);
  ExpectGood(t);
  EXPECT_EQ(t.steps, std::vector<int>({0}));
  const auto left = static_cast<size_t>(t.parts->legs[0].end);
  const gesture::Forward want(*t.rig, t.fixed->pose.view(), t.rig->rest());
  EXPECT_LT(std::fabs(t.last[left].x - want.at[left].x), 0.005f);
}

TEST(FeetTurn, LeavesAPushedBodyAsItIsAndComesBackWithoutAPop) {
  FeetTurner t("hanim_loa3");
  skel::Pose pushed(t.rig->joints(), t.rig->shapes());
  const BodyParts::Limb& leg = t.parts->legs[0];
  pushed.span().SetRotation(leg.start, t.rig->rest().rotation(leg.start));
  ProviderInput source;
  source.playback_id = 1;
  source.pose = pushed.view();
  FeetTurner swings("hanim_loa3");
  TurnToSettings turn;
  turn.target.kind = Target::Kind::kUserHead;
  auto plain = std::make_unique<TurnToNode>(swings.parts, *IdleNode::Make(swings.rig), turn);
  const auto tick_both = [&](int ticks) {
    for (int k = 0; k < ticks; ++k) {
      t.stage.Tick(*t.node, 1.0 / kTurnHz);
      swings.stage.Tick(*plain, 1.0 / kTurnHz);
      const Step step = LargestStep(t.stage.before.view(), t.stage.pose.view());
      EXPECT_LT(t.stage.tick > 2 ? step.degrees * kTurnHz : 0, 12 * kDegrees) << t.stage.tick;
    }
  };
  tick_both(30);
  t.stage.users = swings.stage.users = {UserAround(60)};
  for (int k = 0; k < 60 && !t.node->steps(0); ++k) tick_both(1);
  tick_both(12);
  EXPECT_TRUE(t.node->steps(0));  // half way
  t.stage.inputs.providers = {&source, 1};
  tick_both(120);
  for (int k = 0; k < 60; ++k) {
    tick_both(1);
    EXPECT_TRUE(SameBytes(t.stage.pose.view(), swings.stage.pose.view()));
  }
  source.suspended = true;
  tick_both(60);
  EXPECT_TRUE(t.node->held(0) && t.node->held(1));
}

}  // namespace
}  // namespace posewire::graph
