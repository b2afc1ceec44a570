// Makes the built-in graphs, and sets their gestures as the outside does.
#ifndef POSEWIRE_TESTS_UNIT_GRAPH_LOADER_COMPOSITE_HELPERS_H_
#define POSEWIRE_TESTS_UNIT_GRAPH_LOADER_COMPOSITE_HELPERS_H_

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/graph/graph_instance.h"
#include "libs/graph_loader/make_graph_asset.h"

namespace posewire::graph {

inline std::unique_ptr<GraphInstance> MakeComposite(
    absl::string_view graph, std::shared_ptr<const skel::Rig> rig,
    const std::shared_ptr<const clip::ClipLibrary>& clips, uint64_t seed) {
  const auto asset = MakeBuiltinGraphAsset(graph, std::move(rig), clips).value();
  return asset->Instantiate(asset, seed);
}

inline absl::Status Set(GraphInstance& graph, absl::string_view name, absl::string_view text) {
  Variables& variables = graph.variables();
  const auto index = variables.set().Index(name);
  if (!index.ok()) return index.status();
  const auto value = variables.set().spec(*index).Parse(text);
  if (!value.ok()) return value.status();
  variables.Set(*index, *value);
  return absl::OkStatus();
}

inline absl::Status SetGesture(GraphInstance& graph, absl::string_view name) {
  return Set(graph, "gesture_state", name);
}

}  // namespace posewire::graph

#endif  // POSEWIRE_TESTS_UNIT_GRAPH_LOADER_COMPOSITE_HELPERS_H_
