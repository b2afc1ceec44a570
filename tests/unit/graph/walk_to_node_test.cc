// A body that goes somewhere walks there on its feet: measured by plain forward kinematics.
#include "libs/graph/walk_to_node.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/graph/feet_node.h"
#include "libs/graph/idle_node.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/graph/look_at_helpers.h"

namespace posewire::graph {
namespace {

using skel::Quat;
using skel::Vec3;

constexpr int kWalkHz = 60;

WalkToSettings::Goal At(const char* name, Vec3 place, double stop_m = 0) {
  WalkToSettings::Goal goal;
  goal.target.kind = Target::Kind::kPoint, goal.target.point = place, goal.target.name = name;
  goal.stop_m = stop_m;
  return goal;
}

// Idle, or the rest pose, that walks; and its feet.
struct Walker {
  Walker(const char* rig_name, std::vector<WalkToSettings::Goal> goals, double speed_m_s = 1.2,
         bool idle = true)
      : rig(BuiltinRig(rig_name)),
        parts(std::make_shared<const BodyParts>(rig)),
        stage(rig, {ChoiceVariable("place", {"none", "a", "b", "c"})}) {
    WalkToSettings settings;
    settings.goals = std::move(goals);
    settings.choice.variable = 0;
    settings.choice.of_choice = {-1, 0, 1, 2};
    settings.face.kind = Target::Kind::kUserHead;
    settings.speed_m_s = speed_m_s;
    auto way = std::make_unique<WalkToNode>("way", parts, IdleOrRest(rig, idle), settings);
    walk = way.get();
    feet = std::make_unique<FeetNode>(parts, std::move(way), FeetSettings{});
  }
  void Go(int choice) {
    Value value;
    value.number = choice;
    stage.variables.Set(0, value);
  }
  // As a graph's loader has it, which is no Set.
  void Choose(int choice) {
    Value value;
    value.number = choice;
    stage.variables.Settle(0, value);
  }
  void Run(double seconds, int hz = kWalkHz) {
    for (int k = 0; k < static_cast<int>(seconds * hz + 0.5); ++k) {
      const AllocationCount allocations;
      stage.Tick(*feet, 1.0 / hz);
      EXPECT_EQ(allocations.count(), 0);
      for (int e = 0; e < stage.outputs.event_count; ++e) {
        const GraphEvent& event = stage.outputs.events[static_cast<size_t>(e)];
        events.push_back(absl::StrCat(event.node, " ", event.name));
        EXPECT_EQ(event.kind, GraphEvent::kPlaceReached);
      }
      Watch(static_cast<float>(hz));
    }
  }
  // The sole's heel and ball, from the ankle's place and turn.
  Vec3 Heel(size_t side, const gesture::Forward& at) const {
    const auto ankle = static_cast<size_t>(parts->legs[side].end);
    const Quat turn = Mul(at.turn[ankle], Conjugate(parts->rest_turn[ankle]));
    return at.at[ankle] + Rotate(turn, {0, -parts->rest_at[ankle].y, -0.035f * parts->height_m});
  }
  Vec3 Ball(size_t side, const gesture::Forward& at) const {
    const auto ankle = static_cast<size_t>(parts->legs[side].end);
    const int toe = parts->toes[side];
    const float front = toe >= 0
                            ? parts->rest_at[static_cast<size_t>(toe)].z - parts->rest_at[ankle].z
                            : 0.11f * parts->height_m;
    const Quat turn = Mul(at.turn[ankle], Conjugate(parts->rest_turn[ankle]));
    return at.at[ankle] + Rotate(turn, {0, -parts->rest_at[ankle].y, front});
  }
  void Watch(float hz) {
    const gesture::Forward at(*rig, stage.pose.view(), rig->rest());
    for (size_t side = 0; side < 2; ++side) {
      const BodyParts::Limb& leg = parts->legs[side];
      const Vec3 heel = Heel(side, at), ball = Ball(side, at);
      deepest = std::max({deepest, -heel.y, -ball.y});
      // What bears the weight stays where it is: the lower of heel and ball.
      const bool on_heel = heel.y < ball.y;
      const bool stands = !feet->steps(side);
      if (stage.tick > 3 && stands && stood[side]) {
        const Vec3 now = on_heel ? heel : ball, then = on_heel ? last_heel[side] : last_ball[side];
        slid[side] += std::hypot(now.x - then.x, now.z - then.z);
        most_slid = std::max(most_slid, slid[side]);
      } else {
        if (stood[side] && !stands) ++steps;
        slid[side] = 0;
      }
      stood[side] = stands, last_heel[side] = heel, last_ball[side] = ball;
      const Vec3 hip = at.at[static_cast<size_t>(leg.start)];
      const Vec3 knee_at = at.at[static_cast<size_t>(leg.middle)];
      const Vec3 ankle_at = at.at[static_cast<size_t>(leg.end)];
      const Vec3 thigh = Normalized(knee_at - hip), shin = Normalized(ankle_at - knee_at);
      knee[side] = std::acos(std::clamp(Dot(thigh, shin), -1.0f, 1.0f)) * kDegrees;
      const Quat turn = Mul(at.turn[static_cast<size_t>(leg.middle)],
                            Conjugate(parts->rest_turn[static_cast<size_t>(leg.middle)]));
      const Vec3 line = Normalized(ankle_at - hip), to_knee = knee_at - hip;
      knee_front =
          std::min(knee_front, Dot(to_knee - line * Dot(to_knee, line), Rotate(turn, {0, 0, 1})));
    }
    if (stage.tick > 2) {
      const Step step = LargestStep(stage.before.view(), stage.pose.view());
      if (step.degrees * hz > fastest) fastest = step.degrees * hz, fastest_joint = step.joint;
      for (size_t j = 0; j < at.at.size(); ++j) {
        quickest = std::max(quickest, Length(at.at[j] - last[j]) * hz);
      }
    }
    last = at.at;
  }
  // How far the middle between the feet is from a place on the ground.
  float Off(Vec3 place) const {
    const gesture::Forward at(*rig, stage.pose.view(), rig->rest());
    const Vec3 left = at.at[static_cast<size_t>(parts->legs[0].end)];
    const Vec3 right = at.at[static_cast<size_t>(parts->legs[1].end)];
    const Vec3 off = Lerp(left, right, 0.5f) - place;
    return std::hypot(off.x, off.z);
  }
  float Heading() const {
    const gesture::Forward at(*rig, stage.pose.view(), rig->rest());
    const auto root = static_cast<size_t>(parts->root);
    const Vec3 way = Rotate(Mul(at.turn[root], Conjugate(parts->rest_turn[root])), {0, 0, 1});
    return std::atan2(way.x, way.z) * kDegrees;
  }
  std::shared_ptr<const skel::Rig> rig;
  std::shared_ptr<const BodyParts> parts;
  Stage stage;
  std::unique_ptr<FeetNode> feet;
  WalkToNode* walk = nullptr;
  std::vector<std::string> events;
  std::array<Vec3, 2> last_heel, last_ball;
  std::array<bool, 2> stood{};
  std::array<float, 2> slid{}, knee{};
  std::vector<Vec3> last;
  int steps = 0;
  float most_slid = 0, deepest = 0, knee_front = 1, fastest = 0, quickest = 0;
  int fastest_joint = -1;
};

// Nothing slides, sinks or pops, knees bend forwards, and nobody moves faster than people who walk.
void ExpectGood(const Walker& w) {
  EXPECT_LT(w.most_slid, 5e-3f);
  EXPECT_LT(w.deepest, 2e-3f);
  EXPECT_GT(w.knee_front, -1e-3f);
  EXPECT_LT(w.fastest, 1000) << w.rig->joint_names()[static_cast<size_t>(w.fastest_joint)];
  EXPECT_LT(w.quickest, 5.5f);
}

TEST(WalkTo, WalksThereAndStops) {
  for (const char* rig : {"hanim_loa3", "hanim_loa1", "ace_biped", "vrm"}) {
    for (const Vec3 to : {Vec3{0, 0, 3}, Vec3{2, 0, 1}, Vec3{-3, 0, 0}, Vec3{0.5f, 0, -3},
                          Vec3{0.5f, 0, 0}, Vec3{0, 0, -0.5f}, Vec3{-0.2f, 0, 0.1f}}) {
      for (float speed : {0.6f, 1.2f, 1.7f}) {
        SCOPED_TRACE(absl::StrCat(rig, " ", to.x, " ", to.z, " at ", speed));
        Walker w(rig, {At("a", to)}, speed, std::string(rig) == "hanim_loa3");
        w.Run(0.5);
        EXPECT_EQ(w.steps, 0);
        w.Go(1);
        w.Run(5 + Length(to) / speed);
        EXPECT_EQ(w.events, std::vector<std::string>{"way a"});
        EXPECT_FALSE(w.feet->walks());
        EXPECT_LT(w.Off(to), 0.035f);
        ExpectGood(w);
      }
    }
  }
}

// 1.2 m/s are 100 to 120 steps a minute of 0.6 to 0.72 m in adults (Sekiya and Nagasaki, 1998), and
// shorter, quicker ones in a body with shorter legs.
TEST(WalkTo, StepsAsPeopleDo) {
  for (const auto& [speed, fewest, most] : {std::tuple{0.6f, 70.0f, 95.0f},
                                            {0.9f, 85.0f, 110.0f},
                                            {1.2f, 100.0f, 125.0f},
                                            {1.6f, 115.0f, 140.0f}}) {
    Walker w("hanim_loa3", {At("a", {0, 0, 40})}, speed);
    w.Run(0.5);
    w.Go(1);
    w.Run(5);
    const int steps = w.steps;
    const float from = w.walk->place().z;
    w.Run(15);
    const auto a_minute = static_cast<float>(w.steps - steps) * 4;
    EXPECT_NEAR((w.walk->place().z - from) / 15, speed, 0.02f);
    EXPECT_GT(a_minute, fewest) << speed;
    EXPECT_LT(a_minute, most) << speed;
    ExpectGood(w);
  }
}

TEST(WalkTo, GoesFromPlaceToPlaceAndTurnsToTheUser) {
  Walker w("hanim_loa3", {At("left", {1.5f, 0, 0.5f}), At("right", {-1.5f, 0, 1}), At("home", {})});
  w.stage.users = {UserAt({0, 1.6f, 3}, {0, 1.6f, 0})};
  w.Run(0.5);
  const Vec3 places[] = {{1.5f, 0, 0.5f}, {-1.5f, 0, 1}, {}};
  for (int k = 0; k < 3; ++k) {
    w.Go(k + 1);
    w.Run(9);
    const Vec3 at = places[k];
    EXPECT_LT(w.Off(at), 0.03f) << k;
    EXPECT_NEAR(w.Heading(), std::atan2(-at.x, 3 - at.z) * kDegrees, 3) << k;
  }
  EXPECT_EQ(w.events, (std::vector<std::string>{"way left", "way right", "way home"}));
  ExpectGood(w);
}

// A metre before somebody, and after somebody who goes; somebody who comes is not backed away from.
TEST(WalkTo, FollowsAUser) {
  WalkToSettings::Goal to_user;
  to_user.target.kind = Target::Kind::kUserHead, to_user.target.name = "user";
  to_user.stop_m = 1;
  Walker w("hanim_loa3", {to_user});
  w.stage.users = {UserAt({0, 1.6f, 3}, {0, 1.6f, 0})};
  w.Run(0.5);
  w.Go(1);
  w.Run(8);
  EXPECT_LT(w.Off({0, 0, 2}), 0.03f);
  EXPECT_EQ(w.events, (std::vector<std::string>{"way user"}));
  // A little is not followed.
  w.stage.users[0].head = {0, 1.6f, 3.3f};
  w.Run(3);
  EXPECT_LT(w.Off({0, 0, 2}), 0.03f);
  w.stage.users[0].head = {2, 1.6f, 3.3f};
  w.Run(8);
  const float away = std::hypot(2.0f, 1.3f);
  EXPECT_LT(w.Off({2 - 2 / away, 0, 3.3f - 1.3f / away}), 0.05f);
  EXPECT_NEAR(w.Heading(), std::atan2(2.0f, 1.3f) * kDegrees, 4);
  const Vec3 before = w.walk->place();
  w.stage.users[0].head = {w.walk->place().x + 0.5f, 1.6f, w.walk->place().z + 0.3f};
  w.Run(3);
  EXPECT_LT(Length(w.walk->place() - before), 0.02f);
  // Told once: it was one goal.
  EXPECT_EQ(w.events.size(), 1u);
  ExpectGood(w);
}

TEST(WalkTo, ChangesItsMindOnTheWay) {
  Walker w("hanim_loa3", {At("a", {0, 0, 4}), At("b", {-2, 0, 1}), At("c", {3, 0, 0})});
  w.Run(0.5);
  w.Go(1);
  w.Run(2.2);
  w.Go(2);
  w.Run(1.7);
  w.Go(3);
  w.Run(1.9);
  w.Go(0);
  w.Run(3);
  EXPECT_FALSE(w.feet->walks());
  EXPECT_TRUE(w.events.empty());
  const Vec3 stopped = w.walk->place();
  w.Run(2);
  EXPECT_LT(Length(w.walk->place() - stopped), 1e-3f);
  w.Go(3);
  w.Run(8);
  EXPECT_LT(w.Off({3, 0, 0}), 0.03f);
  ExpectGood(w);
}

TEST(WalkTo, IsTheSameAtOtherTickRates) {
  int steps[3];
  for (int k = 0; k < 3; ++k) {
    const int hz[] = {25, 60, 120};
    Walker w("hanim_loa3", {At("a", {1, 0, 3})});
    w.Run(1, hz[k]);
    w.Go(1);
    w.Run(9, hz[k]);
    EXPECT_LT(w.Off({1, 0, 3}), 0.035f) << hz[k];
    EXPECT_LT(w.most_slid, 5e-3f) << hz[k];
    steps[k] = w.steps;
  }
  EXPECT_NEAR(steps[0], steps[1], 1);
  EXPECT_NEAR(steps[1], steps[2], 1);
}

// A new version of the graph goes on from where the body is.
TEST(WalkTo, GoesOnInANewGraph) {
  Walker w("hanim_loa3", {At("a", {0, 0, 3})});
  w.Run(0.5);
  w.Go(1);
  w.Run(2);
  Walker other("hanim_loa3", {At("a", {0, 0, 3})});
  other.walk->Adopt(*w.walk);
  other.feet->Adopt(*w.feet);
  EXPECT_TRUE(other.feet->walks());
  other.Go(1);
  const float before = w.Off({});
  other.Run(1.0 / kWalkHz);
  EXPECT_NEAR(other.Off({}), before, 0.1f);
  other.Run(6);
  EXPECT_LT(other.Off({0, 0, 3}), 0.03f);
  EXPECT_EQ(other.events, (std::vector<std::string>{"way a"}));
}

// Where it has come to is not told again because a graph was replaced, whatever its goals' order.
TEST(WalkTo, ANewGraphDoesNotReportAnArrivalAgain) {
  Walker w("hanim_loa3", {At("a", {0, 0, 1}), At("b", {0, 0, 2})});
  w.Run(0.5);
  w.Go(1);
  w.Run(5);
  EXPECT_EQ(w.events.size(), 1u);
  Walker other("hanim_loa3", {At("b", {0, 0, 2}), At("a", {0, 0, 1})});
  other.stage.variables.Adopt(w.stage.variables);
  other.Choose(2);
  other.walk->Adopt(*w.walk);
  other.feet->Adopt(*w.feet);
  other.Run(3);
  EXPECT_TRUE(other.events.empty());
  EXPECT_LT(other.Off({0, 0, 1}), 0.03f);
}

// Whatever is asked for and however time goes: numbers stay numbers, and nobody leaves the ground.
TEST(WalkTo, StandsAnything) {
  Random rng(9);
  for (int run = 0; run < 40; ++run) {
    Walker w(run % 2 == 0 ? "hanim_loa3" : "vrm",
             {At("a", {0, 0, 3}), At("b", {-2, 0, 0.4f}, 0.5), At("c", {1e4f, 0, -1e4f})},
             rng.Uniform(0, 3), run % 4 == 0);
    for (int k = 0; k < 400; ++k) {
      if (rng.Uniform() < 0.03f) w.Go(static_cast<int>(rng.Next() % 4));
      if (rng.Uniform() < 0.02f) {
        const float x =
            rng.Uniform() < 0.1f ? std::numeric_limits<float>::quiet_NaN() : rng.Uniform(-5, 5);
        w.stage.users = {UserAt({x, 1.6f, rng.Uniform(-5, 5)}, {0, 1.6f, 0})};
      }
      if (rng.Uniform() < 0.02f) w.stage.users.clear();
      const float draw = rng.Uniform();
      w.stage.Tick(*w.feet, draw < 0.02f ? 0 : draw < 0.04f ? 2.5 : rng.Uniform(0.005f, 0.1f));
      const gesture::Forward at(*w.rig, w.stage.pose.view(), w.rig->rest());
      for (const Vec3& joint : at.at) {
        ASSERT_TRUE(std::isfinite(joint.x + joint.y + joint.z)) << run << " " << k;
        ASSERT_GT(joint.y, -0.3f) << run << " " << k;
        ASSERT_LT(joint.y, 2.2f) << run << " " << k;
      }
    }
  }
}

}  // namespace
}  // namespace posewire::graph
