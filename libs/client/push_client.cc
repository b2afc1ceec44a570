#include "libs/client/push_client.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/client/byte_call.h"
#include "libs/client/call_metadata.h"
#include "libs/client/call_slot.h"
#include "libs/client/channel.h"
#include "libs/client/resume_buffer.h"

namespace posewire::client {
namespace {

constexpr double kForever = -1;
// Only the answer is read.
constexpr size_t kReadAhead = 2;
constexpr size_t kKeptBytes = 8u << 20;

Metadata CallMetadata(const PushOptions& options, const std::string& stream_id) {
  Metadata metadata;
  AddStreamId(stream_id, metadata);
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) metadata.emplace_back(key, value);
  };
  add("x-posewire-mode", options.mode);
  add("x-posewire-prebuffer-s", options.prebuffer_s);
  add("x-posewire-policy", options.policy);
  add("traceparent", options.traceparent);
  return metadata;
}

}  // namespace

struct PushClient::Impl {
  Impl(PushOptions o, const wire::StreamHeader& header)
      : options(std::move(o)),
        audio_rate_hz(header.audio_rate_hz.value_or(0)),
        reconnector(options.connection.reconnect, std::random_device()()),
        kept(options.keep_s, kKeptBytes),
        metadata(CallMetadata(options, header.ids.stream_id)),
        header_bytes(wire::SerializeHeader(header)),
        story(options.connection.address, header.ids.stream_id) {
    failure = CheckIds(header.ids, /*needs_request=*/true);
    if (failure.ok()) failure = CheckMetadata(metadata);
  }

  absl::StatusOr<bool> Send(const wire::Message& message);
  // Sends a message that was just added to `kept`.
  absl::StatusOr<bool> SendKept(const wire::MessageBytes& bytes);
  // Makes a call and sends the server everything in `kept` that it needs. On OK, either slot has a
  // usable call, or `answer` is set.
  absl::Status Connect();
  absl::Status TryConnect(bool* connected);
  // Sends the messages that the server lacks. kOver: the call broke.
  ByteCall::Result Resume();
  // The current call is over: stores the answer, or waits for the next attempt. An error is final.
  absl::Status OnCallOver();
  void Tell(const ConnectionEvent& event) {
    if (!options.connection.on_event) return;
    const bool resumes = resuming && event.kind == ConnectionEvent::kConnected;
    options.connection.on_event(story.Complete(event, SteadySeconds(), resumes));
  }
  absl::Status Fail(absl::Status status) {
    failure = status;
    slot.Clear();
    return status;
  }

  PushOptions options;
  int audio_rate_hz;
  Reconnector reconnector;
  ResumeBuffer kept;
  Metadata metadata;
  wire::MessageBytes header_bytes;
  ConnectionStory story;
  CallSlot slot;
  Counters counters;
  bool half_closed = false;
  // A server may have received the header: later calls set x-posewire-resume.
  bool header_sent = false;
  // The current call has set it.
  bool resuming = false;
  std::optional<double> first_data_time_s;
  double lost_time_s = 0;
  std::optional<wire::StatusChunk> answer;
  absl::Status failure;
};

absl::Status PushClient::Impl::OnCallOver() {
  ByteCall& call = *slot.get();
  ReceivedBytes reply;
  bool replied = false;
  while (call.Read(kForever, reply) == ByteCall::kOk) replied = true;
  const bool reached = call.alive();
  if (reached) header_sent = true;
  const absl::Status status = call.Finish();
  const std::optional<double> hint_s = call.RetryHint();
  slot.Clear();
  if (slot.cancelled()) return Fail(absl::CancelledError("the push was cancelled"));
  if (status.ok()) {
    grpc::Slice slice;
    if (replied && reply.bytes.DumpToSingleSlice(&slice).ok()) {
      auto said = wire::ReadStatus({slice.begin(), slice.size()});
      if (said.ok()) answer = *std::move(said);
    }
    if (answer) return absl::OkStatus();
    return Fail(absl::InternalError("the server ended the push without a Status message"));
  }
  // A server without room has stored nothing: if it rejected the first attempt, the request starts
  // again.
  const bool rejected = hint_s && !resuming;
  if (rejected ? !kept.complete() : !hint_s && !IsConnectionLoss(status)) return Fail(status);
  if (counters.connections == 0 && !reached) {
    if (absl::Status s = NeverReaches(options.connection, status); !s.ok()) {
      Tell({.kind = ConnectionEvent::kGaveUp, .why = s});
      return Fail(s);
    }
  }
  ++options.connection.traffic->losses;
  const double now_s = SteadySeconds();
  // An attempt that reached no server does not change the time of the loss.
  if (reached) lost_time_s = now_s;
  if (rejected) {
    header_sent = false;
    first_data_time_s.reset();
  }
  std::optional<double> delay_s = reconnector.OnLoss(now_s);
  if (!delay_s) {
    Tell({.kind = ConnectionEvent::kGaveUp, .why = status});
    return Fail(GaveUp(options.connection, status));
  }
  delay_s = std::max(*delay_s, hint_s.value_or(0));
  Tell({.kind = ConnectionEvent::kLost, .why = status, .retry_in_s = *delay_s});
  if (!slot.Sleep(*delay_s)) return Fail(absl::CancelledError("the push was cancelled"));
  return absl::OkStatus();
}

ByteCall::Result PushClient::Impl::Resume() {
  ByteCall& call = *slot.get();
  const ByteCall::Result waited = call.WaitInitialMetadata(options.resume_wait_s);
  if (waited == ByteCall::kOver) return waited;
  ConnectionEvent event{.kind = ConnectionEvent::kResumed};
  double received_until_s = 0;
  const std::optional<std::string> said = call.InitialMetadata("x-posewire-held-s");
  // If the server has nothing of the request, the value is negative.
  if (said && absl::SimpleAtod(*said, &received_until_s) && !std::isnan(received_until_s)) {
    event.received_until_s = received_until_s;
  } else {
    event.unknown_to_server = true;
    const double played_s = first_data_time_s ? lost_time_s - *first_data_time_s : 0;
    received_until_s = std::min(kept.first_time_code_s() + played_s, kept.last_time_code_s());
    event.received_until_s = std::isfinite(received_until_s) ? received_until_s : 0;
    // A request that never reached a server has not started to play.
    if (!first_data_time_s) received_until_s = -std::numeric_limits<double>::infinity();
  }
  const ResumeBuffer::Tail tail = kept.After(received_until_s);
  for (const wire::MessageBytes& message : tail.messages) {
    if (call.Write(message, kForever) != ByteCall::kOk) return ByteCall::kOver;
    ++event.resent;
  }
  event.lost_s = event.unknown_to_server ? 0 : tail.lost_s;
  counters.resent_messages += event.resent;
  options.connection.traffic->resent_messages += event.resent;
  counters.lost_s += event.lost_s;
  Tell(event);
  return ByteCall::kOk;
}

absl::Status PushClient::Impl::TryConnect(bool* connected) {
  *connected = false;
  reconnector.OnAttempt(SteadySeconds());
  Metadata call_metadata = metadata;
  resuming = header_sent;
  if (resuming) call_metadata.emplace_back("x-posewire-resume", "1");
  if (!slot.Set(std::make_unique<ByteCall>(MakeChannel(options.connection), kPushMethod,
                                           call_metadata, kReadAhead))) {
    return Fail(absl::CancelledError("the push was cancelled"));
  }
  ByteCall& call = *slot.get();
  ByteCall::Result result = call.Write(header_bytes, kForever);
  if (result == ByteCall::kOk) result = call.Flush(kForever);
  if (result == ByteCall::kOk) {
    header_sent = true;
    ++counters.connections;
    ++options.connection.traffic->connections;
    reconnector.OnAlive(SteadySeconds());
    Tell({.kind = ConnectionEvent::kConnected});
    if (resuming) {
      result = Resume();
    } else {
      for (const wire::MessageBytes& message : kept.After(-HUGE_VAL).messages) {
        result = call.Write(message, kForever);
        if (result != ByteCall::kOk) break;
      }
    }
  }
  if (result == ByteCall::kOk && half_closed) result = call.WritesDone(kForever);
  *connected = result == ByteCall::kOk;
  return *connected ? absl::OkStatus() : OnCallOver();
}

absl::Status PushClient::Impl::Connect() {
  bool connected = false;
  while (!connected && !answer) {
    if (absl::Status s = TryConnect(&connected); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> PushClient::Impl::SendKept(const wire::MessageBytes& bytes) {
  if (slot.get() != nullptr) {
    if (slot.get()->Write(bytes, kForever) == ByteCall::kOk) return true;
    if (absl::Status s = OnCallOver(); !s.ok()) return s;
    if (answer) return false;
  }
  // The message is in `kept`: Connect sends it.
  if (absl::Status s = Connect(); !s.ok()) return s;
  return !answer;
}

absl::StatusOr<bool> PushClient::Impl::Send(const wire::Message& message) {
  if (!failure.ok()) return failure;
  if (answer) return false;
  if (half_closed) return absl::FailedPreconditionError("the push is half-closed already");
  const size_t size = message.bytes->size();
  if (size > options.connection.message_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a message of ", size, " bytes is over the limit of ",
                     options.connection.message_bytes, "; send it in parts"));
  }
  const wire::DataChunk* data = message.data();
  kept.Add(message.bytes,
           data != nullptr ? wire::TimesOf(*data, audio_rate_hz) : wire::ChunkTimes());
  ++counters.messages;
  counters.bytes += size;
  ++options.connection.traffic->messages;
  options.connection.traffic->bytes += static_cast<int64_t>(size);
  if (data != nullptr && data->audio) {
    options.connection.traffic->voice_us +=
        wire::SoundMicroseconds(data->audio->samples, audio_rate_hz);
  }
  absl::StatusOr<bool> sent = SendKept(message.bytes);
  if (sent.ok() && !first_data_time_s) first_data_time_s = SteadySeconds();
  return sent;
}

PushClient::PushClient(PushOptions options, const wire::StreamHeader& header)
    : impl_(std::make_unique<Impl>(std::move(options), header)) {}

PushClient::~PushClient() = default;

absl::StatusOr<bool> PushClient::Send(const wire::Message& message) { return impl_->Send(message); }

absl::StatusOr<wire::StatusChunk> PushClient::Finish() {
  Impl& impl = *impl_;
  if (!impl.failure.ok()) return impl.failure;
  impl.half_closed = true;
  if (impl.slot.get() != nullptr && !impl.answer) (void)impl.slot.get()->WritesDone(kForever);
  while (!impl.answer) {
    // Waits for the end of the call, and then for the answer or the next attempt.
    const absl::Status s = impl.slot.get() == nullptr ? impl.Connect() : impl.OnCallOver();
    if (absl::IsAlreadyExists(s) && impl.resuming) {
      impl.answer = wire::StatusChunk{
          wire::StatusChunk::kInfo,
          absl::StrCat(
              "the server has ended the request; its reply was lost when the connection broke (",
              s.message(), ")")};
    } else if (!s.ok()) {
      return s;
    }
  }
  impl.slot.Clear();
  return *impl.answer;
}

void PushClient::Cancel() { impl_->slot.Cancel(); }

const PushClient::Counters& PushClient::counters() const { return impl_->counters; }

}  // namespace posewire::client
