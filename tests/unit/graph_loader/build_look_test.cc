// Looks, what follows people, constraints and the camera as they are written in graphs.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/graph_loader/graph_file.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/graph/look_at_helpers.h"
#include "tests/unit/graph_loader/composite_helpers.h"

namespace posewire::graph {
namespace {

using skel::Vec3;
using testing::AllOf;
using testing::HasSubstr;

constexpr char kLookVariables[] = R"(
    variables { name: "look" choice { values: "none" values: "user" values: "point" } }
    variables { name: "much" number { default_value: 1 min: 0 max: 1 } }
    variables { name: "tilt" number { min: -30 max: 30 } }
    variables { name: "far" number {} }
    variables { name: "place" vector { x: 0.3 y: 1.2 z: 0.4 } }
    variables { name: "shot" choice { values: "full" values: "close" } }
    variables { name: "motion" choice { values: "none" values: "sway" } })";

// A graph of one node over idle; `node` is the text of its kind.
std::string GraphOf(const std::string& node) {
  return std::string("name: 'g' output: 'n' nodes { name: 'idle' idle {} } nodes { name: 'n' ") +
         node + " }" + kLookVariables;
}
std::string ErrorsOfNode(const std::string& node, const char* rig = "hanim_loa3") {
  const auto graph = ParseGraph(GraphOf(node));
  if (!graph.ok()) return std::string(graph.status().message());
  return std::string(MakeGraphAsset(*graph, BuiltinRig(rig), Gestures()).status().message());
}

// Fails loudly where the graph is refused.
std::shared_ptr<const GraphAsset> AssetOf(const std::string& node,
                                          const std::shared_ptr<const skel::Rig>& rig) {
  const auto graph = ParseGraph(GraphOf(node));
  if (!graph.ok()) ADD_FAILURE() << graph.status();
  const auto asset = MakeGraphAsset(*graph, rig, Gestures());
  if (!asset.ok()) ADD_FAILURE() << asset.status();
  return *asset;
}

struct Player {
  explicit Player(const std::string& node, const char* rig_name = "hanim_loa3")
      : rig(BuiltinRig(rig_name)),
        asset(AssetOf(node, rig)),
        graph(asset->Instantiate(asset, 1)),
        pose(rig->joints(), rig->shapes()) {}
  void Run(int ticks) {
    for (int k = 0; k < ticks; ++k) {
      Inputs inputs;
      inputs.users = users;
      const AllocationCount allocations;
      graph->Tick(tick, static_cast<double>(tick) * kTick_s, kTick_s, inputs, pose.span());
      EXPECT_EQ(allocations.count(), 0);
      ++tick;
    }
  }
  Vec3 PlaceOf(const char* joint) {
    return gesture::Forward(*rig, pose.view(), rig->rest()).place(joint);
  }
  std::shared_ptr<const skel::Rig> rig;
  std::shared_ptr<const GraphAsset> asset;
  std::unique_ptr<GraphInstance> graph;
  std::vector<UserInput> users;
  skel::Pose pose;
  int64_t tick = 0;
};

constexpr char kLook[] = R"(look_at {
    below: 'idle' variable: 'look' weight { variable: 'much' }
    targets { name: 'user' user_head: '' }
    targets { name: 'point' variable: 'place' }
    contact { darts_deg: 0 } })";

TEST(BuildLook, LooksAtTheTargetThatTheVariableNames) {
  for (const char* rig : {"hanim_loa3", "hanim_loa4", "ace_biped", "vrm"}) {
    Player p(kLook, rig);
    const Vec3 head{1.2f, 1.7f, 1.5f}, place{-1, 1.4f, 1.5f};
    p.users = {UserAt(head, {0, 1.6f, 0})};
    ASSERT_TRUE(Set(*p.graph, "look", "user").ok());
    p.Run(90);
    EXPECT_LT(GazeMissDegrees(*p.rig, p.pose.view(), head), 2) << rig;
    ASSERT_TRUE(Set(*p.graph, "place", "-1,1.4,1.5").ok());
    ASSERT_TRUE(Set(*p.graph, "look", "point").ok());
    p.Run(90);
    EXPECT_LT(GazeMissDegrees(*p.rig, p.pose.view(), place), 2) << rig;
    ASSERT_TRUE(Set(*p.graph, "look", "none").ok());
    p.Run(120);
    EXPECT_GT(GazeMissDegrees(*p.rig, p.pose.view(), place), 10) << rig;
  }
}

TEST(BuildLook, LooksAtANamedPointOfAUser) {
  for (const char* point : {"ann/left_elbow", "left_elbow", "*/left_elbow"}) {
    Player p("look_at { below: 'idle' targets { user_point: '" + std::string(point) +
             "' } contact { darts_deg: 0 } }");
    const UserPointInput points[] = {{"mouth", {-1, 1.5f, 1}}, {"left_elbow", {0.8f, 1.1f, 1.2f}}};
    p.users = {UserAt({-1.2f, 1.7f, 1.5f}, {0, 1.6f, 0})};
    p.users[0].points = points;
    p.Run(90);
    EXPECT_LT(GazeMissDegrees(*p.rig, p.pose.view(), points[1].at), 2) << point;
    p.users[0].points = absl::MakeConstSpan(points).first(1);
    p.Run(120);
    EXPECT_GT(GazeMissDegrees(*p.rig, p.pose.view(), points[1].at), 10) << point;
  }
  EXPECT_THAT(ErrorsOfNode("look_at { below: 'idle' targets { user_point: 'ann/' } }"),
              HasSubstr("field targets[0].user_point: \"ann/\" names no point; write its name"));
}

TEST(BuildLook, SaysWhatIsWrongWithALookAndWhatWouldBeRight) {
  const std::string errors = ErrorsOfNode(R"(look_at {
      below: 'idle' variable: 'look' eye_limit_deg: 90
      targets { name: 'user' user_head: '' } targets { name: 'user' site: 'l_middle_tip' }
      targets { name: 'three' } targets { site: 'l_wrist' } targets { name: 'p' variable: 'much' }
      joints { joint: 'l_elbow' share: 0.5 } joints { joint: 'vc4' share: 2 }
      contact { hold_s: 2 } looked_back: LEAD look_back_s: 1 lead_to: 'nobody'
      poses { clip: 'no_clip' left_deg: 30 } })");
  for (const char* part :
       {"node \"n\", field eye_limit_deg: 90 is not within 1..60",
        "field targets[1].site: rig hanim_loa3 has no site or joint \"l_middle_tip\"; did you mean "
        "l_middle",
        "field targets[2]: one of user_head, ",
        "field targets[4].variable: variable \"much\" is a number; a vector is needed",
        "field variable: value \"point\" of variable \"look\" names nothing here; known are user",
        "field joints[0].joint: \"l_elbow\" does not carry the head",
        "field joints[1].share: 2 is not within 0..1",
        "field contact.pause_s: it must be above 0 where hold_s is",
        "field lead_to: there is no target \"nobody\"; known are user, ",
        "field poses[0].clip: there is no clip \"no_clip\""}) {
    EXPECT_THAT(errors, HasSubstr(part));
  }
  EXPECT_THAT(ErrorsOfNode("look_at { below: 'idle' }"),
              HasSubstr("field targets: at least one must be given"));
  EXPECT_THAT(ErrorsOfNode("look_at { below: 'idle' eyes: JOINTS targets { user_head: '' } }",
                           "hanim_loa1"),
              HasSubstr("field eyes: rig hanim_loa1 has no eye joints; use SHAPES"));
  EXPECT_THAT(
      ErrorsOfNode("look_at { below: 'idle' looked_back: PAUSE targets { user_head: '' } }"),
      HasSubstr("field look_back_s: seconds above 0"));
}

TEST(BuildLook, TurnsToAUser) {
  Player p("turn_to { below: 'idle' target { user_head: '' } limit_deg: 120 }");
  p.users = {UserAt({2, 1.6f, 0.02f}, {0, 1.6f, 0})};
  p.Run(120);
  const Vec3 side = p.PlaceOf("l_hip") - p.PlaceOf("r_hip");
  EXPECT_NEAR(std::atan2(-side.z, side.x) * kDegrees, 90, 6);
  EXPECT_THAT(ErrorsOfNode("turn_to { below: 'idle' target { site: 'skull_tip' } limit_deg: 200 }"),
              AllOf(HasSubstr("field target.site: a site turns with the avatar"),
                    HasSubstr("field limit_deg: 200 is not within 1..180")));
}

TEST(BuildLook, WalksToAUserAndStopsAMetreBefore) {
  Player p(R"(feet { below: 'way' } }
      nodes { name: 'way' walk_to { below: 'idle' goals { target { user_head: '' } } })");
  p.users = {UserAt({0, 1.6f, 3}, {0, 1.6f, 0})};
  p.Run(300);
  const Vec3 at = (p.PlaceOf("l_ankle") + p.PlaceOf("r_ankle")) * 0.5f;
  EXPECT_NEAR(at.z, 2, 0.05f);
  EXPECT_THAT(
      ErrorsOfNode("walk_to { below: 'idle' goals { target { site: 'skull_tip' } stop_m: -1 } "
                   "speed_m_s { value: 9 } }"),
      AllOf(HasSubstr("field goals[0].target.site: a site goes with the avatar"),
            HasSubstr("field goals[0].stop_m"), HasSubstr("field speed_m_s")));
  EXPECT_THAT(ErrorsOfNode("walk_to { below: 'idle' }"),
              HasSubstr("field goals: at least one must be given"));
  EXPECT_THAT(ErrorsOfNode("listen { below: 'idle' rate { value: 2 } }"), HasSubstr("field rate"));
}

TEST(BuildPeople, CopiesAUserOverIdleAndWritesTheTilt) {
  Player p(R"(additive { below: 'idle' delta: 'user' weight { value: 1 } } }
      nodes { name: 'user' user_pose { image_wise: true tilt_variable: 'tilt' })");
  UserInput user = UserAt({0, 1.6f, 1.5f}, {0, 1.6f, 0});
  p.users = {user};
  p.Run(120);
  p.users[0].head_rotation = Mul(user.head_rotation, skel::Exp({0, 0, -0.25f}));
  p.Run(20);
  // The user tilts to the own left; a mirror image to the avatar's right.
  const Variables& v = p.graph->variables();
  EXPECT_NEAR(v.number(v.set().Find("tilt")), -0.25f * kDegrees, 3);
  EXPECT_LT(
      gesture::Forward(*p.rig, p.pose.view(), p.rig->rest()).Direction("skullbase", {0, 1, 0}).x,
      -0.15f);
  EXPECT_THAT(ErrorsOfNode("user_pose { tilt_variable: 'look' }"),
              HasSubstr("field tilt_variable: variable \"look\" is a choice; a number is needed"));
}

TEST(BuildPeople, WritesMoodAndActivityToVariablesOfTheirKinds) {
  EXPECT_THAT(ErrorsOfNode("user_acts { below: 'idle' mood_variable: 'much' valence_variable: "
                           "'look' activity_variable: 'far' }"),
              AllOf(HasSubstr("field mood_variable: variable \"much\" is a number"),
                    HasSubstr("field valence_variable: variable \"look\" is a choice"),
                    HasSubstr("field activity_variable: \"far\" needs a max")));
  EXPECT_THAT(ErrorsOfNode("user_acts { below: 'idle' }"),
              HasSubstr("nothing is answered, and no variable written"));
}

TEST(BuildLimits, ReachesPinsAndHoldsFeet) {
  Player p(R"(limits { below: 'feet' } }
      nodes { name: 'feet' feet { below: 'reach' } }
      nodes { name: 'reach' two_bone_ik {
          below: 'pin' end: 'l_middle_distal_tip' target { variable: 'place' } } }
      nodes { name: 'pin' pin { below: 'idle' joint: 'r_wrist' })");
  p.Run(60);
  const skel::Site* tip = nullptr;
  for (const skel::Site& site : p.rig->sites()) {
    if (site.name == "l_middle_distal_tip") tip = &site;
  }
  const Vec3 wrist = p.PlaceOf("r_wrist"), foot = p.PlaceOf("l_ankle");
  for (int k = 0; k < 200; ++k) {
    p.Run(1);
    const gesture::Forward at(*p.rig, p.pose.view(), p.rig->rest());
    const auto& joint = p.rig->joint_names()[static_cast<size_t>(tip->joint)];
    ASSERT_LT(Length(at.place(joint) + at.Direction(joint, tip->offset) - Vec3{0.3f, 1.2f, 0.4f}),
              2e-3f);
    ASSERT_LT(Length(at.place("r_wrist") - wrist), 2e-3f);
    ASSERT_LT(std::hypot(at.place("l_ankle").x - foot.x, at.place("l_ankle").z - foot.z), 1e-3f);
  }
}

TEST(BuildLimits, SaysWhatIsWrong) {
  EXPECT_THAT(ErrorsOfNode("pin { below: 'idle' joint: 'l_wirst' chain: 40 }"),
              AllOf(HasSubstr("field joint: rig hanim_loa3 has no joint \"l_wirst\""),
                    HasSubstr("field chain: 40 is not within 1..24")));
  EXPECT_THAT(ErrorsOfNode("pin { below: 'idle' joint: 'HumanoidRoot' }"),
              HasSubstr("has no joint above it"));
  EXPECT_THAT(ErrorsOfNode("two_bone_ik { below: 'idle' end: 'sacroiliac' }"),
              AllOf(HasSubstr("field end: \"sacroiliac\" has fewer than two joints above it"),
                    HasSubstr("field target: one of user_head, ")));
  EXPECT_THAT(ErrorsOfNode("feet { below: 'idle' speed_m_s: -1 }"),
              HasSubstr("field speed_m_s: -1 is not within 0.01..10"));
  EXPECT_THAT(ErrorsOfNode("face_joints { below: 'idle' }", "hanim_loa1"),
              HasSubstr("rig hanim_loa1 has no jaw, eyes or lids"));
  EXPECT_THAT(
      ErrorsOfNode("face_joints { below: 'f' } } nodes { name: 'f' face_joints { below: 'idle' "
                   "direction: JOINTS_TO_SHAPES }"),
      HasSubstr("node \"f\" is of this kind too"));
}

TEST(BuildLimits, RigsWithoutHeadOrLegsAreRejectedByName) {
  skel::RigParts parts;
  parts.name = "lamp";
  parts.joint_paths = {"Base", "Base/Lid"};
  parts.rest_translations = {{0, 0, 0}, {0, 1, 0}};
  const auto lamp = *skel::Rig::Make(parts);
  const auto errors = [&](const std::string& node) {
    return std::string(
        MakeGraphAsset(ParseGraph(GraphOf(node)).value(), lamp, Gestures()).status().message());
  };
  EXPECT_THAT(errors("look_at { below: 'idle' targets { user_head: '' } }"),
              HasSubstr("rig lamp has no head"));
  EXPECT_THAT(errors("feet { below: 'idle' }"), HasSubstr("rig lamp lacks legs"));
  EXPECT_THAT(errors("user_pose { hands: true }"),
              AllOf(HasSubstr("rig lamp has no head"), HasSubstr("rig lamp lacks arms")));
  EXPECT_EQ(errors("turn_to { below: 'idle' target { user_head: '' } }"), "");
  EXPECT_EQ(errors("walk_to { below: 'idle' goals { target { point { z: 1 } } } }"), "");
  EXPECT_THAT(errors("listen { below: 'idle' }"), HasSubstr("rig lamp has no head"));
  EXPECT_EQ(errors("limits { below: 'idle' }"), "");
}

// Where a site is "head", "chest" or "hips" of a rig, whatever it calls them.
TEST(BuildTarget, PartsOfABodyAreTheSamePartsOnEveryRig) {
  const std::pair<const char*, std::vector<const char*>> rigs[] = {
      {"hanim_loa3", {"skullbase", "vt6", "HumanoidRoot"}},
      {"hanim_loa1", {"skullbase", "vl5", "HumanoidRoot"}},
      {"ace_biped", {"Head", "Chest", "Hips"}},
      {"vrm", {"Head", "UpperChest", "Hips"}}};
  const char* const parts[] = {"head", "chest", "hips"};
  for (const auto& [rig, joints] : rigs) {
    for (size_t i = 0; i < joints.size(); ++i) {
      const auto looks_at = [&, rig = rig](const char* place) {
        const std::string shot = absl::StrCat("look_at: '", place, "' distance_m: 3 }");
        Player p(absl::StrCat("camera { below: 'idle' shot_variable: 'shot' shots { name: 'full' ",
                              shot, " shots { name: 'close' ", shot, " }"),
                 rig);
        EXPECT_TRUE(Set(*p.graph, "shot", "close").ok());
        p.Run(1);
        return p.graph->outputs().camera.position.y;
      };
      EXPECT_EQ(looks_at(parts[i]), looks_at(joints[i])) << rig << " " << parts[i];
    }
  }
}

TEST(BuildLimits, AGraphForAnyRigPassesOnWhereTheRigLacksAPart) {
  skel::RigParts parts;
  parts.name = "lamp";
  parts.joint_paths = {"Base", "Base/Lid"};
  parts.rest_translations = {{0, 0, 0}, {0, 1, 0}};
  const auto lamp = *skel::Rig::Make(parts);
  for (const char* node :
       {"look_at { below: 'idle' targets { site: 'skull_tip' } }", "feet { below: 'idle' }",
        "pin { below: 'idle' joint: 'l_wrist' }", "face_joints { below: 'idle' }",
        "pin { below: 'idle' joint: 'Lid' target { site: 'l_wrist' } }",
        "two_bone_ik { below: 'idle' end: 'l_wrist' target { user_left_hand: '' } }"}) {
    const auto graph = ParseGraph(std::string("any_rig: true ") + GraphOf(node));
    ASSERT_TRUE(graph.ok()) << graph.status();
    const auto asset = MakeGraphAsset(*graph, lamp, Gestures());
    ASSERT_TRUE(asset.ok()) << node << ": " << asset.status();
    const auto instance = (*asset)->Instantiate(*asset, 1);
    skel::Pose pose(2, 0);
    for (int k = 0; k < 5; ++k) instance->Tick(k, k * kTick_s, kTick_s, {}, pose.span());
    EXPECT_TRUE(SameBytes(pose.view(), lamp->rest())) << node;
  }
}

constexpr char kCamera[] = R"(camera {
    below: 'idle' shot_variable: 'shot' motion_variable: 'motion' transition_s { value: 0 }
    shots { name: 'full' look_at: 'vl3' distance_m: 3 focal_length_mm: 35 }
    shots { name: 'close' look_at: 'sellion_pt' distance_m: 0.8 focal_length_mm: 85 }
    motions { name: 'sway' sway_deg: 2 sway_hz: 0.2 } })";

TEST(BuildCamera, SendsTheShotOnceItWasSet) {
  Player p(kCamera);
  p.Run(5);
  EXPECT_FALSE(p.graph->outputs().has_camera);
  ASSERT_TRUE(Set(*p.graph, "shot", "close").ok());
  p.Run(1);
  ASSERT_TRUE(p.graph->outputs().has_camera);
  EXPECT_EQ(p.graph->outputs().camera.focal_length_mm, 85);
  EXPECT_LT(p.graph->outputs().camera.position.z, 1.2f);
}

TEST(BuildCamera, SaysWhatIsWrong) {
  const std::string errors = ErrorsOfNode(R"(camera {
      below: 'idle' shot_variable: 'shot' position_variable: 'much'
      shots { name: 'full' look_at: 'vl33' distance_m: 3 }
      shots { name: 'near' look_at: 'vl3' }
      shots { name: 'both' look_at: 'vl3' viewpoint: 'skull_tip' } })");
  for (const char* part :
       {"field shots[0].look_at: rig hanim_loa3 has no site or joint \"vl33\"",
        "field shots[1].distance_m: 0 is not within 0.1..100",
        "field shots[2]: one of look_at and viewpoint must be given",
        "field shot_variable: value \"close\" of variable \"shot\" names nothing here; known are "
        "full, near, both",
        "field position_variable: variable \"much\" is a number; a choice is needed"}) {
    EXPECT_THAT(errors, HasSubstr(part));
  }
  EXPECT_THAT(
      ErrorsOfNode("camera { below: 'idle' }"),
      AllOf(HasSubstr("field shots: at least one"), HasSubstr("field shot_variable: one of")));
}

}  // namespace
}  // namespace posewire::graph
