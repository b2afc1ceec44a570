// The thread that reads clips uploaded with PutClip.
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

// Reads and compresses clips one after another. Each may take seconds, so this runs on its own
// low-priority thread, and neither ticks nor other calls wait for it. Thread-safe.
class ClipIntake {
 public:
  // Not counting the one that is being read.
  static constexpr size_t kMostWaiting = 8;

  using Done = absl::AnyInvocable<void(const absl::Status&)>;

  // `graphs` must outlive this.
  explicit ClipIntake(GraphStore* graphs, service::Logger log = {});
  ~ClipIntake();
  ClipIntake(const ClipIntake&) = delete;
  ClipIntake& operator=(const ClipIntake&) = delete;

  // Calls `done` once: on the intake's thread when the clip is active or rejected, or immediately
  // with RESOURCE_EXHAUSTED if too many are waiting, or UNAVAILABLE after Close. `request` and
  // `response` must live until then.
  void Put(const posewire::control::v1::PutClipRequest& request,
           posewire::control::v1::PutClipResponse* response, Done done);

  // Rejects all waiting and future clips with UNAVAILABLE, and also the one that is being read, at
  // its next step. Does not wait for it.
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
  service::TaskThread thread_;  // last, because its tasks use the other members
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_CLIP_INTAKE_H_
