#include "libs/graph_loader/make_graph_asset.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/graph_loader/graph_file.h"
#include "tests/unit/graph/helpers.h"
#include "tests/unit/graph_loader/graph_text.h"

namespace posewire::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

TEST(GraphFile, ReadsTextAndJsonAlike) {
  const auto text = ParseGraph("name: 'a' output: 'i' nodes { name: 'i' idle {} }");
  const auto json = ParseGraph(R"( {"name":"a","output":"i","nodes":[{"name":"i","idle":{}}]} )");
  ASSERT_TRUE(text.ok()) << text.status();
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(text->SerializeAsString(), json->SerializeAsString());
}

TEST(GraphFile, ErrorsOfTextSayLineAndColumn) {
  EXPECT_THAT(ErrorsOf("name: 'a'\noutptu: 'i'\n"),
              StartsWith("2:7: there is no field \"outptu\" here; did you mean output?"));
  EXPECT_THAT(ErrorsOf("{\"name\": 1"), HasSubstr("JSON"));
}

TEST(GraphFile, AllErrorsOfATextAreListed) {
  const std::vector<std::string> errors = absl::StrSplit(ErrorsOf(R"(name: 'a'
      outptu: 'i'
      nodes {
        name: 'i'
        idle {
          sway: 'much'
          breahting { depth: 1 }
        }
        layer { below: 7 }
      }
      any_rig: maybe
      nodes { name: 'never closed')"),
                                                         '\n');
  ASSERT_EQ(errors.size(), 5u) << absl::StrJoin(errors, "\n");
  EXPECT_THAT(errors[0], StartsWith("2:"));
  EXPECT_THAT(errors[1], StartsWith("6:"));
  EXPECT_THAT(errors[2], StartsWith("7:"));
  EXPECT_THAT(errors[3], StartsWith("9:"));
  EXPECT_THAT(errors[4], StartsWith("12:"));  // protobuf tells of a value at what follows it
}

TEST(GraphFile, ErrorsOfWhatItMeansSayTheLineToo) {
  SourceMap places;
  const auto graph = ParseGraph(R"(name: 'a'
      output: 'top'
      nodes {
        name: 'top'
        layer {
          layer: 'clip'
          below: 'nowhere'
        }
      }
      nodes { name: 'clip' clip {
        clip: 'wabe'
      } }
      arrangements {
        name: 'days' items { clip: 'wave' }
        items { clip: 'wave'
                speed: 99 }
      })",
                                "my.graph.txtpb", &places);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const absl::Status wrong = MakeGraphAsset(*graph, BuiltinRig(), Gestures(), places).status();
  const std::vector<std::string> lines = absl::StrSplit(wrong.message(), '\n');
  EXPECT_THAT(lines,
              UnorderedElementsAre(
                  StartsWith("my.graph.txtpb:16: arrangement \"days\", field items[1].speed: 99"),
                  StartsWith("my.graph.txtpb:7: node \"top\", field below: there is no node"),
                  StartsWith("my.graph.txtpb:11: node \"clip\", field clip: there is no clip")));
}

TEST(GraphFile, WhatIsNoFileIsRejectedAndNotWaitedFor) {
  const std::string pipe = testing::TempDir() + "/graph_file_pipe.txtpb";
  unlink(pipe.c_str());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, testing::TempDir(), std::string("/dev/zero")}) {
    EXPECT_THAT(std::string(ReadGraph(path).status().message()),
                AllOf(HasSubstr(path), HasSubstr("a regular file is needed")));
  }
  unlink(pipe.c_str());
  EXPECT_THAT(std::string(ReadGraph("/nowhere.txtpb").status().message()),
              HasSubstr("No such file"));
}

TEST(GraphFile, AFileThatIsTooLargeIsRejected) {
  const std::string path = testing::TempDir() + "/graph_file_large.txtpb";
  std::ofstream(path) << "name: 'a'" << std::string(5 << 20, ' ');
  EXPECT_THAT(std::string(ReadGraph(path).status().message()),
              HasSubstr("at most 4194304 are read"));
  unlink(path.c_str());
}

TEST(GraphFile, ItsTextsAreUtf8) {
  EXPECT_THAT(ErrorsOf("name: 'a\\377' output: 'i' nodes { name: 'i' idle {} }"),
              HasSubstr("not UTF-8"));
  EXPECT_EQ(ErrorsOf("name: 'a\\303\\251' output: 'i' nodes { name: 'i' idle {} }"), "");
}

// Nodes that stand above one another, all but the last one of a kind that hands on.
std::string Tower(int height) {
  std::string text = "output: 'n1' ";
  for (int i = 1; i < height; ++i) {
    absl::StrAppend(&text, "nodes { name: 'n", i, "' mirror { node: 'n", i + 1, "' } } ");
  }
  return absl::StrCat(text, "nodes { name: 'n", height, "' idle {} }");
}

TEST(LoadedGraph, RejectsTowersThatWouldNotFitTheStack) {
  EXPECT_EQ(ErrorsOf(Tower(100)), "");
  EXPECT_THAT(ErrorsOf(Tower(101)),
              HasSubstr("node \"n100\", field node: node \"n101\" has 100 nodes above it"));
  EXPECT_THAT(ErrorsOf(Tower(50000)), HasSubstr("nodes: 50000 are given; at most 1000 may be"));
}

TEST(LoadedGraph, ErrorsAreNotListedWithoutEnd) {
  std::string items, more;
  for (int i = 0; i < 1001; ++i) (i < 900 ? items : more) += "items { clip: 'no_such' } ";
  const std::string rest = "} output: 'i' nodes { name: 'i' idle {} }";
  const std::string errors = ErrorsOf(absl::StrCat("arrangements { name: 'a' ", items, rest));
  EXPECT_THAT(errors, AllOf(HasSubstr("items[99]"), HasSubstr("only the first 100 are listed")));
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 100);
  EXPECT_EQ(ErrorsOf(absl::StrCat("arrangements { name: 'a' ", items, more, rest)),
            "arrangement \"a\", field items: 1001 are given; at most 1000 may be");
}

TEST(LoadedGraph, AVectorStartsAtANumberThatCanBe) {
  EXPECT_THAT(ErrorsOf("variables { name: 'v' vector { y: 1e300 } } output: 'i' "
                       "nodes { name: 'i' idle {} }"),
              HasSubstr("variable \"v\", field vector: 1e+300 is not within +-1e6"));
}

TEST(LoadedGraph, TheBuiltInGraphsAreRight) {
  for (const char* name : {"default", "passthrough"}) {
    const auto asset = MakeBuiltinGraphAsset(name, BuiltinRig(), Gestures());
    ASSERT_TRUE(asset.ok()) << name << ":\n" << asset.status().message();
    EXPECT_EQ((*asset)->name(), name);
    EXPECT_EQ((*asset)->passthrough(), std::string(name) == "passthrough");
  }
}

TEST(LoadedGraph, ListsEveryErrorWithNodeAndField) {
  const std::string errors = ErrorsOf(R"(
      output: "top"
      variables { name: "gesture state" choice { values: "none" } }
      variables { name: "n" number { min: 1 max: 0 } }
      clip_aliases { name: "a" clip: "nothing" }
      nodes { name: "top" gesture { below: "idel" variable: "n" } }
      nodes { name: "idle" idle {} }
      nodes { name: "idle" blink { below: "idle" } })");
  EXPECT_THAT(errors, HasSubstr("\"gesture state\": a name is made of"));
  EXPECT_THAT(errors, HasSubstr("variable \"n\", field number.default_value: 0 is not within"));
  EXPECT_THAT(errors, HasSubstr("clip_alias \"a\", field clip: there is no clip \"nothing\""));
  EXPECT_THAT(errors, HasSubstr("node \"idle\": the name is used twice"));
  EXPECT_THAT(
      errors,
      HasSubstr("node \"top\", field below: there is no node \"idel\"; did you mean idle?"));
  EXPECT_THAT(errors, HasSubstr("node \"top\", field variable: variable \"n\" is a number"));
  EXPECT_THAT(errors, Not(HasSubstr("no other node names it"))) << "idle may be what was meant";
}

TEST(LoadedGraph, ChecksWhatAMisspeltNameLeavesApart) {
  const std::string errors = ErrorsOf(R"(output: 'top'
      nodes { name: 'calm' clip { clip: 'helo' } }
      nodes { name: 'moods' state_machine { states { name: 'a' node: 'calm' } follow: 'moood' } }
      nodes { name: 'top' gesture { below: 'mods' variable: 'act' } })");
  EXPECT_THAT(errors, HasSubstr("there is no node \"mods\"; did you mean moods?"));
  EXPECT_THAT(errors, HasSubstr("node \"calm\", field clip: there is no clip \"helo\""));
  EXPECT_THAT(errors, HasSubstr("node \"moods\", field follow: "));
  EXPECT_THAT(errors, Not(HasSubstr("no other node names it")));
}

TEST(LoadedGraph, RejectsRingsAndNodesWithTwoUsers) {
  EXPECT_THAT(ErrorsOf("output: 'a' nodes { name: 'a' provider { below: 'b' } } "
                       "nodes { name: 'b' provider { below: 'a' source_service_ids: 'x' } }"),
              HasSubstr("is above itself: output -> a -> b -> a"));
  EXPECT_THAT(
      ErrorsOf("output: 'a' nodes { name: 'a' blink { below: 'i' idle: 'i' } } "
               "nodes { name: 'b' blink { below: 'i' idle: 'i' } } nodes { name: 'i' idle {} }"),
      HasSubstr("node \"b\": no other node names it"));
  EXPECT_THAT(ErrorsOf("output: 'nowhere' nodes { name: 'i' idle {} }"),
              HasSubstr("output: there is no node \"nowhere\"; known are i"));
}

TEST(LoadedGraph, OneProviderTakesWhatNoOtherNames) {
  EXPECT_THAT(ErrorsOf("output: 'a' nodes { name: 'a' provider { below: 'b' } } "
                       "nodes { name: 'b' provider { } }"),
              HasSubstr("only one may take all that is left"));
  const auto rig = BuiltinRig();
  const auto asset = MakeGraphAsset(
      *ParseGraph("output: 'a' nodes { name: 'a' provider { plain: true below: 'b' } } "
                  "nodes { name: 'b' provider { plain: true source_service_ids: 'face' } }"),
      rig, nullptr);
  ASSERT_TRUE(asset.ok()) << asset.status().message();
  const auto graph = (*asset)->Instantiate(*asset, 1);
  skel::Pose one(rig->joints(), rig->shapes()), two = one, out = one;
  const int jaw = rig->FindShape("jawOpen");
  one.span().SetWeight(jaw, 0.25f);
  two.span().SetWeight(jaw, 0.5f);
  // "face" stands below, whichever came first.
  std::vector<ProviderInput> inputs(2);
  inputs[0].playback_id = 1, inputs[0].source_service_id = "other", inputs[0].pose = one.view();
  inputs[1].playback_id = 2, inputs[1].source_service_id = "face", inputs[1].pose = two.view();
  graph->Tick(0, 0, 1 / 30.0, Inputs{inputs}, out.span());
  EXPECT_EQ(out.view().weights[jaw], 0.25f);
  inputs.erase(inputs.begin());
  graph->Tick(1, 1 / 30.0, 1 / 30.0, Inputs{inputs}, out.span());
  EXPECT_EQ(out.view().weights[jaw], 0.5f);
}

TEST(GraphInstance, TakesOverVariablesAndTheGestureUnderWay) {
  const auto rig = BuiltinRig();
  const auto asset = MakeBuiltinGraphAsset("default", rig, Gestures()).value();
  auto a = asset->Instantiate(asset, 1);
  skel::Pose pose(rig->joints(), rig->shapes()), last = pose;
  ASSERT_TRUE(SetGesture(*a, "wave").ok());
  int64_t k = 0;
  const auto tick = [&](GraphInstance& g) {
    last.span().CopyFrom(pose.view());
    g.Tick(k, static_cast<double>(k) / 30, 1 / 30.0, {}, pose.span());
    ++k;
  };
  for (int i = 0; i < 30; ++i) tick(*a);
  // The same graph with another node on top.
  auto changed = ParseGraph(*BuiltinGraphText("default")).value();
  const std::string top = changed.output();
  changed.set_output("more");
  auto* more = changed.add_nodes();
  more->set_name("more");
  more->mutable_provider()->set_below(top);
  more->mutable_provider()->add_source_service_ids("extra");
  const auto second = MakeGraphAsset(changed, rig, Gestures());
  ASSERT_TRUE(second.ok()) << second.status().message();
  auto b = (*second)->Instantiate(*second, 1);
  b->TakeOver(*a, pose.view());
  a.reset();
  tick(*b);
  EXPECT_LT(LargestStep(last.view(), pose.view()).degrees, 12);
  // Where the ease from the graph before is over, the clip is at its time.
  for (int i = 0; i < 15; ++i) tick(*b);
  EXPECT_LT(DegreesFrom(*Gestures()->Find("wave"), 1.5, pose.view(), rig->FindJoint("r_elbow")),
            0.5);
  const Variables& v = b->variables();
  EXPECT_EQ(
      v.set().spec(v.set().Find("gesture_state")).Format(v.value(v.set().Find("gesture_state"))),
      "wave");
  bool ended = false;
  for (int i = 0; i < 120 && !ended; ++i) {
    tick(*b);
    for (int e = 0; e < b->outputs().event_count; ++e) {
      ended |= b->outputs().events[static_cast<size_t>(e)].kind == GraphEvent::kGestureEnded;
    }
  }
  EXPECT_TRUE(ended);
  EXPECT_EQ(v.choice(v.set().Find("gesture_state")), 0) << "settled on none";
}

}  // namespace
}  // namespace posewire::graph
