// From a written graph to one that can be played.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_PLAN_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_PLAN_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/clip/clip_library.h"
#include "libs/graph/composite.h"
#include "libs/graph_loader/source_map.h"
#include "libs/skel/rig.h"
#include "posewire.graph.v1.pb.h"

namespace posewire::graph {

// Checks a graph and makes it ready for `rig`. Clips of other rigs are carried over to it; those
// that share nothing with it are left out. INVALID_ARGUMENT lists every error, a line each: node,
// field, what is wrong, what would be right; before it file and line, where `places` knows them.
//
// Any thread; takes some milliseconds.
absl::StatusOr<std::shared_ptr<const GraphPlan>> MakePlan(
    const v1::AnimationGraph& graph, std::shared_ptr<const skel::Rig> rig,
    const std::shared_ptr<const clip::ClipLibrary>& clips, const SourceMap& places = SourceMap());

// The same for a built-in graph, "default" or "passthrough".
absl::StatusOr<std::shared_ptr<const GraphPlan>> MakeBuiltinPlan(
    absl::string_view name, std::shared_ptr<const skel::Rig> rig,
    const std::shared_ptr<const clip::ClipLibrary>& clips);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_PLAN_H_
