// Whether this process wants new streams.
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
  explicit Readiness(const EngineParts& parts)
      : settings_(parts.settings), capacity_(parts.capacity) {}

  // From now on the process is going.
  void Stop() { going_ = true; }

  // UNAVAILABLE says why new streams go better elsewhere: the process is going, or full.
  absl::Status Check() const {
    if (going_) return absl::UnavailableError("the server is shutting down");
    if (capacity_->streams >= settings_->max_streams) {
      return absl::UnavailableError(
          absl::StrCat("there are ", settings_->max_streams, " streams, as many as --max-streams"));
    }
    if (capacity_->avatars >= settings_->max_avatars) {
      return absl::UnavailableError(
          absl::StrCat("there are ", settings_->max_avatars, " avatars, as many as --max-avatars"));
    }
    return absl::OkStatus();
  }

 private:
  const std::shared_ptr<const EngineSettings> settings_;
  const std::shared_ptr<const Capacity> capacity_;
  std::atomic<bool> going_ = false;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_READINESS_H_
