#include "libs/graph/look_at_node.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "libs/graph/clip_node.h"
#include "libs/graph/idle_node.h"
#include "libs/skel/limit_job.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/graph/look_at_helpers.h"

namespace posewire::graph {
namespace {

using skel::Vec3;

Target UserHead() {
  Target target;
  target.kind = Target::Kind::kUserHead;
  target.name = "user";
  return target;
}
Target Fixed(Vec3 at, const char* name = "point") {
  Target target;
  target.kind = Target::Kind::kPoint;
  target.name = name;
  target.point = at;
  return target;
}

// A look-at node over a fixed rest pose, or over idle.
struct Looker {
  explicit Looker(LookAtSettings settings, const char* rig_name = "hanim_loa3", bool idle = false)
      : rig(BuiltinRig(rig_name)), parts(std::make_shared<const BodyParts>(rig)) {
    if (settings.groups.empty()) settings.groups = UsualLookGroups(*parts);
    std::unique_ptr<Node> below;
    if (idle) {
      below = *IdleNode::Make(rig);
    } else {
      auto fixed_node = std::make_unique<FixedNode>(*rig);
      fixed_node->pose.span().CopyFrom(rig->rest());
      fixed = fixed_node.get();
      below = std::move(fixed_node);
    }
    node = std::make_unique<LookAtNode>(parts, std::move(below), std::move(settings));
  }
  std::shared_ptr<const skel::Rig> rig;
  std::shared_ptr<const BodyParts> parts;
  FixedNode* fixed = nullptr;
  std::unique_ptr<LookAtNode> node;
};

LookAtSettings LooksAt(std::vector<Target> targets) {
  LookAtSettings settings;
  settings.targets = std::move(targets);
  return settings;
}

Vec3 Around(float left_deg, float up_deg, float distance) {
  return Vec3{0, 1.66f, 0.1f} + DirectionOf({left_deg / kDegrees, up_deg / kDegrees}) * distance;
}

LookAngles LeftEye(const skel::Rig& rig, const skel::PoseView& pose) {
  const auto w = [&](const char* name) { return pose.weights[rig.FindShape(name)]; };
  return {(w("eyeLookOutLeft") - w("eyeLookInLeft")) * kLookAcrossDegrees / kDegrees,
          (w("eyeLookUpLeft") - w("eyeLookDownLeft")) * kLookUpDegrees / kDegrees};
}

void ExpectWithinLimits(const skel::Rig& rig, const skel::PoseView& pose) {
  for (int j = 0; j < rig.joints() && !rig.limits().empty(); ++j) {
    const skel::Quat held = skel::LimitedRotation(rig, j, pose.rotation(j));
    ASSERT_LT(AngleBetween(held, pose.rotation(j)) * kDegrees, 0.1f)
        << rig.joint_names()[static_cast<size_t>(j)];
  }
}

TEST(LookAtNode, TheGazeMeetsReachableTargetsByShapesAndByJointsOnEveryRig) {
  for (const char* rig : {"hanim_loa1", "hanim_loa3", "ace_biped", "vrm"}) {
    for (bool joints : {false, true}) {
      // The simplest rig has no eye joints and one joint for the whole spine.
      if (BuiltinRig(rig)->FindJoint("l_eyeball_joint") < 0 &&
          BuiltinRig(rig)->FindJoint("LeftEye") < 0) {
        continue;
      }
      for (const Vec3 at : {Around(0, 0, 2), Around(20, 5, 0.7f), Around(-60, 10, 3),
                            Around(85, -15, 2), Around(-30, -30, 1), Around(10, 25, 5)}) {
        LookAtSettings settings = LooksAt({Fixed(at)});
        settings.eye_joints = joints;
        Looker looker(settings, rig);
        Stage stage(looker.rig);
        for (int k = 0; k < 90; ++k) {
          stage.Tick(*looker.node);
          ExpectWithinLimits(*looker.rig, stage.pose.view());
        }
        EXPECT_LT(GazeMissDegrees(*looker.rig, stage.pose.view(), at), 0.5f)
            << rig << (joints ? " joints " : " shapes ") << at.x << " " << at.y << " " << at.z;
      }
    }
  }
}

TEST(LookAtNode, TheGazeMeetsWhateverIsWithinReach) {
  Random rng(12);
  for (const char* rig : {"hanim_loa3", "hanim_loa4", "ace_biped", "vrm"}) {
    for (int round = 0; round < 60; ++round) {
      const float left = rng.Uniform(-100, 100), up = rng.Uniform(-40, 30);
      const Vec3 at = Around(left, up, rng.Uniform(0.5f, 5));
      LookAtSettings settings = LooksAt({Fixed(at)});
      settings.eye_joints = round % 2 == 1;
      Looker looker(settings, rig);
      Stage stage(looker.rig);
      for (int k = 0; k < 120; ++k) stage.Tick(*looker.node);
      EXPECT_LT(GazeMissDegrees(*looker.rig, stage.pose.view(), at), 0.5f)
          << rig << " " << left << " " << up;
    }
  }
}

TEST(LookAtNode, TheGazeHoldsThroughIdleAndThroughNods) {
  Looker looker(LooksAt({Fixed(Around(35, 5, 1.5f))}), "hanim_loa3", true);
  Stage stage(looker.rig);
  for (int k = 0; k < 900; ++k) {
    stage.Tick(*looker.node);
    if (k > 60) {
      ASSERT_LT(GazeMissDegrees(*looker.rig, stage.pose.view(), Around(35, 5, 1.5f)), 2) << k;
    }
  }
  Looker nods(LooksAt({Fixed(Around(35, 5, 1.5f))}));
  Stage other(nods.rig);
  const int head = nods.rig->FindJoint("skullbase");
  float low = 10, high = -10;
  for (int k = 0; k < 300; ++k) {
    const auto nod = static_cast<float>(0.14 * std::sin(k * 0.35));
    nods.fixed->pose.span().SetRotation(head, skel::Exp({nod, 0, 0}));
    other.Tick(*nods.node);
    if (k < 100) continue;
    EXPECT_LT(GazeMissDegrees(*nods.rig, other.pose.view(), Around(35, 5, 1.5f)), 2) << k;
    const float up = AnglesOf(gesture::Forward(*nods.rig, other.pose.view(), nods.rig->rest())
                                  .Direction("skullbase", {0, 0, 1}))
                         .up;
    low = std::min(low, up), high = std::max(high, up);
  }
  // The nod is still the nod.
  EXPECT_NEAR(high - low, 0.28f, 0.04f);
}

// Degrees from `at` to the gaze of the left eye: to the left, and up.
LookAngles GazeOff(const skel::Rig& rig, const skel::PoseView& pose, Vec3 at) {
  const Ray ray = GazeOf(rig, pose, 0);
  return (AnglesOf(ray.way) - AnglesOf(at - ray.from)) * kDegrees;
}

// A clip whose author had a camera there: it glances at it, past it, down and away.
TEST(LookAtNode, AnAnimationKeepsItsGlancesRelativeToItsAuthorsCamera) {
  const Vec3 camera{0.6f, 1.6f, 1.5f};
  for (const Vec3 at : {Around(-50, 0, 2), Around(40, 12, 1.5f), camera}) {
    LookAtSettings settings = LooksAt({Fixed(at)});
    settings.authored_at = Fixed(camera);
    Looker looker(settings);
    Stage stage(looker.rig);
    const int head = looker.rig->FindJoint("skullbase");
    LookAngles head_low{10, 10}, head_high{-10, -10};
    for (int k = 0; k < 600; ++k) {
      const float t = static_cast<float>(k) / 30;
      // Around the way to the camera, which the head does not turn to fully.
      const float left = 0.3f + 0.15f * std::sin(2 * t), down = 0.1f * std::sin(3 * t);
      const skel::PoseSpan pose = looker.fixed->pose.span();
      pose.SetRotation(head, Mul(skel::Exp({0, left, 0}), skel::Exp({down, 0, 0})));
      const float eye = 0.3f + 0.25f * std::sin(t);
      pose.SetWeight(looker.rig->FindShape("eyeLookOutLeft"), eye);
      pose.SetWeight(looker.rig->FindShape("eyeLookInRight"), eye);
      const LookAngles authored = GazeOff(*looker.rig, looker.fixed->pose.view(), camera);
      {
        const AllocationCount allocations;
        stage.Tick(*looker.node);
        ASSERT_EQ(allocations.count(), 0);
      }
      if (k < 120) continue;
      const LookAngles now = GazeOff(*looker.rig, stage.pose.view(), at);
      EXPECT_NEAR(now.left, authored.left, 3) << k << " " << at.x;
      EXPECT_NEAR(now.up, authored.up, 3) << k << " " << at.x;
      const LookAngles shown =
          AnglesOf(gesture::Forward(*looker.rig, stage.pose.view(), looker.rig->rest())
                       .Direction("skullbase", {0, 0, 1}));
      head_low = {std::min(head_low.left, shown.left), std::min(head_low.up, shown.up)};
      head_high = {std::max(head_high.left, shown.left), std::max(head_high.up, shown.up)};
    }
    // The head's own motion is kept, about another direction.
    EXPECT_NEAR(head_high.left - head_low.left, 0.3f, 0.03f) << at.x;
    EXPECT_NEAR(head_high.up - head_low.up, 0.2f, 0.03f) << at.x;
  }
}

TEST(LookAtNode, TakesTheCameraOfAClipThatPlaysBelow) {
  const auto rig = BuiltinRig("hanim_loa3");
  skel::Pose pose(rig->joints(), rig->shapes());
  pose.span().CopyFrom(rig->rest());
  pose.span().SetRotation(rig->FindJoint("skullbase"), skel::Exp({0, 0.3f, 0}));
  clip::Clip glance("glance", rig, {30, 1}, {pose, pose}, true);
  const Vec3 camera{0.6f, 1.6f, 1.5f}, at = Around(-30, 0, 2);
  const LookAngles authored = GazeOff(*rig, pose.view(), camera);
  for (const bool has : {false, true}) {
    if (has) glance.set_camera_at(camera);
    auto below = std::make_unique<ClipNode>();
    below->Play(&glance);
    LookAtSettings settings = LooksAt({Fixed(at)});
    settings.authored_at_cameras = true;
    const auto parts = std::make_shared<const BodyParts>(rig);
    settings.groups = UsualLookGroups(*parts);
    LookAtNode node(parts, std::move(below), std::move(settings));
    Stage stage(rig);
    for (int k = 0; k < 120; ++k) stage.Tick(node);
    EXPECT_NEAR(GazeOff(*rig, stage.pose.view(), at).left, has ? authored.left : 0, 2);
  }
}

TEST(LookAtNode, TheEyesGoFirstAndTheHeadFollows) {
  const Vec3 at = Around(50, 0, 2);
  LookAtSettings settings = LooksAt({Fixed(Around(0, 0, 2), "ahead"), Fixed(at, "aside")});
  settings.variable = 0;
  settings.target_of_choice = {0, 1};
  Looker chooser(settings);
  Stage stage(chooser.rig, {ChoiceVariable("look", {"ahead", "aside"})});
  for (int k = 0; k < 60; ++k) stage.Tick(*chooser.node);
  stage.variables.Set(0, Value{1, {}});
  const auto head_left = [&] {
    return AnglesOf(gesture::Forward(*chooser.rig, stage.pose.view(), chooser.rig->rest())
                        .Direction("skullbase", {0, 0, 1}))
               .left *
           kDegrees;
  };
  const auto eye_left = [&] {
    return stage.pose.view().weights[chooser.rig->FindShape("eyeLookOutLeft")] * kLookAcrossDegrees;
  };
  for (int k = 0; k < 4; ++k) stage.Tick(*chooser.node);
  EXPECT_GT(eye_left(), 25);
  EXPECT_LT(head_left(), 10);
  for (int k = 0; k < 60; ++k) stage.Tick(*chooser.node);
  EXPECT_GT(head_left(), 30);
  EXPECT_LT(eye_left(), 20);
  EXPECT_LT(GazeMissDegrees(*chooser.rig, stage.pose.view(), at), 1);
}

TEST(LookAtNode, SwitchesOfTargetsAndWeightsNeverPop) {
  LookAtSettings settings = LooksAt({Fixed(Around(-80, 20, 1), "a"), Fixed(Around(70, -20, 3), "b"),
                                     UserHead(), Fixed(Around(178, 0, 2), "behind")});
  settings.variable = 0;
  settings.target_of_choice = {0, 1, 2, 3, -1};
  settings.weight = Number::Follow(1);
  settings.contact = {0.8, 0.5, true, 1.5, EyeContactSettings::LookedBack::kPause, 0.7};
  Looker looker(settings, "hanim_loa3", true);
  Stage stage(looker.rig, {ChoiceVariable("look", {"a", "b", "user", "behind", "none"}),
                           NumberVariable("much", 1)});
  for (int k = 0; k < 4000; ++k) {
    if (stage.rng.Uniform() < 0.06f)
      stage.variables.Set(0, Value{std::floor(stage.rng.Uniform(0, 5)), {}});
    if (stage.rng.Uniform() < 0.03f)
      stage.variables.Set(1, Value{stage.rng.Uniform(-0.5f, 1.5f), {}});
    if (stage.rng.Uniform() < 0.05f) {
      stage.users.clear();
      if (stage.rng.Uniform() < 0.7f) {
        stage.users.push_back(
            UserAt({stage.rng.Uniform(-2, 2), 1.5f, stage.rng.Uniform(-1, 2)}, {0, 1.7f, 0}));
      }
    }
    stage.Tick(*looker.node);
    if (k == 0) continue;
    const Step step = LargestStep(stage.before.view(), stage.pose.view());
    // Only the eyes are quick: a saccade takes two frames or more.
    ASSERT_LT(step.degrees, 6) << k << " "
                               << looker.rig->joint_names()[static_cast<size_t>(step.joint)];
    ASSERT_LT(step.weight, 0.55f) << k << " "
                                  << looker.rig->shape_names()[static_cast<size_t>(step.shape)];
    ExpectWithinLimits(*looker.rig, stage.pose.view());
  }
}

TEST(LookAtNode, NoGroupTurnsFasterThanItsSpeedOrFurtherThanItsLimit) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    LookAtSettings settings = LooksAt({UserHead()});
    const auto rig = BuiltinRig();
    const int head = rig->FindJoint("skullbase"), neck = rig->FindJoint("vc4"),
              spine = rig->FindJoint("vt6");
    Random rng(seed);
    for (int j : {spine, neck, head}) {
      settings.groups.push_back({{j}, rng.Uniform(0.1f, 0.5f), rng.Uniform(2, 30), 0});
      settings.groups.back().speed_deg_s = rng.Uniform(5, 150);
    }
    settings.eye_speed_deg_s = 200;
    settings.eye_limit_deg = 25;
    Looker looker(settings);
    Stage stage(looker.rig);
    for (int k = 0; k < 300; ++k) {
      if (k % 20 == 0) {
        stage.users = {UserAt(Around(rng.Uniform(-120, 120), rng.Uniform(-50, 50), 1), {0, 1, 0})};
      }
      if (k % 70 == 0) stage.users.clear();
      stage.Tick(*looker.node);
      if (k == 0) continue;
      for (const auto& group : settings.groups) {
        const int j = group.joints[0];
        const skel::Quat now = stage.pose.view().rotation(j), was = stage.before.view().rotation(j);
        ASSERT_LT(AngleBetween(now, rig->rest().rotation(j)) * kDegrees, group.limit_deg + 0.05);
        ASSERT_LT(AngleBetween(now, was) * kDegrees, group.speed_deg_s * kTick_s + 0.02);
      }
      const LookAngles eye = LeftEye(*rig, stage.pose.view());
      ASSERT_LT(Length(eye) * kDegrees, 25.05);
    }
  }
}

TEST(LookAtNode, LooksAsFarAsLimitsLetWhereATargetIsOutOfReach) {
  LookAtSettings settings = LooksAt({Fixed(Around(100, 0, 2))});
  const auto rig = BuiltinRig();
  settings.groups.push_back({{rig->FindJoint("skullbase")}, 1, 20, 160});
  settings.eye_limit_deg = 25;
  Looker looker(settings);
  Stage stage(looker.rig);
  for (int k = 0; k < 90; ++k) stage.Tick(*looker.node);
  const Ray ray = GazeOf(*rig, stage.pose.view(), 0);
  EXPECT_NEAR(AnglesOf(ray.way).left * kDegrees, 45, 0.5);
}

TEST(LookAtNode, BlendsAuthoredPosesByTheDirectionOfTheLook) {
  const auto rig = BuiltinRig();
  const int brow = rig->FindShape("browInnerUp"), smile = rig->FindShape("mouthSmileLeft");
  const auto clip = [&](int shape) {
    skel::Pose pose(rig->joints(), rig->shapes());
    pose.span().SetWeight(shape, 1);
    return clip::Clip("look", rig, timecode::FrameRate{30, 1}, {pose}, false);
  };
  const clip::Clip up = clip(brow), left = clip(smile);
  const auto weights = [&](float left_deg, float up_deg) {
    LookAtSettings settings = LooksAt({Fixed(Around(left_deg, up_deg, 20))});
    settings.poses = {{&up, 0, 30}, {&left, 40, 0}};
    Looker looker(settings);
    Stage stage(looker.rig);
    for (int k = 0; k < 120; ++k) {
      stage.Tick(*looker.node);
      if (k > 0) {
        EXPECT_LT(std::fabs(stage.pose.view().weights[brow] - stage.before.view().weights[brow]),
                  0.4f);
      }
    }
    EXPECT_LT(GazeMissDegrees(*rig, stage.pose.view(), Around(left_deg, up_deg, 20)), 0.5f);
    return std::pair(stage.pose.view().weights[brow], stage.pose.view().weights[smile]);
  };
  EXPECT_GT(weights(0, 30).first, 0.9f);
  EXPECT_LT(weights(0, 30).second, 0.05f);
  EXPECT_GT(weights(40, 0).second, 0.9f);
  EXPECT_LT(weights(0, 0).first + weights(0, 0).second, 0.05f);
  const auto between = weights(20, 15);
  EXPECT_GT(between.first, 0.15f);
  EXPECT_GT(between.second, 0.15f);
}

TEST(LookAtNode, LetsGoOfATargetThatIsLost) {
  Looker looker(LooksAt({UserHead()}));
  Stage stage(looker.rig);
  stage.users = {UserAt(Around(60, 0, 2), {0, 1.6f, 0})};
  for (int k = 0; k < 60; ++k) stage.Tick(*looker.node);
  EXPECT_LT(GazeMissDegrees(*looker.rig, stage.pose.view(), Around(60, 0, 2)), 1);
  stage.users.clear();
  for (int k = 0; k < 90; ++k) {
    stage.Tick(*looker.node);
    EXPECT_LT(LargestStep(stage.before.view(), stage.pose.view()).degrees, 5);
  }
  EXPECT_TRUE(SameBytes(stage.pose.view(), looker.rig->rest()));
}

TEST(LookAtNode, DoesNothingAtWeightZero) {
  LookAtSettings settings = LooksAt({Fixed(Around(60, 0, 2))});
  settings.weight = Number(0);
  Looker looker(settings);
  Stage stage(looker.rig);
  for (int k = 0; k < 10; ++k) stage.Tick(*looker.node);
  EXPECT_TRUE(SameBytes(stage.pose.view(), looker.rig->rest()));
}

TEST(LookAtNode, DoesNotStrainAfterWhatIsBehind) {
  Looker looker(LooksAt({Fixed(Around(179, 0, 2))}));
  Stage stage(looker.rig);
  for (int k = 0; k < 90; ++k) stage.Tick(*looker.node);
  EXPECT_LT(LargestStep(stage.pose.view(), looker.rig->rest()).degrees, 1);
}

TEST(LookAtNode, LooksAtTargetsInTurnAndNeverBetweenThem) {
  const Vec3 left = Around(20, 0, 2), right = Around(-15, 5, 1.5f);
  Target a = Fixed(left, "a"), b = Fixed(right, "b");
  a.weight = Number(0.75), b.weight = Number(0.25);
  Looker looker(LooksAt({a, b}));
  Stage stage(looker.rig);
  int at_left = 0, at_right = 0, turns = 0;
  bool was_left = true;
  const int ticks = 30 * 300;
  for (int k = 0; k < ticks; ++k) {
    stage.Tick(*looker.node);
    const bool meets_left = GazeMissDegrees(*looker.rig, stage.pose.view(), left) < 2;
    const bool meets_right = GazeMissDegrees(*looker.rig, stage.pose.view(), right) < 2;
    at_left += meets_left;
    at_right += meets_right;
    if ((meets_left || meets_right) && meets_left != was_left) ++turns, was_left = meets_left;
  }
  // On its way the gaze is short: a saccade, a few ticks.
  EXPECT_GT(at_left + at_right, ticks * 85 / 100);
  EXPECT_NEAR(at_left / static_cast<double>(at_left + at_right), 0.75, 0.1);
  // Things are looked at for a second or so.
  EXPECT_NEAR(300.0 / turns, 1, 0.35);
}

// Each user in front is looked at; who comes first keeps the gaze as another leaves.
TEST(LookAtNode, LooksAtEachUserInTurn) {
  LookAtSettings settings;
  for (int k = 0; k < kMostOfAll; ++k) {
    settings.targets.push_back(UserHead());
    settings.targets.back().nth = k;
  }
  Looker looker(settings);
  Stage stage(looker.rig);
  const std::vector<Vec3> heads = {{-0.7f, 1.6f, 1.5f}, {0, 1.7f, 1.8f}, {0.8f, 1.5f, 1.4f}};
  for (Vec3 at : heads) stage.users.push_back(UserAt(at, {0, 1.6f, 0}));
  std::vector<int> seen(heads.size());
  for (int k = 0; k < 30 * 120; ++k) {
    stage.Tick(*looker.node);
    for (size_t i = 0; i < heads.size(); ++i) {
      seen[i] += GazeMissDegrees(*looker.rig, stage.pose.view(), heads[i]) < 2;
    }
  }
  for (int ticks : seen) EXPECT_NEAR(ticks / (30 * 120.0), 0.31, 0.1);
  stage.users.erase(stage.users.begin() + 1, stage.users.end());
  for (int k = 0; k < 60; ++k) stage.Tick(*looker.node);
  EXPECT_LT(GazeMissDegrees(*looker.rig, stage.pose.view(), heads[0]), 2);
}

TEST(LookAtNode, LooksAtOneOfItsOwnSitesAndAtANeighbour) {
  Target hand;
  hand.kind = Target::Kind::kSite;
  hand.joint = BuiltinRig()->FindJoint("l_wrist");
  Looker looker(LooksAt({hand}));
  looker.fixed->pose.span().SetRotation(BuiltinRig()->FindJoint("l_elbow"),
                                        skel::Exp({-1.9f, 0, 0}));
  looker.fixed->pose.span().SetRotation(BuiltinRig()->FindJoint("l_shoulder"),
                                        skel::Exp({-0.9f, 0, 0}));
  Stage stage(looker.rig);
  for (int k = 0; k < 120; ++k) stage.Tick(*looker.node);
  const gesture::Forward at(*looker.rig, stage.pose.view(), looker.rig->rest());
  EXPECT_LT(GazeMissDegrees(*looker.rig, stage.pose.view(), at.place("l_wrist")), 0.5f);

  Target other;
  other.kind = Target::Kind::kAvatar;
  other.who = "bob";
  Looker second(LooksAt({other}));
  Stage two(second.rig);
  two.neighbours = {{"eve", {2, 1, 1}}, {"bob", {-1, 1.6f, 1.5f}}};
  for (int k = 0; k < 90; ++k) two.Tick(*second.node);
  EXPECT_LT(GazeMissDegrees(*second.rig, two.pose.view(), {-1, 1.6f, 1.5f}), 1);
}

TEST(LookAtNode, BreaksContactAndComesBack) {
  LookAtSettings settings = LooksAt({Fixed(Around(0, 0, 1.5f))});
  settings.contact = {2, 1, false, 0, {}, 0};
  Looker looker(settings);
  Stage stage(looker.rig);
  int away = 0, pauses = 0;
  bool was = false;
  for (int k = 0; k < 900; ++k) {
    stage.Tick(*looker.node);
    const bool is = GazeMissDegrees(*looker.rig, stage.pose.view(), Around(0, 0, 1.5f)) > 5;
    away += is && k > 30;
    pauses += is && !was && k > 30;
    was = is;
  }
  // A third of half a minute, ten times.
  EXPECT_NEAR(away, 300, 40);
  EXPECT_NEAR(pauses, 10, 1);
}

TEST(LookAtNode, AnswersALookByHoldingPausingOrLeading) {
  using LookedBack = EyeContactSettings::LookedBack;
  for (LookedBack answer : {LookedBack::kHold, LookedBack::kPause, LookedBack::kLead}) {
    LookAtSettings settings = LooksAt({UserHead(), Fixed(Around(-45, 0, 2), "thing")});
    settings.contact = {1, 1, false, 0, answer, 0.5};
    if (answer != LookedBack::kHold) settings.contact.hold_s = 0;
    settings.lead_to = 1;
    Looker looker(settings);
    Stage stage(looker.rig);
    const Vec3 user = Around(10, 0, 1.2f), eyes{0, 1.66f, 0.1f};
    int at_user = 0, at_thing = 0;
    for (int k = 0; k < 600; ++k) {
      stage.users = {UserAt(user, eyes)};
      stage.Tick(*looker.node);
      at_user += GazeMissDegrees(*looker.rig, stage.pose.view(), user) < 3;
      at_thing += GazeMissDegrees(*looker.rig, stage.pose.view(), Around(-45, 0, 2)) < 3;
    }
    if (answer == LookedBack::kHold) {
      EXPECT_GT(at_user, 550);
    }
    if (answer == LookedBack::kPause) {
      EXPECT_LT(at_user, 400);
      EXPECT_GT(at_user, 100);
    }
    if (answer == LookedBack::kLead) {
      EXPECT_GT(at_thing, 200);
      EXPECT_GT(at_user, 50);
    } else {
      EXPECT_LT(at_thing, 5);
    }
    // A user who looks elsewhere starts nothing.
    Looker alone(settings);
    Stage quiet(alone.rig);
    at_thing = 0;
    for (int k = 0; k < 300; ++k) {
      quiet.users = {UserAt(user, {3, 1, 1})};
      quiet.Tick(*alone.node);
      at_thing += GazeMissDegrees(*alone.rig, quiet.pose.view(), Around(-45, 0, 2)) < 3;
    }
    EXPECT_LT(at_thing, 5);
  }
}

TEST(LookAtNode, ANewGraphGoesOnWhereTheOldOneLooked) {
  LookAtSettings settings = LooksAt({Fixed(Around(60, 10, 2))});
  Looker old(settings), fresh(settings);
  Stage stage(old.rig);
  for (int k = 0; k < 60; ++k) stage.Tick(*old.node);
  fresh.node->Adopt(*old.node);
  stage.Tick(*fresh.node);
  const Step step = LargestStep(stage.before.view(), stage.pose.view());
  EXPECT_LT(step.degrees, 0.2f);
  EXPECT_LT(step.weight, 0.01f);
}

TEST(LookAtNode, TheSameSeedGivesTheSameBytesAndNothingIsAllocated) {
  LookAtSettings settings = LooksAt({UserHead(), Fixed(Around(-45, 0, 2), "thing")});
  settings.contact = {1, 0.5, true, 2, EyeContactSettings::LookedBack::kLead, 0.5};
  settings.lead_to = 1;
  Looker a(settings, "hanim_loa3", true), b(settings, "hanim_loa3", true);
  Stage one(a.rig), two(b.rig);
  one.users = two.users = {UserAt(Around(30, 0, 1.2f), {0, 1.66f, 0.1f})};
  for (int k = 0; k < 300; ++k) {
    const AllocationCount allocations;
    one.Tick(*a.node);
    EXPECT_EQ(allocations.count(), 0);
    two.Tick(*b.node);
    ASSERT_TRUE(SameBytes(one.pose.view(), two.pose.view()));
  }
}

TEST(LookAtNode, FollowsAWalkingUserWithoutJitter) {
  Looker looker(LooksAt({UserHead()}));
  Stage stage(looker.rig);
  stage.users.resize(1);
  const std::vector<int> joints = {looker.rig->FindJoint("skullbase"), looker.rig->FindJoint("vc4"),
                                   looker.rig->FindJoint("vt6")};
  std::vector<skel::Quat> last(3);
  std::vector<Vec3> speed(3);
  LookAngles eye_last, eye_speed;
  for (int k = 0; k < 450; ++k) {
    const auto t = static_cast<float>(k * kTick_s);
    // Back and forth at walking pace, with the bob of steps and a camera's tremor of 4 mm.
    const Vec3 tremor{stage.rng.Uniform(-4e-3f, 4e-3f), stage.rng.Uniform(-4e-3f, 4e-3f),
                      stage.rng.Uniform(-4e-3f, 4e-3f)};
    const Vec3 at{1.5f * std::sin(0.8f * t), 1.65f + 0.02f * std::sin(11 * t), 1.8f};
    stage.users[0] = UserAt(at + tremor, {0, 1.6f, 0});
    stage.Tick(*looker.node);
    const LookAngles eye = LeftEye(*looker.rig, stage.pose.view());
    for (size_t i = 0; i < 3; ++i) {
      const skel::Quat now = stage.pose.view().rotation(joints[i]);
      const Vec3 v = Log(Mul(Conjugate(last[i]), now)) * (kDegrees * 30);
      if (k > 45) {
        // Degrees a second, and a second squared.
        EXPECT_LT(Length(v), 90) << k;
        EXPECT_LT(Length(v - speed[i]) * 30, 260) << k << " " << i;
      }
      last[i] = now, speed[i] = v;
    }
    const LookAngles v = (eye - eye_last) * (kDegrees * 30);
    if (k > 45) {
      EXPECT_LT(Length(v - eye_speed) * 30, 700) << k;
      EXPECT_LT(GazeMissDegrees(*looker.rig, stage.pose.view(), at), 2) << k;
    }
    eye_last = eye, eye_speed = v;
  }
}

}  // namespace
}  // namespace posewire::graph
