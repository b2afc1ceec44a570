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
using nvidia_ace::animation_data::v1::AnimationDataStream;
using StatusMessage = nvidia_ace::status::v1::Status;
using Slices = absl::Span<const absl::Span<const uint8_t>>;

// A paced request starts so long after its first data at the latest.
constexpr double kStartAfterData_s = 0.5;
// A message that comes so long after its time finds that playback has stopped for it.
constexpr double kLate_s = 0.05;
constexpr double kNever_s = std::numeric_limits<double>::infinity();

absl::StatusOr<std::pair<AnimationDataStream, size_t>> Parse(Slices slices) {
  std::string bytes;
  for (const auto& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.data()), slice.size());
  }
  AnimationDataStream message;
  // The checks of the border let pass only what parses.
  if (!message.ParseFromString(bytes)) return absl::InternalError("a message cannot be parsed");
  return std::make_pair(std::move(message), bytes.size());
}

StatusMessage MakeStatus(StatusMessage::Code code, absl::string_view text) {
  StatusMessage status;
  status.set_code(code);
  status.set_message(std::string(text));
  return status;
}

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
      : inbox_(inbox), request_(std::move(request)), call_(call) {}

  bool Take(Slices slices, const wire::Chunk& chunk) override {
    auto parsed = Parse(slices);
    if (!parsed.ok()) return true;
    Item item;
    item.event.message = std::move(parsed->first);
    item.bytes = parsed->second;
    std::lock_guard lock(inbox_->mutex_);
    return inbox_->Take(*request_, call_, chunk, std::move(item));
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
  const std::shared_ptr<Request> request_;
  const uint64_t call_;
};

absl::Status PushInbox::CheckIds(const wire::StreamIds& ids) const {
  const struct {
    const char* field;
    const std::string& own;
    const std::string& said;
  } all[] = {{"stream_id", options_.ids.stream_id, ids.stream_id},
             {"request_id", options_.ids.request_id, ids.request_id},
             {"target_object_id", options_.ids.target_object_id, ids.target_object_id}};
  for (const auto& [field, own, said] : all) {
    if (own.empty() || own == said) continue;
    return absl::NotFoundError(
        absl::StrCat(field, " is \"", said, "\", and this sink takes \"", own, "\" alone"));
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
    return absl::AlreadyExistsError(absl::StrCat(id, " has had its turn; use a new request_id"));
  }
  if (!resume) {
    return absl::AlreadyExistsError(absl::StrCat(
        id, request.peer != nullptr ? " is being pushed by another call" : " was broken off",
        "; send metadata x-posewire-resume: 1 to go on with it, or use a new request_id"));
  }
  if (absl::Status s = stream::CheckSameHeader(request.header, header); !s.ok()) return s;
  if (request.peer != nullptr) {
    request.peer->Finish({absl::AbortedError("another call of this request goes on with it"), {}});
  }
  request.state = State::kOpen;
  request.resumed = request.catching_up = true;
  return absl::OkStatus();
}

// What is open is answered, and what waits is dropped.
void PushInbox::Interrupt() {
  for (const auto& request : line_) {
    if (request->peer != nullptr) {
      request->peer->Finish(
          {absl::OkStatus(),
           {wire::StatusChunk::kInfo, "the request was interrupted by a newer one"}});
    }
    request->state = State::kEnded;
    request->last_status = MakeStatus(StatusMessage::INFO, "interrupted by a newer request");
    request->items.clear();
  }
}

absl::StatusOr<service::TakenPush> PushInbox::OpenPush(const wire::StreamHeader& header,
                                                       Slices slices,
                                                       const stream::PushOptions& options,
                                                       std::shared_ptr<stream::PushPeer> peer) {
  auto parsed = Parse(slices);
  if (!parsed.ok()) return parsed.status();
  if (absl::Status s = CheckIds(header.ids); !s.ok()) return s;
  const double now_s = options_.now_s();
  service::TakenPush taken;
  std::lock_guard lock(mutex_);
  if (closed_) return absl::UnavailableError("the sink is ending; connect again");
  std::shared_ptr<Request> request = FindRequest(header.ids);
  if (request != nullptr) {
    if (absl::Status s = Resume(*request, header, options.resume); !s.ok()) return s;
    taken.held_s = request->held.held_s();
  } else {
    remembered_.ForgetOld(now_s);
    if (options.resume && remembered_.Find(MemoryKey(header.ids)) != nullptr) {
      return absl::AlreadyExistsError(
          absl::StrCat("request_id \"", header.ids.request_id,
                       "\" has had its turn; push what is left under a new request_id"));
    }
    if (options.policy == stream::Policy::kInterrupt) Interrupt();
    const auto there = std::count_if(line_.begin(), line_.end(), [](const auto& other) {
      return other->state != State::kEnded || !other->items.empty();
    });
    if (there > stream::kMaxQueuedRequests) {
      return stream::BusyError(absl::StrCat(stream::kMaxQueuedRequests,
                                            " requests wait for this sink already; push later"));
    }
    request = std::make_shared<Request>(header);
    request->head.kind = PullEvent::kHeader;
    request->head.message = std::move(parsed->first);
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
         request.newest_code_s - request.items.front().code_s >= stream::kBuffer_s;
}

bool PushInbox::Take(Request& request, uint64_t call, const wire::Chunk& chunk, Item item) {
  if (request.call != call || request.state != State::kOpen) return true;
  const double now_s = options_.now_s();
  request.heard_s = now_s;
  item.event.receive_time_s = now_s;
  item.code_s = request.newest_code_s;
  if (const auto* data = std::get_if<wire::DataChunk>(&chunk)) {
    ++request.messages;
    if (request.resumed && request.held.Has(*data)) return true;
    request.held.Add(*data);
    request.catching_up = false;
    item.event.kind = PullEvent::kData;
    // A sign of life is no message of its own to those who play.
    if (!item.event.message.has_animation_data()) return true;
    if (std::isfinite(data->earliest_code_s)) {
      item.code_s = data->earliest_code_s;
      request.newest_code_s = std::max(request.newest_code_s, item.code_s);
      if (request.first_data_s < 0) request.first_data_s = now_s;
    }
  } else {
    const StatusMessage& status = item.event.message.status();
    // Statuses have no codes, so that a source sends its last ones again.
    if (request.catching_up && request.last_status &&
        request.last_status->SerializeAsString() == status.SerializeAsString()) {
      return true;
    }
    item.event.kind = PullEvent::kStatus;
    request.last_status = status;
  }
  request.bytes += item.bytes;
  request.items.push_back(std::move(item));
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
    request.last_status = MakeStatus(StatusMessage::ERROR,
                                     absl::StrCat("the push ended in a fault: ", why.message()));
  } else {
    request.state = State::kLost;
    request.lost_s = options_.now_s();
    request.tell_lost = true;
  }
  changed_.notify_all();
}

// Starts when the prebuffer is filled, when all has come, or when it has waited long enough; the
// same again after it ran dry.
bool PushInbox::IsDue(Request& request, double now_s, double& again_s) {
  const Item& item = request.items.front();
  if (!request.paced || item.event.kind != PullEvent::kData) return true;
  if (request.zero_s && std::exchange(request.dry, false) &&
      now_s > *request.zero_s + item.code_s + kLate_s) {
    request.zero_s.reset();
    request.first_data_s = item.event.receive_time_s;
  }
  if (!request.zero_s) {
    const bool filled = request.newest_code_s - item.code_s >= request.prebuffer_s - 1e-9;
    const double latest_s = request.first_data_s + kStartAfterData_s;
    if (!filled && request.state == State::kOpen && now_s < latest_s) {
      again_s = std::min(again_s, latest_s);
      return false;
    }
    request.zero_s = now_s - item.code_s;
  }
  const double due_s = *request.zero_s + item.code_s;
  if (due_s <= now_s) return true;
  again_s = std::min(again_s, due_s);
  return false;
}

PullEvent PushInbox::Give(Request& request, double now_s) {
  Item item = std::move(request.items.front());
  request.items.pop_front();
  request.bytes -= item.bytes;
  if (request.paced) item.event.receive_time_s = now_s;
  item.event.connection = connections_;
  if (request.paused && !IsFull(request) && request.peer != nullptr) {
    request.paused = false;
    request.heard_s = now_s;
    request.peer->ReadOn();
  }
  return std::move(item.event);
}

void PushInbox::CheckSilence(Request& request, double now_s) {
  if (request.state != State::kOpen || request.peer == nullptr || request.paused ||
      now_s - request.heard_s < stream::kSilence_s) {
    return;
  }
  const std::string text = absl::StrFormat("nothing came for %g s", stream::kSilence_s);
  request.state = State::kEnded;
  request.last_status = MakeStatus(StatusMessage::ERROR, text);
  request.peer->Finish({absl::DeadlineExceededError(text), {}});
}

PullEvent PushInbox::EndFront(double now_s) {
  const std::shared_ptr<Request> request = std::move(line_.front());
  line_.pop_front();
  if (!line_.empty()) line_.front()->heard_s = now_s;
  remembered_.Add(MemoryKey(request->header.ids), {}, now_s);
  PullEvent event;
  event.kind = PullEvent::kEnd;
  event.receive_time_s = now_s;
  event.connection = connections_;
  event.last_status = request->last_status;
  if (request->state == State::kLost) {
    event.last_status = MakeStatus(StatusMessage::ERROR, "the source of the request was lost");
    request->state = State::kEnded;
  }
  return event;
}

std::optional<PullEvent> PushInbox::Look(double now_s, double& again_s) {
  if (line_.empty()) return std::nullopt;
  Request& request = *line_.front();
  CheckSilence(request, now_s);
  if (!std::exchange(request.begun, true)) {
    ++connections_;
    request.head.connection = connections_;
    request.head.receive_time_s = now_s;
    return std::move(request.head);
  }
  if (!request.items.empty()) {
    if (!IsDue(request, now_s, again_s)) return std::nullopt;
    return Give(request, now_s);
  }
  if (std::exchange(request.tell_lost, false) && request.state == State::kLost) {
    PullEvent event;
    event.kind = PullEvent::kLost;
    event.why = absl::UnavailableError("the source of the request was lost");
    event.receive_time_s = now_s;
    event.connection = connections_;
    return event;
  }
  request.dry = true;
  const bool given_up = request.state == State::kLost &&
                        (line_.size() > 1 || now_s - request.lost_s >= stream::kResume_s);
  if (request.state == State::kEnded || given_up) return EndFront(now_s);
  return std::nullopt;
}

std::optional<PullEvent> PushInbox::Next(double timeout_s) {
  const double end_s = timeout_s < 0 ? kNever_s : options_.now_s() + timeout_s;
  std::unique_lock lock(mutex_);
  while (true) {
    const double now_s = options_.now_s();
    // Waits for silence and lost sources are looked at once a second.
    double again_s = std::min(end_s, now_s + 1);
    if (auto event = Look(now_s, again_s)) return event;
    if (now_s >= end_s) return std::nullopt;
    changed_.wait_for(lock, std::chrono::duration<double>(std::max(0.0, again_s - now_s)));
  }
}

void PushInbox::Close(const stream::PushAnswer& answer) {
  std::lock_guard lock(mutex_);
  closed_ = answer;
  for (const auto& request : line_) {
    if (request->peer != nullptr) request->peer->Finish(answer);
  }
}

}  // namespace posewire::renderer_sink
