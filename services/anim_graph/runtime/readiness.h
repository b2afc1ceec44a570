// Reports whether this process accepts new streams.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_READINESS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_READINESS_H_

#include <atomic>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "services/anim_graph/core/engine.h"

namespace posewire::anim_graph {

// Thread-safe.
class Readiness {
 public:
  explicit Readiness(const EngineParts& parts) : capacity_(parts.capacity) {}

  // The process is shutting down from now on.
  void Stop() { going_ = true; }

  // UNAVAILABLE with the reason why new streams should go to another server: this one is shutting
  // down or full.
  absl::Status Check() const {
    if (going_) return absl::UnavailableError("the server is shutting down");
    for (const stream::Budget* budget : capacity_->needed()) {
      if (!budget->full()) continue;
      const auto& [name, what, setting, unit] = budget->names();
      return absl::UnavailableError(absl::StrCat(budget->used() / unit, " ", what, ", and ",
                                                 setting, " allows ", budget->most() / unit));
    }
    return absl::OkStatus();
  }

 private:
  const std::shared_ptr<const Capacity> capacity_;
  std::atomic<bool> going_ = false;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_READINESS_H_
