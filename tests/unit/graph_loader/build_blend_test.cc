// Clips, poses, blends, layers and state machines from text.
#include "gmock/gmock.h"
#include "tests/unit/graph_loader/graph_text.h"

namespace posewire::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const clip::Clip& Clip(const char* name) { return *Gestures()->Find(name); }

// The pose of a clip, with rest where it says nothing.
skel::Pose PoseOf(const skel::Rig& rig, const char* name, double t_s) {
  skel::Pose pose(rig.joints(), rig.shapes()), full = pose;
  Clip(name).Sample(t_s, pose.span());
  full.span().CopyFrom(rig.rest());
  for (int j = 0; j < rig.joints(); ++j) {
    if (pose.view().has_r[j]) full.span().SetRotation(j, pose.view().rotation(j));
    if (pose.view().has_t[j]) full.span().SetTranslation(j, pose.view().translation(j));
  }
  for (int s = 0; s < rig.shapes(); ++s) {
    if (pose.view().has_w[s]) full.span().SetWeight(s, pose.view().weights[s]);
  }
  return full;
}

void ExpectNear(const skel::PoseView& a, const skel::PoseView& b, float degrees = 0.01f) {
  const Step step = LargestStep(a, b);
  EXPECT_LT(step.degrees, degrees) << "joint " << step.joint;
  EXPECT_LT(step.weight, 1e-4) << "shape " << step.shape;
}

TEST(BuildClip, PlaysFromItsOffsetAtItsSpeed) {
  GraphRun run(
      "output: 'c' nodes { name: 'c' clip { clip: 'wave' offset_s: 0.5 "
      "speed { value: 0.5 } } }");
  run.Tick(31);
  ExpectNear(run.pose.view(), PoseOf(*run.rig, "wave", 1.0).view());
}

TEST(BuildClip, FollowsAChoice) {
  GraphRun run(
      "output: 'c' variables { name: 'v' choice { values: 'none' values_from: GESTURES } } "
      "nodes { name: 'c' clip { variable: 'v' } }");
  run.Tick(3);
  ExpectNear(run.pose.view(), run.rig->rest());
  run.Set("v", "shrug");
  run.Tick(31);
  ExpectNear(run.pose.view(), PoseOf(*run.rig, "shrug", 1.0).view());
}

TEST(BuildClip, SaysWhatIsWrong) {
  EXPECT_THAT(ErrorsOf("output: 'c' nodes { name: 'c' clip { clip: 'wabe' } }"),
              HasSubstr("node \"c\", field clip: there is no clip \"wabe\"; did you mean wave?"));
  EXPECT_THAT(ErrorsOf("output: 'c' nodes { name: 'c' clip { } }"),
              HasSubstr("field clip: a clip, or a choice of clips"));
  EXPECT_THAT(
      ErrorsOf("output: 'c' nodes { name: 'c' clip { clip: 'wave' offset_s: 99 "
               "speed { value: 21 } amplitude { variable: 'a' } } }"),
      AllOf(HasSubstr("field offset_s: 99 is not within 0..3"),
            HasSubstr("field speed: 21 is not within -20..20"), HasSubstr("field amplitude: ")));
  EXPECT_THAT(ErrorsOf("output: 'c' nodes { name: 'c' clip { clip: 'wave' sync_marks_s: 0.5 "
                       "sync_marks_s: 0.4 } }"),
              HasSubstr("field sync_marks_s: 0.4 must be above the mark before it"));
  EXPECT_THAT(ErrorsOf("output: 'c' variables { name: 'v' choice { values: 'x' } } "
                       "nodes { name: 'c' clip { variable: 'v' } }"),
              HasSubstr("no value of variable \"v\" names a clip"));
}

TEST(BuildPose, IsRestOrOneFrame) {
  GraphRun rest("output: 'p' nodes { name: 'p' pose {} }");
  rest.Tick(2);
  ExpectNear(rest.pose.view(), rest.rig->rest());
  GraphRun frame("output: 'p' nodes { name: 'p' pose { clip: 'wave' time_s: 1 } }");
  frame.Tick(9);
  ExpectNear(frame.pose.view(), PoseOf(*frame.rig, "wave", 1).view());
  EXPECT_THAT(ErrorsOf("output: 'p' nodes { name: 'p' pose { time_s: 1 } }"),
              HasSubstr("node \"p\", field time_s: a time needs a clip"));
  EXPECT_THAT(ErrorsOf("output: 'p' nodes { name: 'p' pose { clip: 'wave' time_s: -1 } }"),
              HasSubstr("field time_s: -1 is not within 0.."));
}

constexpr char kTwo[] = R"(
    variables { name: 'x' number { min: 0 max: 10 } }
    variables { name: 'y' number { min: 0 max: 10 } }
    nodes { name: 'rest' pose {} }
    nodes { name: 'wave' pose { clip: 'wave' time_s: 1 } }
    nodes { name: 'top' )";

TEST(BuildBlend, MixesByVariables) {
  const std::string text = std::string("output: 'top'") + kTwo + R"(blend {
      inputs { node: 'rest' }
      inputs { node: 'wave' weight { variable: 'x' scale: 0.1 } } } })";
  GraphRun run(text);
  run.Set("x", "5");
  run.Tick(2);
  const auto wave = PoseOf(*run.rig, "wave", 1);
  const int elbow = run.rig->FindJoint("r_elbow");
  // Halves against a whole.
  const skel::Quat want = skel::Nlerp({}, wave.view().rotation(elbow), 1 / 3.0f);
  EXPECT_LT(AngleBetween(run.pose.view().rotation(elbow), want), 1e-3);
  EXPECT_THAT(ErrorsOf("output: 'b' nodes { name: 'b' blend { } }"),
              HasSubstr("node \"b\", field inputs: at least one"));
  EXPECT_THAT(ErrorsOf("output: 'b' nodes { name: 'b' blend { inputs { node: 'q' "
                       "weight { value: 2 } } } }"),
              AllOf(HasSubstr("field inputs[0].node: there is no node \"q\""),
                    HasSubstr("field inputs[0].weight: 2 is not within 0..1")));
}

TEST(BuildBlendSpace, MixesByPlace) {
  const std::string line = std::string("output: 'top'") + kTwo + R"(blend_space_1d {
      x { variable: 'x' } points { node: 'rest' x: 2 } points { node: 'wave' x: 6 } } })";
  const std::string plane = std::string("output: 'top'") + kTwo + R"(blend_space_2d {
      x { variable: 'x' } y { variable: 'y' }
      points { node: 'rest' x: 2 y: 2 } points { node: 'wave' x: 6 y: 2 } } })";
  for (const std::string& text : {line, plane}) {
    GraphRun run(text);
    run.Set("x", "3");
    run.Set("y", "7");
    run.Tick(2);
    const auto wave = PoseOf(*run.rig, "wave", 1);
    const int elbow = run.rig->FindJoint("r_elbow");
    const skel::Quat want = skel::Nlerp({}, wave.view().rotation(elbow), 0.25f);
    EXPECT_LT(AngleBetween(run.pose.view().rotation(elbow), want), 1e-3);
  }
}

TEST(BuildBlendSpace, SaysWhatIsWrong) {
  EXPECT_THAT(ErrorsOf(std::string("output: 'top'") + kTwo +
                       "blend_space_1d { points { node: 'rest' x: 1 } points { node: 'wave' x: 1 } "
                       "} }"),
              AllOf(HasSubstr("node \"top\", field points[1].x: points 0 and 1 both stand at 1"),
                    HasSubstr("field x: a number, or a variable")));
  EXPECT_THAT(ErrorsOf(std::string("output: 'top'") + kTwo +
                       "blend_space_2d { x { value: 1 } points { node: 'rest' } "
                       "points { node: 'wave' } } }"),
              AllOf(HasSubstr("field points[1].x: points 0 and 1 both stand at (0, 0)"),
                    HasSubstr("field y: a number, or a variable")));
}

TEST(BuildLayer, LaysAMaskedPoseOver) {
  GraphRun run(std::string("output: 'top'") + kTwo +
               "layer { below: 'rest' layer: 'wave' mask { regions: 'left_arm' } } }");
  run.Tick(2);
  EXPECT_LT(AngleBetween(run.turn("r_elbow"), {}), 1e-4);
  GraphRun all(std::string("output: 'top'") + kTwo + "layer { below: 'rest' layer: 'wave' } }");
  all.Tick(2);
  ExpectNear(all.pose.view(), PoseOf(*all.rig, "wave", 1).view());
  EXPECT_THAT(ErrorsOf(std::string("output: 'top'") + kTwo +
                       "layer { below: 'rest' layer: 'wave' mask { regions: 'tail' } } }"),
              AllOf(HasSubstr("node \"top\", field mask.regions: "), HasSubstr("left_arm")));
}

TEST(BuildAdditive, AddsTheDifference) {
  GraphRun run(std::string("output: 'top'") + kTwo +
               "additive { below: 'rest' delta: 'wave' weight { variable: 'x' scale: 0.1 } } }");
  run.Set("x", "5");
  run.Tick(2);
  const auto wave = PoseOf(*run.rig, "wave", 1);
  const int elbow = run.rig->FindJoint("r_elbow");
  const float whole = AngleBetween(wave.view().rotation(elbow), {});
  EXPECT_GT(whole, 0.5f);
  EXPECT_NEAR(AngleBetween(run.pose.view().rotation(elbow), {}), whole / 2, 0.05f);
  EXPECT_THAT(ErrorsOf(std::string("output: 'top'") + kTwo +
                       "additive { below: 'rest' delta: 'wave' reference: 'rest' } }"),
              HasSubstr("field reference: node \"rest\" is already used by \"top\""));
}

constexpr char kMachine[] = R"(
    output: 'm' events: 'go'
    variables { name: 'n' number { } }
    variables { name: 'at' choice { values: 'calm' values: 'busy' values: 'none' } }
    nodes { name: 'a' pose {} }
    nodes { name: 'b' pose { clip: 'wave' time_s: 1 } }
    nodes { name: 'm' state_machine { states { name: 'calm' node: 'a' } states { name: 'busy' node: 'b' } )";

TEST(BuildStateMachine, GoesByItsTableAndTells) {
  GraphRun run(std::string(kMachine) + R"(
      transitions { from: 'calm' to: 'busy' event: 'go' duration_s: 0.4
                    conditions { variable: 'n' compare: GREATER value: '3' } }
      transitions { from: 'busy' to: 'calm' after_s: 1 }
      follow: 'at' } })");
  run.Tick(2);
  run.Fire("go");
  run.Tick(2);
  EXPECT_EQ(run.Get("at"), "calm") << "n is not above 3";
  run.Set("n", "4");
  run.Fire("go");
  run.Tick();
  EXPECT_EQ(run.Get("at"), "busy");
  run.Tick(20);
  ExpectNear(run.pose.view(), PoseOf(*run.rig, "wave", 1).view());
  run.Tick(10);
  EXPECT_EQ(run.Get("at"), "calm");
  EXPECT_THAT(run.told, testing::ElementsAre("4 busy", "34 calm"));
}

TEST(BuildStateMachine, SaysWhatIsWrong) {
  EXPECT_THAT(ErrorsOf("output: 'm' nodes { name: 'm' state_machine {} }"),
              HasSubstr("node \"m\", field states: at least one"));
  EXPECT_THAT(
      ErrorsOf(std::string(kMachine) + R"(
          initial: 'clam'
          transitions { to: 'bussy' event: 'og' }
          transitions { from: 'x' to: 'busy' }
          transitions { to: 'busy' conditions { variable: 'at' compare: LESS value: 'calm' } }
          transitions { to: 'busy' conditions { variable: 'at' value: 'clam' } duration_s: 99 }
          follow: 'n' } })"),
      AllOf(
          HasSubstr(
              "field initial: there is no state \"clam\"; did you mean calm? Known are calm, busy"),
          HasSubstr("field transitions[0].to: there is no state \"bussy\""),
          HasSubstr("field transitions[0].event: the graph has no event \"og\"; did you mean go? "
                    "Known are go"),
          HasSubstr("field transitions[1].from: there is no state \"x\""),
          HasSubstr("field transitions[1]: it waits for nothing"),
          HasSubstr("field transitions[2].conditions[0].variable: variable \"at\" cannot"),
          HasSubstr("field transitions[3].conditions[0].value: "),
          HasSubstr("field transitions[3].duration_s: 99 is not within 0..10"),
          HasSubstr("field follow: variable \"n\" is a number; a choice is needed")));
}

TEST(BuildStateMachine, GoesOnAfterAReload) {
  const std::string text = std::string(kMachine) + "transitions { to: 'busy' event: 'go' } } }";
  GraphRun run(text);
  run.Tick(2);
  run.Fire("go");
  run.Tick(30);
  run.told.clear();
  run.Reload(text);
  run.Tick(10);
  EXPECT_TRUE(run.told.empty());
  ExpectNear(run.pose.view(), PoseOf(*run.rig, "wave", 1).view());
}

}  // namespace
}  // namespace posewire::graph
