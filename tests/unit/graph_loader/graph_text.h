// Makes and runs graphs that tests write as text.
#ifndef POSEWIRE_TESTS_UNIT_GRAPH_LOADER_GRAPH_TEXT_H_
#define POSEWIRE_TESTS_UNIT_GRAPH_LOADER_GRAPH_TEXT_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "libs/graph/graph_instance.h"
#include "libs/graph_loader/graph_file.h"
#include "libs/graph_loader/make_graph_asset.h"
#include "tests/unit/graph/helpers.h"
#include "tests/unit/graph_loader/composite_helpers.h"

namespace posewire::graph {

inline std::string DefaultText() { return *BuiltinGraphText("default"); }

// What the loader says to a graph; empty when it takes it.
inline std::string ErrorsOf(const std::string& text,
                            const std::shared_ptr<const clip::ClipLibrary>& clips = Gestures()) {
  const auto graph = ParseGraph(text);
  if (!graph.ok()) return std::string(graph.status().message());
  return std::string(MakeGraphAsset(*graph, BuiltinRig(), clips).status().message());
}

// Runs a graph at 30 ticks a second.
class GraphRun {
 public:
  explicit GraphRun(const std::string& text, uint64_t seed = 1,
                    const std::shared_ptr<const clip::ClipLibrary>& clips = Gestures()) {
    Make(text, seed, clips);
  }
  // Replaces the graph as a reload does.
  void Reload(const std::string& text,
              const std::shared_ptr<const clip::ClipLibrary>& clips = Gestures()) {
    const auto old = std::move(graph);
    Make(text, 99, clips);
    graph->TakeOver(*old, pose.view());
  }
  void Tick(int times = 1) {
    for (int i = 0; i < times; ++i, ++tick) {
      last.span().CopyFrom(pose.view());
      graph->Tick(tick, static_cast<double>(tick) / 30, 1 / 30.0, inputs, pose.span());
      for (int e = 0; e < graph->outputs().event_count; ++e) {
        const GraphEvent& event = graph->outputs().events[static_cast<size_t>(e)];
        told.push_back(std::to_string(tick) + " " + std::string(event.name));
      }
    }
  }
  void Set(absl::string_view name, absl::string_view value) {
    const absl::Status s = graph::Set(*graph, name, value);
    EXPECT_TRUE(s.ok()) << s;
  }
  void Fire(absl::string_view event) {
    const auto events = graph->asset().events();
    for (size_t i = 0; i < events.size(); ++i) {
      if (events[i] == event) return graph->Fire(static_cast<int>(i));
    }
    ADD_FAILURE() << "no event " << event;
  }
  std::string Get(absl::string_view name) const {
    const Variables& v = graph->variables();
    const int i = v.set().Find(name);
    return v.set().spec(i).Format(v.value(i));
  }
  float weight(const char* shape) const { return pose.view().weights[rig->FindShape(shape)]; }
  skel::Quat turn(const char* joint) const { return pose.view().rotation(rig->FindJoint(joint)); }
  Step step() const { return LargestStep(last.view(), pose.view()); }

  std::shared_ptr<const skel::Rig> rig = BuiltinRig();
  std::unique_ptr<GraphInstance> graph;
  Inputs inputs;
  int64_t tick = 0;
  skel::Pose pose{rig->joints(), rig->shapes()}, last = pose;
  std::vector<std::string> told;  // "tick name"

 private:
  void Make(const std::string& text, uint64_t seed,
            const std::shared_ptr<const clip::ClipLibrary>& clips) {
    const auto parsed = ParseGraph(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    const auto asset = MakeGraphAsset(*parsed, rig, clips);
    ASSERT_TRUE(asset.ok()) << asset.status();
    graph = (*asset)->Instantiate(*asset, seed);
  }
};

}  // namespace posewire::graph

#endif  // POSEWIRE_TESTS_UNIT_GRAPH_LOADER_GRAPH_TEXT_H_
