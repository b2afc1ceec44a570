#include "libs/client/pull_client.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "grpcpp/support/slice.h"
#include "libs/client/byte_call.h"
#include "libs/client/call_metadata.h"
#include "libs/client/call_slot.h"
#include "libs/client/channel.h"
#include "libs/rpc/message_bytes.h"
#include "libs/wire/edit_codes.h"
#include "libs/wire/frame_reader.h"
#include "nvidia_ace.animation_id.v1.pb.h"

namespace posewire::client {
namespace {

nvidia_ace::animation_id::v1::AnimationIds ToProto(const wire::StreamIds& ids) {
  nvidia_ace::animation_id::v1::AnimationIds out;
  out.set_request_id(ids.request_id);
  out.set_stream_id(ids.stream_id);
  out.set_target_object_id(ids.target_object_id);
  return out;
}

}  // namespace

struct PullClient::Impl {
  explicit Impl(PullOptions o)
      : options(std::move(o)), reconnector(options.connection.reconnect, std::random_device()()) {
    AddStreamId(options.ids.stream_id, metadata);
    if (!options.rig.empty()) metadata.emplace_back("x-posewire-rig", options.rig);
    if (options.contributions) metadata.emplace_back("x-posewire-contributions", "1");
    if (options.form != wire::PoseForm::kComplete) {
      metadata.emplace_back(wire::kSparseKey, std::string(wire::NameOf(options.form)));
    }
    absl::Status fault = CheckIds(options.ids, /*needs_request=*/false);
    if (fault.ok()) fault = CheckMetadata(metadata);
    if (!fault.ok()) End(std::move(fault));
  }

  void Connect(double now_s);
  // These fill the event.
  void OnMessage(const ReceivedBytes& received, PullEvent* event);
  void Complete(wire::Message* message);
  void OnHeader(const wire::StreamHeader& header, PullEvent* event);
  void OnData(const wire::DataChunk& data, PullEvent* event);
  void OnCallOver(PullEvent* event);
  // Sets `ended`, which is returned from now on.
  void End(absl::Status why);
  void Tell(const ConnectionEvent& event) {
    if (options.connection.on_event) {
      options.connection.on_event(story.Complete(event, SteadySeconds()));
    }
  }

  PullOptions options;
  Metadata metadata;
  Reconnector reconnector;
  ConnectionStory story{options.connection.address, options.ids.stream_id};
  CallSlot slot;
  std::vector<grpc::Slice> slices;  // reused for its memory
  int connection = 0;
  bool mismatch_told = false;
  double attempt_at_s = 0;
  // State of this connection.
  wire::FrameReader reader{wire::ClientLimits()};
  bool message_seen = false;
  bool header_seen = false;
  bool data_seen = false;
  bool sparse = false;  // the server sends sparse frames
  wire::PoseCompleter completer{options.form};
  bool hole_due = false;  // the next data message reports it
  double epoch_s = 0;
  std::optional<double> last_time_s;  // epoch + time code of the newest data message
  std::optional<wire::StatusChunk> last_status;
  std::optional<PullEvent> ended;
};

void PullClient::Impl::Connect(double now_s) {
  reconnector.OnAttempt(now_s);
  message_seen = header_seen = data_seen = sparse = false;
  reader = wire::FrameReader(wire::ClientLimits());
  last_status.reset();
  const size_t read_ahead = static_cast<size_t>(std::max(1, options.read_ahead));
  if (!slot.Set(std::make_unique<ByteCall>(MakeChannel(options.connection), kPullMethod, metadata,
                                           read_ahead))) {
    return;
  }
  // Does not block; a failure is noticed when reading.
  (void)slot.get()->Write(ToProto(options.ids).SerializeAsString(), -1, /*last=*/true);
}

void PullClient::Impl::End(absl::Status why) {
  slot.Clear();
  ended.emplace();
  ended->kind = PullEvent::kEnd;
  ended->why = std::move(why);
  ended->connection = connection;
  ended->last_status = last_status;
}

void PullClient::Impl::OnMessage(const ReceivedBytes& received, PullEvent* event) {
  event->receive_time_s = received.time_s;
  if (!std::exchange(message_seen, true)) {
    // gRPC reports the first message and the metadata before it on different threads.
    sparse = options.form != wire::PoseForm::kComplete &&
             slot.get()->WaitInitialMetadata(-1) == ByteCall::kOk &&
             slot.get()->InitialMetadata(wire::kSparseKey) == wire::NameOf(options.form);
    ++connection;
    ++options.connection.traffic->connections;
    reconnector.OnAlive(received.time_s);
    Tell({.kind = ConnectionEvent::kConnected});
  }
  event->connection = connection;
  event->gap_s.reset();
  event->last_status.reset();
  event->message.bytes = rpc::CopyOut(received.bytes, &slices);
  ++options.connection.traffic->messages;
  options.connection.traffic->bytes += static_cast<int64_t>(event->message.bytes->size());
  event->why = reader.Read({wire::SpanOf(event->message.bytes)}, &event->message.chunk);
  if (event->why.ok()) wire::SetWholeSamples(&event->message);
  if (event->why.ok() && sparse) Complete(&event->message);
  if (!event->why.ok()) {
    event->kind = PullEvent::kFaulty;
  } else if (const auto* data = std::get_if<wire::DataChunk>(&event->message.chunk)) {
    OnData(*data, event);
  } else if (const auto* header = std::get_if<wire::StreamHeader>(&event->message.chunk)) {
    OnHeader(*header, event);
  } else {
    event->kind = PullEvent::kStatus;
    last_status = std::get<wire::StatusChunk>(event->message.chunk);
  }
}

void PullClient::Impl::Complete(wire::Message* message) {
  auto* const data = std::get_if<wire::DataChunk>(&message->chunk);
  if (data != nullptr && completer.Complete(data)) message->bytes = wire::SerializeData(*data);
}

void PullClient::Impl::OnHeader(const wire::StreamHeader& header, PullEvent* event) {
  event->kind = PullEvent::kHeader;
  completer.Begin(header);
  epoch_s = header.epoch_s;
  hole_due = last_time_s.has_value();
  if (std::exchange(header_seen, true)) {
    event->why = absl::InvalidArgumentError(
        "a second header; taken as that of a new connection, since a stream has one");
  }
}

void PullClient::Impl::OnData(const wire::DataChunk& data, PullEvent* event) {
  event->kind = PullEvent::kData;
  if (!std::isfinite(data.earliest_time_code_s)) return;
  const double at_s = epoch_s + data.earliest_time_code_s;
  if (std::exchange(hole_due, false)) event->gap_s = at_s - *last_time_s;
  last_time_s = at_s;
  data_seen = true;
}

void PullClient::Impl::OnCallOver(PullEvent* event) {
  absl::Status status = slot.get()->Finish();
  const std::optional<double> hint_s = slot.get()->RetryHint();
  slot.Clear();
  if (slot.cancelled()) return End(absl::CancelledError("the pull was cancelled"));
  const bool too_slow = status.code() == absl::StatusCode::kResourceExhausted && data_seen;
  if (!too_slow && !hint_s && !IsConnectionLoss(status)) return End(status);
  if (connection == 0 && !mismatch_told) {
    if (absl::Status s = NeverReaches(options.connection, status); !s.ok()) {
      if (options.connection.ends_on_mismatch) {
        Tell({.kind = ConnectionEvent::kGaveUp, .why = s});
        return End(s);
      }
      mismatch_told = true;
      status = std::move(s);
    }
  }
  ++options.connection.traffic->losses;
  const double now_s = SteadySeconds();
  std::optional<double> delay_s = reconnector.OnLoss(now_s);
  if (!delay_s) {
    Tell({.kind = ConnectionEvent::kGaveUp, .why = status});
    return End(GaveUp(options.connection, status));
  }
  delay_s = std::max(*delay_s, hint_s.value_or(0));
  attempt_at_s = now_s + *delay_s;
  Tell({.kind = ConnectionEvent::kLost, .why = status, .retry_in_s = *delay_s});
  event->kind = PullEvent::kLost;
  event->why = status;
  event->retry_in_s = *delay_s;
  event->receive_time_s = now_s;
  event->connection = connection;
  event->gap_s.reset();
  event->last_status = last_status;
}

PullClient::PullClient(PullOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

PullClient::~PullClient() = default;

bool PullClient::Next(double timeout_s, PullEvent* event) {
  Impl& impl = *impl_;
  const double deadline_s = SteadySeconds() + timeout_s;
  if (!impl.ended && impl.slot.get() == nullptr) {
    const double now_s = SteadySeconds();
    double wait_s = std::max(0.0, impl.attempt_at_s - now_s);
    const bool due = timeout_s < 0 || wait_s <= timeout_s;
    if (!due) wait_s = timeout_s;
    if (!impl.slot.Sleep(wait_s)) {
      impl.End(absl::CancelledError("the pull was cancelled"));
    } else if (!due) {
      return false;
    } else {
      impl.Connect(SteadySeconds());
    }
  }
  if (!impl.ended) {
    ReceivedBytes received;
    const double left_s = timeout_s < 0 ? -1 : std::max(0.0, deadline_s - SteadySeconds());
    const ByteCall::Result result = impl.slot.get()->Read(left_s, received);
    if (result == ByteCall::kTimeout) return false;
    if (result == ByteCall::kOk) {
      impl.OnMessage(received, event);
    } else {
      impl.OnCallOver(event);
    }
  }
  if (impl.ended) *event = *impl.ended;
  return true;
}

void PullClient::Cancel() { impl_->slot.Cancel(); }

}  // namespace posewire::client
