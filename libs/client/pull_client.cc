#include "libs/client/pull_client.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "libs/client/byte_call.h"
#include "libs/client/call_metadata.h"
#include "libs/client/call_slot.h"
#include "libs/client/channel.h"
#include "libs/client/message_times.h"

namespace posewire::client {
namespace {

using nvidia_ace::animation_data::v1::AnimationDataStream;
using StatusMessage = nvidia_ace::status::v1::Status;

bool Parse(ReceivedBytes& received, AnimationDataStream& message) {
  grpc::ProtoBufferReader reader(&received.bytes);
  return reader.status().ok() && message.ParseFromZeroCopyStream(&reader);
}

}  // namespace

struct PullClient::Impl {
  explicit Impl(PullOptions o)
      : options(std::move(o)), reconnector(options.connection.reconnect, std::random_device()()) {
    AddStreamId(options.ids.stream_id(), metadata);
    if (!options.rig.empty()) metadata.emplace_back("x-posewire-rig", options.rig);
    absl::Status fault = CheckIds(options.ids, /*needs_request=*/false);
    if (fault.ok()) fault = CheckMetadata(metadata);
    if (!fault.ok()) End(std::move(fault));
  }

  void Connect(double now_s);
  PullEvent OnMessage(AnimationDataStream message, double time_s);
  PullEvent OnCallOver();
  PullEvent End(absl::Status why);
  void Tell(const ConnectionEvent& event) {
    if (options.connection.on_event) options.connection.on_event(event);
  }

  PullOptions options;
  Metadata metadata;
  Reconnector reconnector;
  CallSlot slot;
  int connection = 0;
  double attempt_at_s = 0;
  // Of this connection.
  bool message_seen = false;
  bool header_seen = false;
  bool data_seen = false;
  double epoch_s = 0;
  std::optional<double> last_time_s;  // epoch + code of the newest data message
  std::optional<StatusMessage> last_status;
  std::optional<PullEvent> ended;
};

void PullClient::Impl::Connect(double now_s) {
  reconnector.OnAttempt(now_s);
  message_seen = header_seen = data_seen = false;
  last_status.reset();
  const size_t read_ahead = static_cast<size_t>(std::max(1, options.read_ahead));
  if (!slot.Set(std::make_unique<ByteCall>(MakeChannel(options.connection), kPullMethod, metadata,
                                           read_ahead))) {
    return;
  }
  // Does not block; a failure shows when reading.
  (void)slot.get()->Write(options.ids.SerializeAsString(), -1, /*last=*/true);
}

PullEvent PullClient::Impl::End(absl::Status why) {
  slot.Clear();
  PullEvent event;
  event.kind = PullEvent::kEnd;
  event.why = std::move(why);
  event.connection = connection;
  event.last_status = last_status;
  ended = event;
  return event;
}

PullEvent PullClient::Impl::OnMessage(AnimationDataStream message, double time_s) {
  PullEvent event;
  event.receive_time_s = time_s;
  if (!std::exchange(message_seen, true)) {
    ++connection;
    reconnector.OnAlive(time_s);
    Tell({.kind = ConnectionEvent::kConnected});
  }
  event.connection = connection;
  switch (message.stream_part_case()) {
    case AnimationDataStream::kAnimationDataStreamHeader:
      if (header_seen) return End(absl::InternalError("the server sent a second header"));
      header_seen = true;
      event.kind = PullEvent::kHeader;
      epoch_s = message.animation_data_stream_header().start_time_code_since_epoch();
      break;
    case AnimationDataStream::kStatus:
      event.kind = PullEvent::kStatus;
      last_status = message.status();
      break;
    case AnimationDataStream::kAnimationData: {
      if (!header_seen) return End(absl::InternalError("the server sent data before a header"));
      event.kind = PullEvent::kData;
      const MessageTimes times = TimesOf(message.animation_data(), 0);
      if (!times.empty()) {
        const double at_s = epoch_s + times.earliest_s;
        if (!data_seen && last_time_s) event.hole_s = at_s - *last_time_s;
        last_time_s = at_s;
        data_seen = true;
      }
      break;
    }
    case AnimationDataStream::STREAM_PART_NOT_SET:
      return End(absl::InternalError("the server sent a message without header, data or status"));
  }
  event.message = std::move(message);
  return event;
}

PullEvent PullClient::Impl::OnCallOver() {
  const absl::Status status = slot.get()->Finish();
  slot.Clear();
  if (slot.cancelled()) return End(absl::CancelledError("the pull was cancelled"));
  const bool too_slow = status.code() == absl::StatusCode::kResourceExhausted && data_seen;
  if (!too_slow && !IsConnectionLoss(status)) return End(status);
  const double now_s = SteadySeconds();
  const std::optional<double> delay_s = reconnector.OnLoss(now_s);
  if (!delay_s) {
    Tell({.kind = ConnectionEvent::kGaveUp, .why = status});
    return End(absl::UnavailableError(absl::StrCat("no server at ", options.connection.address,
                                                   " for ", options.connection.reconnect.give_up_s,
                                                   " s: ", status.message())));
  }
  attempt_at_s = now_s + *delay_s;
  Tell({.kind = ConnectionEvent::kLost, .why = status, .retry_in_s = *delay_s});
  PullEvent event;
  event.kind = PullEvent::kLost;
  event.why = status;
  event.retry_in_s = *delay_s;
  event.receive_time_s = now_s;
  event.connection = connection;
  event.last_status = last_status;
  return event;
}

PullClient::PullClient(PullOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

PullClient::~PullClient() = default;

std::optional<PullEvent> PullClient::Next(double timeout_s) {
  Impl& impl = *impl_;
  if (impl.ended) return impl.ended;
  const double deadline_s = SteadySeconds() + timeout_s;
  if (impl.slot.get() == nullptr) {
    const double now_s = SteadySeconds();
    double wait_s = std::max(0.0, impl.attempt_at_s - now_s);
    const bool due = timeout_s < 0 || wait_s <= timeout_s;
    if (!due) wait_s = timeout_s;
    if (!impl.slot.Sleep(wait_s)) return impl.End(absl::CancelledError("the pull was cancelled"));
    if (!due) return std::nullopt;
    impl.Connect(SteadySeconds());
  }
  ReceivedBytes received;
  const double left_s = timeout_s < 0 ? -1 : std::max(0.0, deadline_s - SteadySeconds());
  switch (impl.slot.get()->Read(left_s, received)) {
    case ByteCall::kTimeout:
      return std::nullopt;
    case ByteCall::kOver:
      return impl.OnCallOver();
    case ByteCall::kOk:
      break;
  }
  AnimationDataStream message;
  if (!Parse(received, message)) {
    return impl.End(absl::InternalError("the server sent bytes that are no AnimationDataStream"));
  }
  return impl.OnMessage(std::move(message), received.time_s);
}

void PullClient::Cancel() { impl_->slot.Cancel(); }

}  // namespace posewire::client
