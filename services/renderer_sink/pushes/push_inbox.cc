#include "services/renderer_sink/pushes/push_inbox.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/stream/busy.h"

namespace posewire::renderer_sink {
namespace {

using client::PullEvent;
using wire::StatusChunk;

// A paced request starts at most this long after its first data.
constexpr double kStartAfterData_s = 0.5;
// Playback of a request has stopped if its next message is this late.
constexpr double kLate_s = 0.05;
constexpr size_t kMostSpare = 16;
constexpr double kNever_s = std::numeric_limits<double>::infinity();

bool SameRequest(const wire::StreamIds& a, const wire::StreamIds& b) {
  return a.stream_id == b.stream_id && a.request_id == b.request_id;
}

// No id has control characters.
std::string MemoryKey(const wire::StreamIds& ids) {
  return absl::StrCat(ids.stream_id, "\n", ids.request_id);
}

}  // namespace

class PushInbox::Taker : public service::PushTaker {
 public:
  Taker(PushInbox* inbox, std::shared_ptr<Request> request, uint64_t call)
      : inbox_(inbox),
        kept_(inbox->weak_from_this().lock()),
        request_(std::move(request)),
        call_(call) {}

  bool Take(wire::Message* message) override {
    std::lock_guard lock(inbox_->mutex_);
    return inbox_->Take(*request_, call_, message);
  }
  wire::StatusChunk HalfClosed() override {
    std::lock_guard lock(inbox_->mutex_);
    if (request_->call == call_ && request_->state == State::kOpen) request_->state = State::kSent;
    return {wire::StatusChunk::kSuccess,
            absl::StrFormat("%d messages accepted", request_->messages)};
  }
  void Over(stream::PushEnd end, const absl::Status& why) override {
    std::lock_guard lock(inbox_->mutex_);
    inbox_->Over(*request_, call_, end, why);
  }

 private:
  PushInbox* const inbox_;
  const std::shared_ptr<PushInbox> kept_;
  const std::shared_ptr<Request> request_;
  const uint64_t call_;
};

absl::Status CheckTaken(const wire::StreamIds& own_ids, const wire::StreamIds& ids) {
  const struct {
    const char* field;
    const std::string& own;
    const std::string& said;
  } all[] = {{"stream_id", own_ids.stream_id, ids.stream_id},
             {"request_id", own_ids.request_id, ids.request_id},
             {"target_object_id", own_ids.target_object_id, ids.target_object_id}};
  for (const auto& [field, own, said] : all) {
    if (own.empty() || own == said) continue;
    return absl::NotFoundError(
        absl::StrCat(field, " is \"", said, "\", but this sink accepts only \"", own, "\""));
  }
  return absl::OkStatus();
}

std::shared_ptr<PushInbox::Request> PushInbox::FindRequest(const wire::StreamIds& ids) const {
  for (const auto& request : line_) {
    if (SameRequest(request->header.ids, ids)) return request;
  }
  return nullptr;
}

absl::Status PushInbox::Resume(Request& request, const wire::StreamHeader& header, bool resume) {
  const std::string id = absl::StrCat("request_id \"", header.ids.request_id, "\"");
  if (request.state == State::kSent || request.state == State::kEnded) {
    return absl::AlreadyExistsError(absl::StrCat(id, " has already ended; use a new request_id"));
  }
  if (!resume) {
    return absl::AlreadyExistsError(absl::StrCat(
        id, request.peer != nullptr ? " is being pushed by another call" : " was broken off",
        "; send metadata x-posewire-resume: 1 to continue it, or use a new request_id"));
  }
  if (absl::Status s = stream::CheckSameHeader(request.header, header); !s.ok()) return s;
  if (request.peer != nullptr) {
    request.peer->Finish({absl::AbortedError("another call continues this request"), {}});
  }
  request.state = State::kOpen;
  request.resumed = request.catching_up = true;
  return absl::OkStatus();
}

// Answers open pushes, and drops queued requests.
void PushInbox::Interrupt() {
  for (const auto& request : line_) {
    if (request->peer != nullptr) {
      request->peer->Finish(
          {absl::OkStatus(),
           {wire::StatusChunk::kInfo, "the request was interrupted by a newer one"}});
    }
    request->state = State::kEnded;
    request->last_status = {StatusChunk::kInfo, "interrupted by a newer request"};
    request->items.clear();
  }
}

absl::StatusOr<service::TakenPush> PushInbox::OpenPush(const wire::StreamHeader& header,
                                                       const wire::MessageBytes& bytes,
                                                       const stream::PushCallOptions& options,
                                                       std::shared_ptr<stream::PushPeer> peer) {
  if (absl::Status s = CheckTaken(options_.ids, header.ids); !s.ok()) return s;
  const double now_s = options_.now_s();
  service::TakenPush taken;
  std::lock_guard lock(mutex_);
  if (closed_) return absl::UnavailableError("the sink is ending; connect again");
  std::shared_ptr<Request> request = FindRequest(header.ids);
  if (request != nullptr) {
    if (absl::Status s = Resume(*request, header, options.resume); !s.ok()) return s;
    taken.received_until_s = request->held.received_until_s();
  } else {
    remembered_.ForgetOld(now_s);
    if (options.resume && remembered_.Find(MemoryKey(header.ids)) != nullptr) {
      return absl::AlreadyExistsError(
          absl::StrCat("request_id \"", header.ids.request_id,
                       "\" has already ended; push the rest under a new request_id"));
    }
    if (options.policy == stream::Policy::kInterrupt) Interrupt();
    const auto there = std::count_if(line_.begin(), line_.end(), [](const auto& other) {
      return other->state != State::kEnded || !other->items.empty();
    });
    if (there > stream::kMaxQueuedRequests) {
      return stream::BusyError(absl::StrCat(
          stream::kMaxQueuedRequests,
          " requests already wait for this sink, which is the limit; push again later"));
    }
    request = std::make_shared<Request>(header);
    request->header_bytes = bytes;
    request->paced = options_.paced && options.mode != stream::Mode::kLive;
    request->prebuffer_s = options.prebuffer_s.value_or(options_.prebuffer_s);
    line_.push_back(request);
  }
  request->call = next_call_++;
  request->peer = std::move(peer);
  request->heard_s = now_s;
  request->paused = IsFull(*request);
  taken.read_on = !request->paused;
  taken.taker = std::make_unique<Taker>(this, request, request->call);
  changed_.notify_all();
  return taken;
}

bool PushInbox::IsFull(const Request& request) const {
  if (request.bytes >= stream::kBufferBytes) return true;
  if (!request.paced) return request.items.size() >= options_.most_waiting;
  return !request.items.empty() &&
         request.newest_time_code_s - request.items.front().time_code_s >= stream::kBuffer_s;
}

// Messages of a few bytes take hundreds in memory.
size_t PushInbox::SizeOf(const Item& item) { return sizeof(Item) + item.message.bytes->size(); }

bool PushInbox::IsHeld(Request& request, const wire::Message& message) const {
  if (const auto* data = std::get_if<wire::DataChunk>(&message.chunk)) {
    return request.resumed && request.held.Has(*data);
  }
  // Statuses have no time codes, so a source sends its last ones again.
  return request.catching_up && request.last_status_bytes != nullptr &&
         *request.last_status_bytes == *message.bytes;
}

bool PushInbox::Take(Request& request, uint64_t call, wire::Message* message) {
  if (request.call != call || request.state != State::kOpen) return true;
  const double now_s = options_.now_s();
  request.heard_s = now_s;
  const auto* data = std::get_if<wire::DataChunk>(&message->chunk);
  if (data != nullptr) ++request.messages;
  if (IsHeld(request, *message)) return true;
  double time_code_s = request.newest_time_code_s;
  if (data != nullptr) {
    request.held.Add(*data);
    request.catching_up = false;
    // A keep-alive message is not passed on.
    if (message->bytes->empty()) return true;
    if (std::isfinite(data->earliest_time_code_s)) {
      time_code_s = data->earliest_time_code_s;
      request.newest_time_code_s = std::max(request.newest_time_code_s, time_code_s);
      if (request.first_data_s < 0) request.first_data_s = now_s;
    }
  } else {
    request.last_status = std::get<StatusChunk>(message->chunk);
    request.last_status_bytes = message->bytes;
  }
  if (spare_.empty()) spare_.emplace_back();
  Item& item = spare_.front();
  std::swap(item.message, *message);
  item.receive_s = now_s;
  item.time_code_s = time_code_s;
  request.bytes += SizeOf(item);
  request.items.splice(request.items.end(), spare_, spare_.begin());
  request.paused = IsFull(request);
  changed_.notify_all();
  return !request.paused;
}

void PushInbox::Over(Request& request, uint64_t call, stream::PushEnd end,
                     const absl::Status& why) {
  if (request.call != call) return;
  request.peer = nullptr;
  request.paused = false;
  if (request.state == State::kEnded) return;
  if (end == stream::PushEnd::kHalfClosed) {
    request.state = State::kEnded;
  } else if (end == stream::PushEnd::kFault) {
    request.state = State::kEnded;
    request.last_status = {StatusChunk::kError,
                           absl::StrCat("the push ended in a fault: ", why.message())};
  } else {
    request.state = State::kLost;
    request.lost_s = options_.now_s();
    request.tell_lost = true;
  }
  changed_.notify_all();
}

// Returns true when the prebuffer is full, when all data has arrived, or when it has waited long
// enough; the same again after it ran dry.
bool PushInbox::IsDue(Request& request, double now_s, double& again_s) {
  const Item& item = request.items.front();
  if (!request.paced || !std::holds_alternative<wire::DataChunk>(item.message.chunk)) return true;
  if (request.zero_s && std::exchange(request.dry, false) &&
      now_s > *request.zero_s + item.time_code_s + kLate_s) {
    request.zero_s.reset();
    request.first_data_s = item.receive_s;
  }
  if (!request.zero_s) {
    const bool filled = request.newest_time_code_s - item.time_code_s >= request.prebuffer_s - 1e-9;
    const double latest_s = request.first_data_s + kStartAfterData_s;
    if (!filled && request.state == State::kOpen && now_s < latest_s) {
      again_s = std::min(again_s, latest_s);
      return false;
    }
    request.zero_s = now_s - item.time_code_s;
  }
  const double due_s = *request.zero_s + item.time_code_s;
  if (due_s <= now_s) return true;
  again_s = std::min(again_s, due_s);
  return false;
}

void PushInbox::Give(Request& request, double now_s, PullEvent* event) {
  Item& item = request.items.front();
  request.bytes -= SizeOf(item);
  std::swap(event->message, item.message);
  item.message.bytes = nullptr;
  const bool data = std::holds_alternative<wire::DataChunk>(event->message.chunk);
  event->kind = data ? PullEvent::kData : PullEvent::kStatus;
  if (!request.paced) event->receive_time_s = item.receive_s;
  if (spare_.size() < kMostSpare) {
    spare_.splice(spare_.end(), request.items, request.items.begin());
  } else {
    request.items.pop_front();
  }
  if (request.paused && !IsFull(request) && request.peer != nullptr) {
    request.paused = false;
    request.heard_s = now_s;
    request.peer->ReadOn();
  }
}

void PushInbox::CheckSilence(Request& request, double now_s) {
  if (request.state != State::kOpen || request.peer == nullptr || request.paused ||
      now_s - request.heard_s < stream::kSilence_s) {
    return;
  }
  const std::string text = absl::StrFormat("nothing arrived for %g s", stream::kSilence_s);
  request.state = State::kEnded;
  request.last_status = {StatusChunk::kError, text};
  request.peer->Finish({absl::DeadlineExceededError(text), {}});
}

void PushInbox::EndFront(PullEvent* event) {
  const std::shared_ptr<Request> request = std::move(line_.front());
  line_.pop_front();
  const double now_s = event->receive_time_s;
  if (!line_.empty()) line_.front()->heard_s = now_s;
  remembered_.Add(MemoryKey(request->header.ids), {}, now_s);
  event->kind = PullEvent::kEnd;
  event->last_status = request->last_status;
  if (request->state == State::kLost) {
    event->last_status = {StatusChunk::kError, "the source of the request was lost"};
    request->state = State::kEnded;
  }
}

bool PushInbox::Look(double now_s, double& again_s, PullEvent* event) {
  if (line_.empty()) return false;
  Request& request = *line_.front();
  CheckSilence(request, now_s);
  const bool begins = !std::exchange(request.begun, true);
  if (begins) ++connections_;
  event->why = absl::OkStatus();
  event->gap_s.reset();
  event->last_status.reset();
  event->receive_time_s = now_s;
  event->connection = connections_;
  if (begins) {
    event->kind = PullEvent::kHeader;
    event->message.chunk = request.header;
    event->message.bytes = request.header_bytes;
    return true;
  }
  if (!request.items.empty()) {
    if (!IsDue(request, now_s, again_s)) return false;
    Give(request, now_s, event);
    return true;
  }
  if (std::exchange(request.tell_lost, false) && request.state == State::kLost) {
    event->kind = PullEvent::kLost;
    event->why = absl::UnavailableError("the source of the request was lost");
    return true;
  }
  request.dry = true;
  const bool given_up = request.state == State::kLost &&
                        (line_.size() > 1 || now_s - request.lost_s >= stream::kResume_s);
  if (request.state != State::kEnded && !given_up) return false;
  EndFront(event);
  return true;
}

bool PushInbox::Next(double timeout_s, PullEvent* event) {
  const double end_s = timeout_s < 0 ? kNever_s : options_.now_s() + timeout_s;
  std::unique_lock lock(mutex_);
  for (bool waited = false;; waited = true) {
    const double now_s = options_.now_s();
    // Waits for silence and lost sources are looked at once a second.
    double again_s = std::min(end_s, now_s + 1);
    if (Look(now_s, again_s, event)) return true;
    if (now_s >= end_s || (waited && closed_)) return false;
    changed_.wait_for(lock, std::chrono::duration<double>(std::max(0.0, again_s - now_s)));
  }
}

bool PushInbox::IsIdle() const {
  std::lock_guard lock(mutex_);
  return line_.empty();
}

void PushInbox::Close(const stream::PushAnswer& answer) {
  std::lock_guard lock(mutex_);
  closed_ = answer;
  for (const auto& request : line_) {
    if (request->peer != nullptr) request->peer->Finish(answer);
  }
  changed_.notify_all();
}

}  // namespace posewire::renderer_sink
