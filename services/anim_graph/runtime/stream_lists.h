// Lists of all streams, made once for many callers so that tick threads do little work.
//
// A list is made only on request, and only one at a time. The engines are asked one after the
// other, for a piece of their streams each time, so that no tick waits longer than one piece takes.
// The list is given to all callers who asked before it was begun. Later callers share the next
// list, which includes the effects of their own earlier calls. docs/adr/0032 lists the rejected
// alternatives.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_STREAM_LISTS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_STREAM_LISTS_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "libs/service/logger.h"
#include "libs/service/task_thread.h"
#include "services/anim_graph/runtime/worker.h"

namespace posewire::anim_graph {

// Thread-safe.
class StreamLists {
 public:
  // Ordered by worker, and by id within a worker.
  using List = std::vector<Engine::StreamInfo>;
  using Done = absl::AnyInvocable<void(const absl::StatusOr<List>&)>;

  // `workers` must outlive this, and must be stopped before this is destroyed.
  StreamLists(Workers* workers, const service::Logger& log)
      : workers_(workers->all()), log_(log), answers_(log, {.what = "list"}) {}

  // Calls `done` once, on a thread of this class; the next list waits for it. Does not call `done`
  // if the workers stop first. The only errors are those of running out of memory.
  void Ask(Done done);

 private:
  struct Gathering;

  // Does nothing if no caller waits, or a list is in progress.
  void Begin();
  void GoOn(std::unique_ptr<Gathering> gathering);
  // Runs on the thread of the engine's worker.
  void Take(std::unique_ptr<Gathering> gathering, const Engine& engine);

  const std::vector<Worker*> workers_;
  const service::Logger log_;
  std::mutex mutex_;
  std::vector<Done> waiting_;  // guarded by mutex_; callers of the next list
  // Reset by the end of a Gathering, which may outlive this in a stopped worker.
  const std::shared_ptr<std::atomic<bool>> under_way_ = std::make_shared<std::atomic<bool>>(false);
  service::TaskThread answers_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_STREAM_LISTS_H_
