#include "services/anim_graph/ace_events.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::anim_graph {
namespace {

constexpr char kChannel[] = "animation_graph_events";

}  // namespace

std::string AceEvents::ToJson(const EventHub::Event& event) {
  const char* type = nullptr;
  if (event.type() == EventHub::Event::REQUEST_ENDED) type = "request_playback_ended";
  if (event.type() == EventHub::Event::REQUEST_INTERRUPTED) type = "request_playback_interrupted";
  if (type == nullptr) return "";
  return absl::StrCat("{\"event_type\": \"", type,
                      "\", \"stream_id\": ", service::QuoteText(event.stream_id()),
                      ", \"request_id\": ", service::QuoteText(event.request_id()), "}");
}

void AceEvents::Relay::Pump() {
  // One at a time, to keep the order.
  std::lock_guard lock(mutex);
  while (watch != nullptr) {
    const std::optional<EventHub::Event> event = watch->Take();
    if (!event) return;
    if (std::string text = ToJson(*event); !text.empty()) {
      publisher.Publish(kChannel, std::move(text));
    }
  }
}

absl::StatusOr<std::unique_ptr<AceEvents>> AceEvents::Start(const std::string& redis,
                                                            EventHub* events,
                                                            const service::Logger& log) {
  if (redis.empty()) return nullptr;
  auto address = service::ParseRedisAddress(redis);
  if (!address.ok()) return address.status();
  auto relay = std::make_shared<Relay>(service::RedisOptions{.address = *std::move(address)}, log);
  auto watch = events->Subscribe("", [weak = std::weak_ptr<Relay>(relay)] {
    if (auto there = weak.lock()) there->Pump();
  });
  {
    std::lock_guard lock(relay->mutex);
    relay->watch = std::move(watch);
  }
  return std::unique_ptr<AceEvents>(new AceEvents(std::move(relay)));
}

}  // namespace posewire::anim_graph
