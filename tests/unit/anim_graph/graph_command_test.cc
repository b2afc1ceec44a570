#include "services/anim_graph/graph_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "libs/graph_loader/graph_file.h"
#include "tests/support/no_temporary_folder.h"

namespace posewire::anim_graph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::internal::CaptureStderr;
using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStderr;
using ::testing::internal::GetCapturedStdout;

struct Outcome {
  int code;
  std::string out, err;
};

Outcome Graph(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "graph");
  CaptureStdout();
  CaptureStderr();
  const int code = RunGraphCommand(static_cast<int>(arguments.size()), arguments.data());
  Outcome outcome{code, GetCapturedStdout(), GetCapturedStderr()};
  return outcome;
}

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class GraphCommandTest : public ::testing::Test {
 protected:
  GraphCommandTest() {
    dir_ = std::filesystem::path(::testing::TempDir()) /
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(dir_);
  }
  ~GraphCommandTest() override { std::filesystem::remove_all(dir_); }
  std::string Path(const std::string& name) const { return (dir_ / name).string(); }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name) << text;
    return Path(name);
  }
  std::filesystem::path dir_;
};

TEST_F(GraphCommandTest, AGoodGraphPassesAndABadOneListsAllItsErrors) {
  EXPECT_EQ(Graph({"check", "default"}).code, 0);
  EXPECT_EQ(Graph({"check", "passthrough"}).code, 0);
  const std::string bad = Write("bad.txtpb", R"pb(
    name: "bad"
    output: "top"
    nodes {
      name: "top"
      layer { below: "nowhere" layer: "clip" }
    }
    nodes {
      name: "clip"
      clip { clip: "no_such_clip" }
    })pb");
  const Outcome outcome = Graph({"check", bad.c_str()});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("nowhere"));
  EXPECT_THAT(outcome.err, HasSubstr("no_such_clip"));
}

TEST_F(GraphCommandTest, WhatIsShownIsAGraphThatCanBeChecked) {
  const Outcome shown = Graph({"show", "default"});
  ASSERT_EQ(shown.code, 0);
  const std::string mine = Write("mine.txtpb", shown.out);
  EXPECT_EQ(Graph({"check", mine.c_str()}).code, 0);
  EXPECT_EQ(Graph({"show", mine.c_str()}).out, shown.out);
  EXPECT_EQ(Graph({"show", "/no/such/file"}).code, 1);
}

TEST_F(GraphCommandTest, TheListNamesVariablesWithTheirValuesAndAllNodes) {
  const Outcome outcome = Graph({"list", "default"});
  ASSERT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("gesture_state = none"));
  EXPECT_THAT(outcome.out, HasSubstr("wave"));
  const auto graph = graph::ParseGraph(*graph::BuiltinGraphText("default"));
  for (const auto& node : graph->nodes()) EXPECT_THAT(outcome.out, HasSubstr(node.name()));
}

TEST_F(GraphCommandTest, ADrawingHasEveryNodeItsUsersAndTheVariablesItFollows) {
  const auto graph = graph::ParseGraph(R"pb(
    name: "g \"q\""
    output: "top"
    variables {
      name: "play"
      choice { values: "none" values_from: GESTURES }
    }
    variables {
      name: "share"
      number { min: 0 max: 1 }
    }
    nodes {
      name: "idle"
      idle {}
    }
    nodes {
      name: "wave"
      clip { clip: "wave" }
    }
    nodes {
      name: "mix"
      layer {
        below: "idle"
        layer: "wave"
        weight { variable: "share" }
      }
    }
    nodes {
      name: "top"
      gesture { below: "mix" variable: "play" }
    })pb");
  ASSERT_TRUE(graph.ok()) << graph.status();
  const std::string dot = DrawDot(*graph);
  EXPECT_THAT(dot, HasSubstr("digraph \"g \\\"q\\\"\""));
  EXPECT_THAT(dot, HasSubstr("\"node idle\" -> \"node mix\";"));
  EXPECT_THAT(dot, HasSubstr("\"node wave\" -> \"node mix\" [label=\"layer\"];"));
  EXPECT_THAT(dot, HasSubstr("\"variable share\" -> \"node mix\""));
  EXPECT_THAT(dot, HasSubstr("\"variable play\" -> \"node top\""));
  EXPECT_THAT(dot, HasSubstr("clip wave"));
  EXPECT_THAT(dot, Not(HasSubstr("-> \"node wave\"")));
}

TEST_F(GraphCommandTest, GraphvizDrawsIt) {
  const std::string dot = Path("g.dot"), svg = Path("g.svg");
  EXPECT_EQ(Graph({"dot", "default", "--out", dot.c_str()}).code, 0);
  EXPECT_THAT(Read(dot), HasSubstr("digraph \"default\""));
  const NoTemporaryFolder none;
  const Outcome drawn = Graph({"dot", "default", "--out", svg.c_str()});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_THAT(Read(svg), HasSubstr("<svg"));
  EXPECT_THAT(Read(svg), HasSubstr("gesture_state"));
}

TEST_F(GraphCommandTest, WrongArgumentsEndWithTwo) {
  EXPECT_EQ(Graph({}).code, 2);
  EXPECT_EQ(Graph({"paint", "default"}).code, 2);
  EXPECT_EQ(Graph({"check"}).code, 2);
}

}  // namespace
}  // namespace posewire::anim_graph
