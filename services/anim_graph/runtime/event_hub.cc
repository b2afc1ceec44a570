#include "services/anim_graph/runtime/event_hub.h"

#include <utility>

#include "libs/stream/pull_errors.h"
#include "services/anim_graph/runtime/worker.h"

namespace posewire::anim_graph {
namespace {

using Event = EventHub::Event;

Event::Type TypeOf(graph::GraphEvent::Kind kind) {
  switch (kind) {
    case graph::GraphEvent::kGestureStarted:
      return Event::GESTURE_STARTED;
    case graph::GraphEvent::kGestureEnded:
      return Event::GESTURE_ENDED;
    case graph::GraphEvent::kGestureInterrupted:
      return Event::GESTURE_INTERRUPTED;
    case graph::GraphEvent::kArrangementEnded:
      return Event::ARRANGEMENT_ENDED;
    case graph::GraphEvent::kTimelineEvent:
      return Event::TIMELINE_EVENT;
    case graph::GraphEvent::kTimelineEnded:
      return Event::TIMELINE_ENDED;
    case graph::GraphEvent::kStateEntered:
      return Event::STATE_ENTERED;
    case graph::GraphEvent::kUserActed:
      return Event::USER_ACTED;
    case graph::GraphEvent::kPropReached:
      return Event::PROP_REACHED;
    case graph::GraphEvent::kPropOutOfReach:
      return Event::PROP_OUT_OF_REACH;
    case graph::GraphEvent::kPlaceReached:
      return Event::PLACE_REACHED;
  }
  return Event::TYPE_UNSPECIFIED;
}

Event::Type TypeOf(const EngineEvent& event) {
  switch (event.kind) {
    case EngineEvent::kAvatarMade:
      return Event::AVATAR_MADE;
    case EngineEvent::kAvatarRemoved:
      return Event::AVATAR_REMOVED;
    case EngineEvent::kRequestStarted:
      return Event::REQUEST_STARTED;
    case EngineEvent::kRequestEnded:
      return Event::REQUEST_ENDED;
    case EngineEvent::kRequestInterrupted:
    case EngineEvent::kRequestRejected:
      return Event::REQUEST_INTERRUPTED;
    case EngineEvent::kPushRejected:
      return Event::TYPE_UNSPECIFIED;  // no request has changed
    case EngineEvent::kUnderrun:
      return Event::UNDERRUN;
    case EngineEvent::kResumed:
      return Event::RESUMED;
    case EngineEvent::kSourceLost:
    case EngineEvent::kSourceSilent:
      return Event::SOURCE_LOST;
    case EngineEvent::kGap:
      return Event::GAP;
    case EngineEvent::kPullOverdue:
      return Event::PULL_OVERDUE;
    case EngineEvent::kGraphTold:
      return TypeOf(event.graph);
    case EngineEvent::kPropAttached:
      return Event::PROP_ATTACHED;
    case EngineEvent::kPropDetached:
      return Event::PROP_DETACHED;
    case EngineEvent::kPropFailed:
      return Event::PROP_FAILED;
  }
  return Event::TYPE_UNSPECIFIED;
}

}  // namespace

std::optional<Event> EventHub::Watch::Take() {
  std::lock_guard lock(mutex_);
  if (events_.empty()) return std::nullopt;
  Event event = *events_.front();
  events_.pop_front();
  event.set_missed(event.missed() + std::exchange(missed_, 0));
  return event;
}

std::optional<absl::Status> EventHub::Watch::over() {
  std::lock_guard lock(mutex_);
  return events_.empty() ? ended_ : std::nullopt;
}

void EventHub::Watch::Add(std::shared_ptr<const Event> event) {
  {
    std::lock_guard lock(mutex_);
    if (events_.size() >= kCapacity) {
      missed_ += 1 + events_.front()->missed();
      events_.pop_front();
    }
    events_.push_back(std::move(event));
  }
  if (wake_) wake_();
}

void EventHub::Watch::End(const absl::Status& why) {
  {
    std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = why;
  }
  if (wake_) wake_();
}

std::shared_ptr<EventHub::Watch> EventHub::Subscribe(std::string stream_id,
                                                     std::function<void()> wake,
                                                     stream::Reservation place, LeasePtr lease) {
  auto watch = std::make_shared<Watch>();
  watch->stream_id_ = std::move(stream_id);
  watch->wake_ = std::move(wake);
  watch->place_ = std::move(place);
  watch->lease_ = std::move(lease);
  std::lock_guard lock(mutex_);
  std::erase_if(watches_, [](const auto& w) { return w.expired(); });
  if (closed_) watch->ended_ = stream::ShuttingDown();
  // The lease may have been lost before this watch could be told.
  if (watch->lease_ != nullptr && watch->lease_->until_ns == 0) {
    watch->ended_ = absl::UnavailableError("the stream is served elsewhere; connect again");
  }
  watches_.push_back(watch);
  return watch;
}

void EventHub::On(const EngineEvent& event) {
  if (then_ != nullptr) then_->On(event);
  Event out;
  out.set_type(TypeOf(event));
  if (out.type() == Event::TYPE_UNSPECIFIED) return;
  out.set_stream_id(event.stream_id);
  out.set_target_object_id(event.target_object_id);
  out.set_request_id(event.request_id);
  const bool named = event.kind == EngineEvent::kGraphTold ||
                     event.kind == EngineEvent::kPropAttached ||
                     event.kind == EngineEvent::kPropDetached;
  (named ? out.mutable_name() : out.mutable_detail())->assign(event.detail);
  out.set_time_code_s(event.time_code_s);
  out.set_traceparent(event.traceparent);
  Publish(std::move(out));
}

void EventHub::Say(Event::Type type, std::string name, std::string detail) {
  Event event;
  event.set_type(type);
  event.set_name(std::move(name));
  event.set_detail(std::move(detail));
  Publish(std::move(event));
}

void EventHub::Close() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }
  for (const auto& watch : watches()) watch->End(stream::ShuttingDown());
}

void EventHub::End(const StreamDirectory::LostLease& lost) {
  for (const auto& watch : watches()) {
    if (watch->lease_ == lost.lease) watch->End(lost.why);
  }
}

std::vector<std::shared_ptr<EventHub::Watch>> EventHub::watches() {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Watch>> out;
  for (const auto& w : watches_) {
    if (auto watch = w.lock()) out.push_back(std::move(watch));
  }
  return out;
}

void EventHub::Publish(Event event) {
  event.set_time_s(ReadClocks().unix_s);
  const auto shared = std::make_shared<const Event>(std::move(event));
  for (const auto& watch : watches()) {
    const bool of_all = watch->stream_id_.empty() || shared->stream_id().empty();
    if (of_all || watch->stream_id_ == shared->stream_id()) watch->Add(shared);
  }
}

}  // namespace posewire::anim_graph
