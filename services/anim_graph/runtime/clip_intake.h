// The thread that takes in clips that are put.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_CLIP_INTAKE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_CLIP_INTAKE_H_

#include <atomic>
#include <cstddef>
#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "libs/service/logger.h"
#include "libs/service/task_thread.h"
#include "posewire.control.v1.pb.h"
#include "services/anim_graph/runtime/graph_store.h"

namespace posewire::anim_graph {

// Reads and compresses clips one after another, which may take seconds each, so that neither ticks
// nor other calls wait for it; the system runs everything else first. Thread-safe.
class ClipIntake {
 public:
  // Besides the one that is being read.
  static constexpr size_t kMostWaiting = 8;

  using Done = absl::AnyInvocable<void(const absl::Status&)>;

  // `graphs` outlives this.
  explicit ClipIntake(GraphStore* graphs, service::Logger log = {});
  ~ClipIntake();
  ClipIntake(const ClipIntake&) = delete;
  ClipIntake& operator=(const ClipIntake&) = delete;

  // Calls `done` once: on the thread of the intake when the clip plays or is refused, or at once
  // with RESOURCE_EXHAUSTED when too many wait, or UNAVAILABLE after Close. `request` and
  // `response` live until then.
  void Put(const posewire::control::v1::PutClipRequest& request,
           posewire::control::v1::PutClipResponse* response, Done done);

  // Refuses all that wait and come, with UNAVAILABLE, and the one that is being read at its next
  // step. Does not wait for it.
  void Close() { closed_ = true; }

 private:
  struct Task {
    const posewire::control::v1::PutClipRequest* request;
    posewire::control::v1::PutClipResponse* response;
    Done done;
  };
  void Do(Task& task);
  absl::Status Take(const posewire::control::v1::PutClipRequest& request,
                    posewire::control::v1::PutClipResponse* response);

  GraphStore* const graphs_;
  const service::Logger log_;
  std::atomic<bool> closed_ = false;
  service::TaskThread thread_;  // last: its tasks use the rest
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_CLIP_INTAKE_H_
