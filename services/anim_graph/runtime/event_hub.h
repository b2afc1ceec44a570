// Delivers events from the workers to all watchers.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_EVENT_HUB_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_EVENT_HUB_H_

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "posewire.control.v1.pb.h"
#include "services/anim_graph/core/engine.h"

namespace posewire::anim_graph {

// Each watcher has its own queue, so that a slow one does not block others. Thread-safe.
class EventHub : public Observer {
 public:
  using Event = posewire::control::v1::Event;

  // One watcher. Ends when its last owner releases it.
  class Watch {
   public:
    // Holds kCapacity events. When the queue is full, the oldest event is dropped, and the next
    // event that is taken reports how many were dropped (`missed`).
    static constexpr size_t kCapacity = 1024;
    // Returns the next event, if there is one.
    std::optional<Event> Take();
    // Once no more events will come and the queue is empty, returns why.
    std::optional<absl::Status> over();
    const std::string& stream_id() const { return stream_id_; }

    // For other sources than the hub. Any thread.
    void Add(std::shared_ptr<const Event> event);
    // Only the first reason counts.
    void End(const absl::Status& why);
    // Kept until the end of the watch.
    void Keep(std::shared_ptr<void> source) { source_ = std::move(source); }

   private:
    friend class EventHub;
    stream::Reservation place_;
    LeasePtr lease_;              // of the stream; null: needs none
    std::string stream_id_;       // empty: all
    std::function<void()> wake_;  // called without holding the lock
    std::mutex mutex_;
    // Events are shared by all watchers; guarded by mutex_.
    std::deque<std::shared_ptr<const Event>> events_;
    uint64_t missed_ = 0;                // guarded by mutex_
    std::optional<absl::Status> ended_;  // guarded by mutex_
    std::shared_ptr<void> source_;
  };

  // `then` (may be null) also receives each engine event, on the worker's thread.
  explicit EventHub(Observer* then = nullptr) : then_(then) {}

  // `wake` is called on the thread that publishes an event. It must not block or take long.
  // `place`: the watcher's budget reservation. `lease`: of the stream, kept while it is watched.
  std::shared_ptr<Watch> Subscribe(std::string stream_id, std::function<void()> wake,
                                   stream::Reservation place = stream::Reservation(),
                                   LeasePtr lease = nullptr);

  void On(const EngineEvent& event) override;
  // Publishes an event of the process, to the watchers of all streams.
  void Say(Event::Type type, std::string name, std::string detail);
  // No more events will come because the process is shutting down. Wakes all watchers.
  void Close();
  // The same for the watchers of a stream that has ended here.
  void End(const StreamDirectory::LostLease& lost);

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
