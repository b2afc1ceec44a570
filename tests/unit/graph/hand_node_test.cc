#include "libs/graph/hand_node.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "libs/graph/hand_way.h"
#include "libs/skel/hand_grip.h"
#include "libs/skel/limit_job.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/graph/look_at_helpers.h"

namespace posewire::graph {
namespace {

using skel::HandGrip;
using skel::Placement;
using skel::Quat;
using skel::Vec3;

TEST(HandGrip, HasItsPalmInsideAndItsThumbInFrontOfAHandThatHangs) {
  const auto rig = BuiltinRig("hanim_loa3");
  for (int side = 0; side < 2; ++side) {
    const HandGrip grip = GripOf(*rig, side);
    ASSERT_TRUE(grip.complete());
    EXPECT_EQ(grip.finger_count, 15);
    const Placement at = PlaceOfGrip(*rig, rig->rest(), grip);
    EXPECT_LT(Rotate(at.turn, {0, 0, 1}).y, -0.9f) << "fingers hang";
    EXPECT_GT(Rotate(at.turn, {0, 1, 0}).z, 0.8f) << "the thumb is in front";
    const Vec3 palm = Rotate(at.turn, {side == 0 ? -1.0f : 1.0f, 0, 0});
    EXPECT_GT(palm.x * (side == 0 ? -1.0f : 1.0f), 0.8f) << "the palm is towards the thigh";
  }
}

TEST(HandGrip, IsThereOnEveryRigWithHands) {
  for (const char* name : {"hanim_loa1", "hanim_loa2", "hanim_loa4", "ace_biped", "vrm"}) {
    const auto rig = BuiltinRig(name);
    for (int side = 0; side < 2; ++side) {
      const HandGrip grip = GripOf(*rig, side);
      ASSERT_TRUE(grip.complete()) << name;
      const Placement at = PlaceOfGrip(*rig, rig->rest(), grip);
      EXPECT_GT(Rotate(at.turn, {0, 1, 0}).z, 0.5f) << name << ": the thumb is in front";
      EXPECT_NEAR(Length(grip.in_wrist.at), 0.09f, 0.03f) << name;
    }
  }
  EXPECT_FALSE(GripOf(*BuiltinRig("hanim_loa0"), 0).complete());
}

TEST(HandGrip, ClosesFingersIntoThePalm) {
  for (const char* name : {"hanim_loa3", "ace_biped"}) {
    const auto rig = BuiltinRig(name);
    for (int side = 0; side < 2; ++side) {
      const HandGrip grip = GripOf(*rig, side);
      skel::Pose pose(rig->joints(), rig->shapes());
      pose.span().CopyFrom(rig->rest());
      const auto bone =
          side == 0 ? skel::HumanBone::kLeftMiddleDistal : skel::HumanBone::kRightMiddleDistal;
      const int tip = rig->humanoid().joint(bone);
      const auto inside = [&] {
        const Placement hand = PlaceOfGrip(*rig, pose.view(), grip);
        return Rotate(Conjugate(hand.turn), PlaceOf(*rig, pose.view(), tip).at - hand.at);
      };
      const Vec3 open = inside();
      CloseFingers(*rig, grip, 1, pose.span());
      const Vec3 closed = inside();
      const float palm = side == 0 ? -1.0f : 1.0f;
      EXPECT_GT((closed.x - open.x) * palm, 0.02f) << name << " " << side;
      EXPECT_LT(closed.z, open.z - 0.01f) << name << " " << side;
    }
  }
}

TEST(ReachTime, GrowsWithTheLogarithmOfTheWay) {
  EXPECT_NEAR(ReachTime(0.4f, 0), 0.8, 0.1);  // Jeannerod 1984: 0.8 s to a cup at 40 cm
  const double a = ReachTime(0.1f, 0), b = ReachTime(0.2f, 0), c = ReachTime(0.4f, 0);
  EXPECT_LT(a, b);
  EXPECT_NEAR(c - b, b - a, 0.06) << "a bit more for each doubling";
  EXPECT_GT(ReachTime(0.1f, 1.5f), a);
}

TEST(HandWay, IsBellShapedAndArrivesAtRest) {
  HandWay way;
  const Placement from{{0, 0.8f, 0}, {}}, to{{0.1f, 0.9f, 0.45f}, skel::Exp({0, 0.6f, 0})};
  way.Begin(from, to, 0.9);
  std::vector<float> speeds;
  Vec3 before = from.at;
  while (!way.arrived()) {
    const Vec3 at = way.Step(to, 0.01).at;
    speeds.push_back(Length(at - before) / 0.01f);
    before = at;
  }
  EXPECT_LT(Length(before - to.at), 1e-5f);
  EXPECT_LT(AngleBetween(way.shown().turn, to.turn), 1e-4f);
  const auto most = std::max_element(speeds.begin(), speeds.end());
  // The peak of the least jerk is 1.875 times the mean speed, in the middle.
  EXPECT_NEAR(*most, 1.875f * Length(to.at - from.at) / 0.9f, 0.25f);
  EXPECT_NEAR(static_cast<float>(most - speeds.begin()) / static_cast<float>(speeds.size()), 0.5f,
              0.12f);
  EXPECT_LT(speeds.front(), 0.05f);
  EXPECT_LT(speeds.back(), 0.05f);
}

TEST(HandWay, ANewGoalInMidWayChangesNeitherPlaceNorSpeed) {
  HandWay way;
  const Placement from{}, to{{0, 0, 0.5f}, {}}, other{{0.4f, 0, 0.1f}, {}};
  way.Begin(from, to, 0.8);
  Vec3 at, speed;
  const auto step = [&](const Placement& goal) {
    const Vec3 before = at;
    at = way.Step(goal, 0.005).at;
    return (at - before) * 200;
  };
  for (int i = 0; i < 80; ++i) speed = step(to);
  way.Begin(from, other, 0.7);
  const Vec3 now = step(other);
  EXPECT_LT(Length(now - speed), 0.1f);
  while (!way.arrived()) step(other);
  EXPECT_LT(Length(at - other.at), 1e-5f);
}

// A cup that can be taken from any side, and who reaches for it.
struct Table {
  explicit Table(const char* rig_name = "hanim_loa3", int side = 1, const char* carry = "")
      : rig(BuiltinRig(rig_name)),
        parts(std::make_shared<const BodyParts>(rig)),
        stage(rig, {ChoiceVariable("hand", {"none", "cup", "there"})}),
        grip(GripOf(*rig, side)) {
    auto below = std::make_unique<FixedNode>(*rig);
    below->pose.span().CopyFrom(rig->rest());
    // Arms hang, also of a rig that has them stretched out.
    for (const auto& arm : parts->arms) {
      const Vec3 way = Normalized(parts->rest_at[static_cast<size_t>(arm.middle)] -
                                  parts->rest_at[static_cast<size_t>(arm.start)]);
      if (std::fabs(way.x) < 0.7f) continue;
      skel::TurnInModel(*rig, arm.start, skel::BetweenDirections(way, {0.1f * way.x, -1, 0}),
                        below->pose.span());
    }
    fixed = below.get();
    HandSettings settings;
    settings.side = side;
    settings.choice.variable = 0;
    settings.choice.of_choice = {-1, 0, 1};
    HandSettings::Goal cup, there;
    cup.target.kind = Target::Kind::kProp;
    cup.target.name = "cup", cup.target.who = "cup", cup.target.part = "side";
    there.target.kind = Target::Kind::kPoint;
    there.target.name = "there", there.target.point = {-0.1f, 1.1f, 0.35f};
    there.carry = carry;
    settings.goals = {cup, there};
    node = std::make_unique<HandNode>("hand", parts, std::move(below), settings);
    sites[0].name = "side";
    sites[0].any_side = true;
    sites[1].name = "bottom";
    Put({side == 0 ? 0.12f : -0.12f, 0.85f, 0.42f});
  }
  void Put(Vec3 at) {
    prop.name = "cup";
    prop.place.at = at;
    sites[0].place = {at + Vec3{0, 0.05f, 0}, {}};
    sites[1].place = {at, {}};
    prop.sites = sites;
    props = {prop};
  }
  void Choose(int value) {
    Value v;
    v.number = value;
    stage.variables.Set(0, v);
  }
  void Tick(int times = 1) {
    for (int i = 0; i < times; ++i) {
      stage.inputs.props = props;
      const AllocationCount allocations;
      stage.Tick(*node);
      EXPECT_EQ(allocations.count(), 0);
      for (int k = 0; k < stage.outputs.event_count; ++k) {
        events.push_back(stage.outputs.events[static_cast<size_t>(k)].kind);
      }
      const Vec3 at = Hand().at;
      if (begun) fastest = std::max(fastest, Length(at - last) * 30);
      begun = true;
      last = at;
      const auto& arm = parts->arms[grip.side == 0 ? 0 : 1];
      const Vec3 a = Place(arm.start), b = Place(arm.middle), c = Place(arm.end);
      const Vec3 axis = Rotate(
          skel::TurnOf(*rig, stage.pose.view(), rig->topology().parent(arm.middle)), arm.hinge);
      const float bend = std::atan2(Dot(Cross(b - a, c - b), axis), Dot(b - a, c - b));
      EXPECT_GT(bend * kDegrees, -3) << "an elbow backwards";
    }
  }
  Vec3 Place(int joint) const { return PlaceOf(*rig, stage.pose.view(), joint).at; }
  Placement Hand() const { return PlaceOfGrip(*rig, stage.pose.view(), grip); }
  // How far the upper body has gone forward.
  float Lean() const {
    const int chest = rig->topology().parent(parts->arms[0].start);
    return Place(chest).z - PlaceOf(*rig, fixed->pose.view(), chest).at.z;
  }

  std::shared_ptr<const skel::Rig> rig;
  std::shared_ptr<const BodyParts> parts;
  Stage stage;
  HandGrip grip;
  FixedNode* fixed;
  std::unique_ptr<HandNode> node;
  PropSiteInput sites[2];
  PropInput prop;
  std::vector<PropInput> props;
  std::vector<GraphEvent::Kind> events;
  bool begun = false;
  Vec3 last;
  float fastest = 0;
};

TEST(HandNode, TakesTheHandToTheSiteAndTellsIt) {
  for (const char* name : {"hanim_loa3", "ace_biped", "vrm"}) {
    for (int side = 0; side < 2; ++side) {
      Table t(name, side);
      t.Put({side == 0 ? 0.15f : -0.15f, 1.0f, 0.38f});
      t.Tick(10);
      const Placement hangs = t.Hand();
      t.Choose(1);
      t.Tick(5);
      EXPECT_LT(Length(t.Hand().at - hangs.at), 0.02f) << "the eyes go first";
      t.Tick(50);
      EXPECT_LT(Length(t.Hand().at - t.sites[0].place.at), 0.015f) << name << side;
      EXPECT_GT(Rotate(t.Hand().turn, {0, 1, 0}).y, 0.9f) << name << side << ": thumb up";
      ASSERT_EQ(t.events.size(), 1u) << name << side;
      EXPECT_EQ(t.events[0], GraphEvent::kPropReached);
      EXPECT_LT(t.fastest, 2.2f);
      EXPECT_GT(t.fastest, 0.5f);
      EXPECT_LT(t.Lean(), 0.12f) << "near enough to stand upright";
      t.Choose(0);
      t.Tick(60);
      EXPECT_LT(Length(t.Hand().at - hangs.at), 1e-4f) << "and back";
      EXPECT_EQ(t.events.size(), 1u);
    }
  }
}

TEST(HandNode, LeansWhereTheArmIsTooShort) {
  Table t;
  t.Put({-0.1f, 0.9f, 0.68f});
  t.Choose(1);
  t.Tick(80);
  EXPECT_GT(t.Lean(), 0.08f);
  EXPECT_LT(Length(t.Hand().at - t.sites[0].place.at), 0.03f);
  ASSERT_EQ(t.events.size(), 1u);
  EXPECT_EQ(t.events[0], GraphEvent::kPropReached);
}

TEST(HandNode, ComesAsNearAsItCanToWhatIsOutOfReach) {
  Table t;
  const Vec3 far{-0.3f, 1.3f, 3};
  t.Put(far);
  t.Choose(1);
  t.Tick(120);
  ASSERT_EQ(t.events.size(), 1u);
  EXPECT_EQ(t.events[0], GraphEvent::kPropOutOfReach);
  const Vec3 shoulder = t.Place(t.parts->arms[1].start), hand = t.Hand().at;
  EXPECT_LT(Length(Normalized(hand - shoulder) - Normalized(far - shoulder)), 0.25f)
      << "stretched towards it";
}

TEST(HandNode, FollowsAThingThatMovesAndNeverJumps) {
  Table t;
  t.Choose(1);
  t.Tick(60);
  t.fastest = 0;
  for (int i = 0; i < 40; ++i) {
    t.Put({-0.12f + 0.005f * static_cast<float>(i), 0.85f, 0.42f});
    t.Tick();
  }
  EXPECT_LT(Length(t.Hand().at - t.sites[0].place.at), 0.02f);
  EXPECT_LT(t.fastest, 0.5f);
  t.Put({-0.3f, 1.1f, 0.3f});  // somebody puts it elsewhere
  t.Tick(60);
  EXPECT_LT(Length(t.Hand().at - t.sites[0].place.at), 0.02f);
  EXPECT_LT(t.fastest, 2.5f);
  t.props.clear();
  t.fastest = 0;
  t.Tick(60);
  EXPECT_LT(t.fastest, 2.5f) << "it is gone, and the hand goes back";
  EXPECT_LT(t.Hand().at.y, 0.9f);
}

TEST(HandNode, BringsWhatItCarriesUprightToAPlace) {
  Table t("hanim_loa3", 1, "bottom");
  t.Choose(1);
  t.Tick(60);
  // From now on it is in the hand, with its bottom 5 cm below the palm.
  t.prop.hand = 1;
  t.sites[1].in_hand = {{0, -0.05f, 0}, {}};
  t.props = {t.prop};
  t.props[0].sites = t.sites;
  t.Choose(2);
  t.Tick(60);
  const Placement bottom = t.Hand() * t.sites[1].in_hand;
  EXPECT_LT(Length(bottom.at - Vec3{-0.1f, 1.1f, 0.35f}), 0.02f);
  EXPECT_GT(Rotate(bottom.turn, {0, 1, 0}).y, 0.95f);
}

TEST(HandNode, LetsTheBodyBeWithoutAGoal) {
  Table t;
  t.Tick(30);
  EXPECT_TRUE(SameBytes(t.stage.pose.view(), t.fixed->pose.view()));
  EXPECT_TRUE(t.events.empty());
}

}  // namespace
}  // namespace posewire::graph
