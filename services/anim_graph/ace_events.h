// ACE's events on Redis. ACE's controller waits for them before it sends the next sentence.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_ACE_EVENTS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_ACE_EVENTS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/service/logger.h"
#include "libs/service/redis/redis_publisher.h"
#include "services/anim_graph/runtime/event_hub.h"

namespace posewire::anim_graph {

// Publishes an event on the channel "animation_graph_events" for each request that has ended:
//   {"event_type": "request_playback_ended", "stream_id": "s1", "request_id": "r1"}
// "request_playback_ended" is sent with the last sample, before the pose has blended out.
// "request_playback_interrupted" is sent if the request was stopped or replaced by another one.
class AceEvents {
 public:
  // `redis` is an address for ParseRedisAddress. Returns null if it is empty. `events` must outlive
  // the result.
  static absl::StatusOr<std::unique_ptr<AceEvents>> Start(const std::string& redis,
                                                          EventHub* events,
                                                          const service::Logger& log);
  // Returns the message for an event, or an empty string if ACE has no such event.
  static std::string ToJson(const EventHub::Event& event);

 private:
  // Shared with the hub, so that it survives while the hub is calling it.
  struct Relay {
    Relay(service::RedisOptions options, const service::Logger& log)
        : publisher(std::move(options), log) {}
    void Pump();
    service::RedisPublisher publisher;
    std::mutex mutex;
    std::shared_ptr<EventHub::Watch> watch;  // guarded by mutex
  };
  explicit AceEvents(std::shared_ptr<Relay> relay) : relay_(std::move(relay)) {}

  std::shared_ptr<Relay> relay_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_ACE_EVENTS_H_
