// What an engine is given: settings, rigs, the graph, the limits that it shares, and the time.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_PARTS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_PARTS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "libs/graph/composite.h"
#include "libs/skel/rig.h"
#include "libs/stream/budget.h"
#include "services/anim_graph/core/observer.h"
#include "services/anim_graph/core/settings.h"

namespace posewire::anim_graph {

// Both clocks at one moment. Only the monotonic one schedules; the other one names epochs.
struct Now {
  int64_t ns = 0;  // monotonic
  double unix_s = 0;
};

// Shared by the engines of a process: the limits of what callers may make it keep, and how much is
// in use. docs/configuration.md has them all. Thread-safe.
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
        remembered({"remembered_requests", "requests are remembered", "--max-remembered"},
                   s.max_remembered),
        avatar_requests(
            {"requests_per_avatar", "requests play or wait", "--max-requests-per-avatar"},
            s.max_avatar_requests),
        stream_pulls({"pulls_per_stream", "pulls are open", "--max-pulls-per-stream"},
                     s.max_stream_pulls) {}

  // Of the process. New streams, pushes and pulls need all but the last three.
  stream::Budget streams, avatars, pushes, pulls, buffered, frames, watchers, calls, remembered;
  // Of one avatar, and of one stream.
  stream::Limit avatar_requests, stream_pulls;

  std::array<const stream::Budget*, 6> needed() const {
    return {&streams, &avatars, &pushes, &pulls, &buffered, &frames};
  }
  std::array<const stream::Budget*, 9> budgets() const {
    return {&streams, &avatars,  &pushes, &pulls,     &buffered,
            &frames,  &watchers, &calls,  &remembered};
  }
  std::array<const stream::Limit*, 2> limits() const { return {&avatar_requests, &stream_pulls}; }
};

using PlanPtr = std::shared_ptr<const graph::GraphPlan>;

struct EngineParts {
  std::shared_ptr<const EngineSettings> settings;
  std::shared_ptr<const skel::RigCatalog> catalog;
  PlanPtr plan;  // of all avatars but those of `targets`
  // Targets (target_object_id) whose avatars have a rig of their own and play what is pushed. Null:
  // the rig is made of the names of the first push.
  absl::flat_hash_map<std::string, PlanPtr> targets = {};
  // What plays what is pushed, on any rig.
  std::function<absl::StatusOr<PlanPtr>(std::shared_ptr<const skel::Rig>)> plan_of = {};
  std::shared_ptr<Capacity> capacity;
  Observer* observer = nullptr;  // may be null
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_PARTS_H_
