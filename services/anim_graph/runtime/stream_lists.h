// Lists of all streams, without the tick threads' making one for each who asks.
//
// A list is made when somebody wants it, and only one at a time. The engines are asked one after
// the other, for a piece of their streams each time, so that no tick waits for longer than a piece
// takes. It is given to all who asked before it was begun. Those who ask meanwhile share the next
// one: what they did before they asked is in it. docs/adr/0032 has what else was thought of.
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
  // By worker, and there in the order of their ids.
  using List = std::vector<Engine::StreamInfo>;
  using Done = absl::AnyInvocable<void(const absl::StatusOr<List>&)>;

  // `workers` outlives this, and has stopped before it goes.
  StreamLists(Workers* workers, const service::Logger& log)
      : workers_(workers->all()), log_(log), answers_(log, {.what = "list"}) {}

  // Calls `done` once, on a thread of the lists; the next list waits for
  // it. Drops it when the workers stop first. Errors are those of having no memory.
  void Ask(Done done);

 private:
  struct Gathering;

  // Unless nobody waits, or one is under way.
  void Begin();
  void GoOn(std::unique_ptr<Gathering> gathering);
  // On the thread of its worker.
  void Take(std::unique_ptr<Gathering> gathering, const Engine& engine);

  const std::vector<Worker*> workers_;
  const service::Logger log_;
  std::mutex mutex_;
  std::vector<Done> waiting_;  // guarded by mutex_; for the next list
  // Cleared by the end of a Gathering, which may outlive this in a worker that has stopped.
  const std::shared_ptr<std::atomic<bool>> under_way_ = std::make_shared<std::atomic<bool>>(false);
  service::TaskThread answers_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_STREAM_LISTS_H_
