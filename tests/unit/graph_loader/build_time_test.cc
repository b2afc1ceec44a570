// Mirrors, delays, arrangements and timelines from text.
#include "gmock/gmock.h"
#include "tests/unit/graph_loader/graph_text.h"

namespace posewire::graph {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(BuildMirror, LeftBecomesRight) {
  GraphRun plain("output: 'p' nodes { name: 'p' pose { clip: 'wave' time_s: 1 } }");
  GraphRun run(
      "output: 'm' variables { name: 'w' flag { default_value: true } } "
      "nodes { name: 'm' mirror { node: 'p' weight { variable: 'w' } } } "
      "nodes { name: 'p' pose { clip: 'wave' time_s: 1 } }");
  plain.Tick(2);
  run.Tick(2);
  const skel::Quat right = plain.turn("r_elbow");
  EXPECT_GT(AngleBetween(right, {}), 0.5f);
  EXPECT_LT(AngleBetween(run.turn("l_elbow"), {right.w, right.x, -right.y, -right.z}), 1e-3f);
  run.Set("w", "false");
  run.Tick(30);
  EXPECT_LT(AngleBetween(run.turn("r_elbow"), right), 1e-3f);
  EXPECT_THAT(ErrorsOf("output: 'm' nodes { name: 'm' mirror { node: 'x' weight { value: 3 } } }"),
              AllOf(HasSubstr("node \"m\", field node: there is no node \"x\""),
                    HasSubstr("field weight: 3 is not within 0..1")));
}

TEST(BuildDelay, ShowsWhatWas) {
  GraphRun now("output: 'c' nodes { name: 'c' clip { clip: 'wave' } }");
  GraphRun run(
      "output: 'd' variables { name: 's' number { default_value: 1 max: 4 } } "
      "nodes { name: 'd' delay { node: 'c' delay_s { variable: 's' } } } "
      "nodes { name: 'c' clip { clip: 'wave' } }");
  now.Tick(20);
  run.Tick(50);
  EXPECT_LT(LargestStep(now.pose.view(), run.pose.view()).degrees, 0.1);
  EXPECT_THAT(ErrorsOf("output: 'd' nodes { name: 'd' delay { node: 'c' delay_s { value: 11 } } } "
                       "nodes { name: 'c' clip { clip: 'wave' } }"),
              HasSubstr("node \"d\", field delay_s: 11 is not within 0..10"));
  EXPECT_THAT(ErrorsOf("output: 'd' nodes { name: 'd' delay { node: 'c' } } "
                       "nodes { name: 'c' clip { clip: 'wave' } }"),
              HasSubstr("field delay_s: a number, or a variable"));
}

constexpr char kShow[] = R"(
    output: 'top'
    events: 'cue'
    variables { name: 'play' choice { values: 'none' values_from: ARRANGEMENTS } }
    variables { name: 'line' choice { values: 'none' values_from: TIMELINES } }
    variables { name: 'at' number { } }
    variables { name: 'n' number { max: 5 } }
    clip_aliases { name: 'hello' clip: 'wave' }
    arrangements { name: 'greet' items { clip: 'hello' } items { pause_s: 0.5 }
                   items { clip: 'shrug' times: 2 speed: 2 } }
    timelines { name: 'show' length_s: 8
                clips { at_s: 0.5 clip: 'shrug' }
                arrangements { at_s: 3 arrangement: 'greet' }
                variables { at_s: 1 variable: 'n' value: '3' }
                events { at_s: 2 event: 'cue' } events { at_s: 0.2 event: 'hint' } }
    nodes { name: 'top' timeline { below: 'arr' variable: 'line' seek_variable: 'at'
                                   arrangement_variable: 'play' } }
    nodes { name: 'arr' arrangement { below: 'states' variable: 'play' } }
    nodes { name: 'states' state_machine {
      states { name: 'a' node: 'rest' } states { name: 'b' node: 'idle' }
      transitions { from: 'a' to: 'b' event: 'cue' } } }
    nodes { name: 'idle' idle {} }
    nodes { name: 'rest' pose {} })";

TEST(BuildArrangement, PlaysByNameAndTellsItsEnd) {
  GraphRun run(kShow);
  run.Tick(2);
  run.Set("play", "greet");
  run.Tick(30);
  const int elbow = run.rig->FindJoint("r_elbow");
  EXPECT_LT(DegreesFrom(*Gestures()->Find("wave"), 29 / 30.0, run.pose.view(), elbow), 0.5);
  EXPECT_GT(DegreesFrom(*Gestures()->Find("shrug"), 29 / 30.0, run.pose.view(), elbow), 10);
  const double length =
      Gestures()->Find("wave")->duration_s() + 0.5 + Gestures()->Find("shrug")->duration_s();
  run.Tick(static_cast<int>(length * 30) - 30);
  EXPECT_TRUE(run.told.empty());
  run.Tick(3);
  ASSERT_EQ(run.told.size(), 1u);
  EXPECT_THAT(run.told[0], HasSubstr(" greet"));
  EXPECT_EQ(run.Get("play"), "none");
}

TEST(BuildTimeline, PlaysWhatStandsOnIt) {
  GraphRun run(kShow);
  run.Tick(2);
  run.Set("line", "show");
  run.Tick(32);
  EXPECT_EQ(run.Get("n"), "3");
  // The time on the line is that of the first 31 ticks; the clip began half a second into it.
  const int elbow = run.rig->FindJoint("r_elbow");
  EXPECT_LT(DegreesFrom(*Gestures()->Find("shrug"), 31 / 30.0 - 0.5, run.pose.view(), elbow), 0.5);
  EXPECT_GT(DegreesFrom(*Gestures()->Find("wave"), 31 / 30.0 - 0.5, run.pose.view(), elbow), 10);
  run.Tick(32);
  EXPECT_THAT(run.told, ElementsAre("8 hint", "62 cue", "63 b")) << "fired for the next tick";
  run.Tick(30);
  EXPECT_EQ(run.Get("play"), "greet");
  run.Set("at", "7.9");
  run.Tick(5);
  EXPECT_THAT(run.told.back(), HasSubstr(" show"));
  EXPECT_EQ(run.Get("line"), "none");
}

TEST(BuildTables, SayWhatIsWrong) {
  EXPECT_THAT(ErrorsOf(R"(output: 'n' nodes { name: 'n' idle {} }
          variables { name: 'v' number { max: 5 } }
          arrangements { name: 'empty' }
          arrangements { name: 'a' items { } items { clip: 'wabe' } items { pause_s: -1 }
                         items { clip: 'wave' speed: 99 weight: -1 }
                         items { live { wait_s: -2 } } }
          timelines { name: 'endless' }
          timelines { name: 't' length_s: 5 clips { at_s: 6 clip: 'wabe' }
                      arrangements { arrangement: 'b' } variables { variable: 'w' value: '1' }
                      variables { variable: 'v' value: '7' } events { } })"),
              AllOf(HasSubstr("arrangement \"empty\", field items: at least one"),
                    HasSubstr("arrangement \"a\", field items[0]: one of clip, live, pause_s"),
                    HasSubstr("field items[1].clip: there is no clip \"wabe\"; did you mean wave?"),
                    HasSubstr("field items[2].pause_s: -1 is not within 0.."),
                    HasSubstr("field items[3].speed: 99 is not within 0.01..20"),
                    HasSubstr("field items[3].weight: -1 is not within"),
                    HasSubstr("field items[4].live.wait_s: -2 is not within"),
                    HasSubstr("timeline \"endless\", field length_s: a length above 0")));
  EXPECT_THAT(
      ErrorsOf(R"(output: 'n' nodes { name: 'n' idle {} }
          variables { name: 'v' number { max: 5 } }
          timelines { name: 't' length_s: 5 clips { at_s: 6 clip: 'wabe' }
                      arrangements { arrangement: 'b' } variables { variable: 'w' value: '1' }
                      variables { variable: 'v' value: '7' } events { } })"),
      AllOf(HasSubstr("timeline \"t\", field clips[0].at_s: 6 is not within 0..5"),
            HasSubstr("field clips[0].clip: there is no clip"),
            HasSubstr("field arrangements[0].arrangement: there is no arrangement \"b\""),
            HasSubstr("field variables[0].variable: "), HasSubstr("field variables[1].value: "),
            HasSubstr("field events[0].event: an event must be named")));
}

TEST(BuildTables, NodesSayWhatIsWrong) {
  EXPECT_THAT(
      ErrorsOf(
          R"(output: 'a' nodes { name: 'a' arrangement { below: 't' on_source: 'x' ease_s: 9 } }
          nodes { name: 't' timeline { below: 'i' variable: 'line' seek_variable: 'line' } }
          nodes { name: 'i' idle {} }
          variables { name: 'line' choice { values_from: TIMELINES } }
          arrangements { name: 'b' items { pause_s: 1 } }
          timelines { name: 't' length_s: 1 arrangements { arrangement: 'b' } })"),
      AllOf(HasSubstr("node \"a\", field on_source: there is no arrangement \"x\"; known are b"),
            HasSubstr("node \"a\", field ease_s: 9 is not within 0.02..5"),
            HasSubstr("node \"t\", field variable: variable \"line\" has no value \"none\""),
            HasSubstr("node \"t\", field seek_variable: variable \"line\" is a choice"),
            HasSubstr("node \"t\", field arrangement_variable: timeline \"t\" plays")));
  EXPECT_THAT(ErrorsOf("output: 'a' nodes { name: 'a' arrangement { below: 'i' } } "
                       "nodes { name: 'i' idle {} }"),
              HasSubstr("node \"a\", field variable: a choice must be named here, or"));
}

TEST(BuildTimeline, GoesOnAfterAReload) {
  GraphRun run(kShow);
  run.Set("line", "show");
  run.Tick(100);
  run.told.clear();
  run.Reload(kShow);
  run.Tick(141);
  EXPECT_THAT(run.told, testing::Contains("240 show")) << "8 s after its start";
  EXPECT_EQ(run.Get("line"), "none");
}

}  // namespace
}  // namespace posewire::graph
