// What an engine is given: settings, rigs, the graph, the limits that it shares, and the time.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_PARTS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_PARTS_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/graph/composite.h"
#include "libs/skel/rig.h"
#include "libs/stream/busy.h"
#include "services/anim_graph/core/observer.h"
#include "services/anim_graph/core/settings.h"

namespace posewire::anim_graph {

// Both clocks at one moment. Only the monotonic one schedules; the other one names epochs.
struct Now {
  int64_t ns = 0;  // monotonic
  double unix_s = 0;
};

// How many of a kind the process has. Thread-safe.
class UseCount {
 public:
  // `what`: "streams are open".
  explicit UseCount(absl::string_view what) : what_(what) {}

  // One more, or RESOURCE_EXHAUSTED that asks to come again (stream::IsBusy) when there are `most`.
  absl::Status Take(int most) {
    if (count_.fetch_add(1) < most) return absl::OkStatus();
    --count_;
    return stream::BusyError(
        absl::StrCat(most, " ", what_, ", and no more than that may be; try again in 5 s"));
  }
  void Give(int count = 1) { count_ -= count; }
  operator int() const { return count_; }

 private:
  const absl::string_view what_;
  std::atomic<int> count_{0};
};

// Shared by the engines of a process: how much is in use, against the limits.
struct Capacity {
  UseCount streams{"streams are open"};
  UseCount avatars{"avatars are alive"};
};

struct EngineParts {
  std::shared_ptr<const EngineSettings> settings;
  std::shared_ptr<const skel::RigCatalog> catalog;
  std::shared_ptr<const graph::GraphPlan> plan;  // its rig is that of all avatars
  std::shared_ptr<Capacity> capacity;
  Observer* observer = nullptr;  // may be null
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_PARTS_H_
