#include "services/a2f_source/pulls/served_sink.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "libs/client/connection.h"
#include "libs/client/message_times.h"

namespace posewire::a2f_source {
namespace {

using nvidia_ace::animation_data::v1::AnimationData;
using nvidia_ace::animation_data::v1::AnimationDataStream;
using nvidia_ace::animation_data::v1::AnimationDataStreamHeader;
using StatusMessage = nvidia_ace::status::v1::Status;

wire::EncodedFrame Encode(const AnimationDataStream& message, double code_s) {
  const std::string bytes = message.SerializeAsString();
  return wire::EncodeMessage({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
                             code_s);
}

// All of the header but what is of one pull or one request.
std::string LayoutOf(AnimationDataStreamHeader header) {
  header.clear_animation_ids();
  header.clear_start_time_code_since_epoch();
  return header.SerializeAsString();
}

stream::Broadcast::MakeHeader HeaderMaker(const AnimationDataStreamHeader& header) {
  AnimationDataStream message;
  *message.mutable_animation_data_stream_header() = header;
  return [message](const wire::StreamIds& ids, double epoch_s) {
    AnimationDataStream own = message;
    auto& h = *own.mutable_animation_data_stream_header();
    h.mutable_animation_ids()->set_stream_id(ids.stream_id);
    h.mutable_animation_ids()->set_request_id(ids.request_id);
    h.mutable_animation_ids()->set_target_object_id(ids.target_object_id);
    h.set_start_time_code_since_epoch(epoch_s);
    return Encode(own, 0);
  };
}

}  // namespace

void ServedSink::Close() {
  EndRequest(cancelled_ || !wanted_ ? stream::Ending::kStopped : stream::Ending::kLost);
  std::lock_guard lock(mutex_);
  room_ = nullptr;
}

absl::Status ServedSink::Begin(const AnimationDataStreamHeader& header) {
  const auto& said = header.animation_ids();
  const wire::StreamIds ids{said.request_id(), said.stream_id(), said.target_object_id()};
  double epoch_s = header.start_time_code_since_epoch();
  if (other_ != nullptr) {
    if (absl::Status s = other_->Begin(header); !s.ok()) return s;
  }
  room_->RememberStream(ids.stream_id);
  if (options_.wait_for_pull) {
    if (absl::Status s = room_->WaitForPull(ids, options_.wait_s, stop_); !s.ok()) return s;
    epoch_s = client::UnixSeconds();
  }
  audio_rate_hz_ = client::AudioRate(header);
  request_ = room_->Begin(ids, epoch_s, LayoutOf(header), HeaderMaker(header));
  return absl::OkStatus();
}

absl::StatusOr<bool> ServedSink::Send(const AnimationData& data) {
  if (other_ != nullptr) {
    const auto sent = other_->Send(data);
    if (!sent.ok()) return sent;
    wanted_ = *sent;
    if (!wanted_) return false;
  }
  SendHeldStatus();
  AnimationDataStream message;
  *message.mutable_animation_data() = data;
  const client::MessageTimes times = client::TimesOf(data, audio_rate_hz_);
  double shift_s = 0, until_s = 0;
  if (!times.empty()) {
    shift_s = room_->ShiftOf(request_, times.earliest_s);
    if (shift_s != 0) client::ShiftCodes(shift_s, *message.mutable_animation_data());
    until_s = pace_.DueAt(times.earliest_s, client::SteadySeconds());
  }
  const double code_s = times.empty() ? 0 : times.earliest_s + shift_s;
  room_->Send(request_, Encode(message, code_s), times.latest_s + shift_s, until_s, stop_);
  ++messages_;
  return true;
}

absl::StatusOr<bool> ServedSink::Send(const StatusMessage& status) {
  if (other_ != nullptr) {
    const auto sent = other_->Send(status);
    if (!sent.ok()) return sent;
    wanted_ = *sent;
    if (!wanted_) return false;
  }
  SendHeldStatus();
  held_ = status;
  return true;
}

void ServedSink::SendHeldStatus() {
  if (!held_) return;
  AnimationDataStream message;
  *message.mutable_status() = *std::exchange(held_, std::nullopt);
  constexpr double kNoCode_s = -std::numeric_limits<double>::infinity();
  room_->Send(request_, Encode(message, 0), kNoCode_s, 0, stop_);
}

absl::StatusOr<std::string> ServedSink::End() {
  absl::StatusOr<std::string> answer = absl::StrCat(messages_, " messages served");
  if (other_ != nullptr) answer = other_->End();
  const bool failed = held_ && held_->code() == StatusMessage::ERROR;
  if (failed) SendHeldStatus();  // says why
  EndRequest(!wanted_                 ? stream::Ending::kStopped
             : answer.ok() && !failed ? stream::Ending::kEnded
                                      : stream::Ending::kLost);
  return answer;
}

void ServedSink::Cancel() {
  cancelled_ = true;
  std::lock_guard lock(mutex_);
  if (room_ != nullptr) stop_.Request(*room_);
}

void ServedSink::EndRequest(stream::Ending ending) {
  if (request_ != 0) room_->End(std::exchange(request_, 0), ending);
}

}  // namespace posewire::a2f_source
