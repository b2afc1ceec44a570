// Converts a graph's definition to one that can be played.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_MAKE_GRAPH_ASSET_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_MAKE_GRAPH_ASSET_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/clip/clip_library.h"
#include "libs/graph/graph_instance.h"
#include "libs/graph_loader/source_map.h"
#include "libs/skel/rig.h"
#include "posewire.graph.v1.pb.h"

namespace posewire::graph {

// Checks a graph and prepares it for `rig`. Clips of other rigs are retargeted to it; those that
// share nothing with it are omitted. INVALID_ARGUMENT lists every error, one per line: node, field,
// the problem, and valid values, preceded by file and line if `places` has them.
//
// Any thread; takes some milliseconds.
absl::StatusOr<std::shared_ptr<const GraphAsset>> MakeGraphAsset(
    const v1::AnimationGraph& graph, std::shared_ptr<const skel::Rig> rig,
    const std::shared_ptr<const clip::ClipLibrary>& clips, const SourceMap& places = SourceMap());

// The same for a built-in graph, "default" or "passthrough".
absl::StatusOr<std::shared_ptr<const GraphAsset>> MakeBuiltinGraphAsset(
    absl::string_view name, std::shared_ptr<const skel::Rig> rig,
    const std::shared_ptr<const clip::ClipLibrary>& clips);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_MAKE_GRAPH_ASSET_H_
