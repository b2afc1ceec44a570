// Constructor arguments of an engine: settings, rigs, the graph, and limits shared by all engines.
// Also the type for time.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_PARTS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_PARTS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "libs/graph/graph_instance.h"
#include "libs/skel/rig.h"
#include "libs/stream/budget.h"
#include "services/anim_graph/core/call_context.h"
#include "services/anim_graph/core/observer.h"
#include "services/anim_graph/core/prop_catalog.h"
#include "services/anim_graph/core/settings.h"

namespace posewire::anim_graph {

// Both clocks at the same moment. Only the monotonic clock is used for scheduling; Unix time is
// used for epochs.
struct Now {
  int64_t ns = 0;  // monotonic
  double unix_s = 0;
};

// Limits on what clients can make the process hold, with current usage. Shared by all engines of
// the process. docs/configuration.md lists them. Thread-safe.
struct Capacity {
  explicit Capacity(const EngineSettings& s = {})
      : streams({"streams", "streams are open", "--max-streams"}, s.max_streams),
        avatars({"avatars", "avatars are alive", "--max-avatars"}, s.max_avatars),
        pushes({"pushes", "pushes are open", "--max-pushes"}, s.max_pushes),
        pulls({"pulls", "pulls are open", "--max-pulls"}, s.max_pulls),
        buffered({"buffered_bytes", "MiB of requests are buffered", "--max-buffered-mib", 1 << 20},
                 s.max_buffered_bytes),
        frames({"frame_bytes", "MiB of frames wait for pulls", "--max-frames-mib", 1 << 20},
               s.max_frame_bytes),
        watchers({"watchers", "calls watch events", "--max-watchers"}, s.max_watchers),
        calls({"calls", "control calls are under way", "--max-calls"}, s.max_calls),
        relayed({"relayed_calls", "calls are relayed", "--max-relayed"}, s.max_relayed),
        remembered({"remembered_requests", "requests are remembered", "--max-remembered"},
                   s.max_remembered),
        avatar_requests(
            {"requests_per_avatar", "requests play or wait", "--max-requests-per-avatar"},
            s.max_avatar_requests),
        stream_pulls({"pulls_per_stream", "pulls are open", "--max-pulls-per-stream"},
                     s.max_stream_pulls) {}

  // Process-wide budgets. Opening a stream, push or pull requires all of them except watchers,
  // calls, relayed calls and remembered requests.
  stream::Budget streams, avatars, pushes, pulls, buffered, frames, watchers, calls, relayed,
      remembered;
  // Limits per avatar and per stream.
  stream::Limit avatar_requests, stream_pulls;

  std::array<const stream::Budget*, 6> needed() const {
    return {&streams, &avatars, &pushes, &pulls, &buffered, &frames};
  }
  std::array<const stream::Budget*, 10> budgets() const {
    return {&streams, &avatars,  &pushes, &pulls,   &buffered,
            &frames,  &watchers, &calls,  &relayed, &remembered};
  }
  std::array<const stream::Limit*, 2> limits() const { return {&avatar_requests, &stream_pulls}; }
};

class PushLedger;
class Streams;
class StreamSnapshots;

using GraphAssetPtr = std::shared_ptr<const graph::GraphAsset>;

struct EngineParts {
  std::shared_ptr<const EngineSettings> settings;
  std::shared_ptr<const skel::RigCatalog> catalog;
  std::shared_ptr<const PropCatalog> props = {};  // null: none are known
  GraphAssetPtr asset;                            // for all avatars except those of `targets`
  // Targets (target_object_id) whose avatars have their own rig and play pushed poses unchanged.
  // Null: the rig is made from the names in the first push.
  absl::flat_hash_map<std::string, GraphAssetPtr> targets = {};
  // Makes a graph that plays pushed poses on the given rig.
  std::function<absl::StatusOr<GraphAssetPtr>(std::shared_ptr<const skel::Rig>)> asset_of = {};
  std::shared_ptr<Capacity> capacity;
  Observer* observer = nullptr;          // may be null
  StreamDirectory* directory = nullptr;  // null: streams need no leases
  // Null: streams are not saved for other processes.
  std::function<std::unique_ptr<StreamSnapshots>(const EngineParts*, Streams*, PushLedger*)>
      snapshots = {};
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_PARTS_H_
