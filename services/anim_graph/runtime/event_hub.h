// Carries events from the workers to all who watch.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_EVENT_HUB_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_EVENT_HUB_H_

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "posewire.control.v1.pb.h"
#include "services/anim_graph/core/engine.h"

namespace posewire::anim_graph {

// Thread-safe. What is said waits in each watcher's own queue, so that a slow one holds up nobody.
class EventHub : public Observer {
 public:
  using Event = posewire::control::v1::Event;

  // One who watches; ends with its last owner.
  class Watch {
   public:
    // Holds kCapacity events. In a full queue the oldest gives way, and the next event that is
    // taken says how many did (`missed`).
    static constexpr size_t kCapacity = 1024;
    // The next event, if there is one.
    std::optional<Event> Take();
    // True once the hub is closed and the queue is empty.
    bool over();

   private:
    friend class EventHub;
    stream::Share place_;
    std::string stream_id_;       // empty: all
    std::function<void()> wake_;  // called without the lock
    std::mutex mutex_;
    // Shared by all who watch; guarded by mutex_.
    std::deque<std::shared_ptr<const Event>> events_;
    uint64_t missed_ = 0;  // guarded by mutex_
    bool closed_ = false;  // guarded by mutex_
  };

  // `then` (may be null) is told each engine event too, on the worker's thread.
  explicit EventHub(Observer* then = nullptr) : then_(then) {}

  // `wake` is called on the thread where an event comes up, and must not block or take long.
  // `place`: what the watch holds of a budget.
  std::shared_ptr<Watch> Subscribe(std::string stream_id, std::function<void()> wake,
                                   stream::Share place = stream::Share());

  void On(const EngineEvent& event) override;
  // An event of the process: of all streams.
  void Say(Event::Type type, std::string name, std::string detail);
  // No more will come: the process is going. Wakes all who watch.
  void Close();

 private:
  void Publish(Event event);
  std::vector<std::shared_ptr<Watch>> watches();

  Observer* const then_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<Watch>> watches_;  // guarded by mutex_
  bool closed_ = false;                        // guarded by mutex_
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_EVENT_HUB_H_
