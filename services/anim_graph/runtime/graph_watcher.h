// The thread that watches a graph's files and passes new versions to the workers.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_GRAPH_WATCHER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_GRAPH_WATCHER_H_

#include <condition_variable>
#include <mutex>
#include <thread>

#include "libs/service/logger.h"
#include "services/anim_graph/runtime/event_hub.h"
#include "services/anim_graph/runtime/graph_store.h"
#include "services/anim_graph/runtime/worker.h"

namespace posewire::anim_graph {

// Checks every quarter of a second. New versions, from files or the API, are passed to all workers
// and reported to watchers, as are the errors of rejected ones.
class GraphWatcher {
 public:
  // All arguments must outlive this.
  GraphWatcher(GraphStore* graphs, Workers* workers, EventHub* events, service::Logger log);
  ~GraphWatcher();
  GraphWatcher(const GraphWatcher&) = delete;
  GraphWatcher& operator=(const GraphWatcher&) = delete;

 private:
  void Run();

  GraphStore* const graphs_;
  const service::Logger log_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_GRAPH_WATCHER_H_
