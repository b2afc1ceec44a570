#include "services/a2f_source/pulls/served_sink.h"

#include "absl/strings/str_cat.h"
#include "libs/client/connection.h"
#include "libs/wire/edit_codes.h"

namespace posewire::a2f_source {
namespace {

// Returns the header without the fields of one pull or one request.
std::string LayoutOf(wire::StreamHeader header) {
  header.ids = {};
  header.epoch_s = 0;
  return *wire::SerializeHeader(header);
}

}  // namespace

void ServedSink::Close() {
  EndRequest(cancelled_ || !wanted_ ? stream::Ending::kStopped : stream::Ending::kLost);
  std::lock_guard lock(mutex_);
  room_ = nullptr;
}

absl::Status ServedSink::Begin(const wire::StreamHeader& header) {
  wire::StreamHeader begun = header;
  room_->RememberStream(header.ids.stream_id);
  if (options_.wait_for_pull) {
    if (absl::Status s = room_->WaitForPull(header.ids, options_.wait_s, stop_); !s.ok()) return s;
    begun.epoch_s = client::UnixSeconds();
  }
  if (other_ != nullptr) {
    if (absl::Status s = other_->Begin(begun); !s.ok()) return s;
  }
  audio_rate_hz_ = header.audio_rate_hz.value_or(0);
  const auto make_header = [header](const wire::StreamIds& ids, double line_epoch_s) {
    wire::StreamHeader own = header;
    own.ids = ids;
    own.epoch_s = line_epoch_s;
    return wire::EncodeHeader(own);
  };
  request_ = room_->Begin(header.ids, begun.epoch_s, LayoutOf(header), make_header);
  return absl::OkStatus();
}

absl::StatusOr<bool> ServedSink::Send(const wire::Message& message) {
  if (other_ != nullptr) {
    const auto sent = other_->Send(message);
    if (!sent.ok()) return sent;
    wanted_ = *sent;
    if (!wanted_) return false;
  }
  SendHeldStatus();
  if (const wire::DataChunk* data = message.data()) {
    SendToPulls(message.bytes, wire::TimesOf(*data, audio_rate_hz_));
    ++messages_;
  } else {
    held_ = message;
  }
  return true;
}

void ServedSink::SendToPulls(const wire::MessageBytes& bytes, const wire::ChunkTimes& times) {
  double shift_s = 0, until_s = 0;
  if (!times.empty()) {
    shift_s = room_->ShiftOf(request_, times.earliest_s);
    until_s = pace_.DueAt(times.earliest_s, client::SteadySeconds());
  }
  const wire::MessageBytes moved = shift_s == 0 ? bytes : wire::ShiftCodes(*bytes, shift_s);
  const double time_code_s = times.empty() ? 0 : times.earliest_s + shift_s;
  room_->Send(request_, wire::EncodeMessage(wire::SpanOf(moved), time_code_s),
              times.latest_s + shift_s, until_s, stop_);
}

void ServedSink::SendHeldStatus() {
  if (held_) SendToPulls(std::exchange(held_, std::nullopt)->bytes, {});
}

absl::StatusOr<std::string> ServedSink::End() {
  absl::StatusOr<std::string> answer = absl::StrCat(messages_, " messages served");
  if (other_ != nullptr) answer = other_->End();
  const auto last = held_ ? held_->status()->code : wire::StatusChunk::kSuccess;
  const bool failed = last == wire::StatusChunk::kError;
  if (failed) SendHeldStatus();  // carries the reason
  EndRequest(!wanted_                           ? stream::Ending::kStopped
             : failed || !answer.ok()           ? stream::Ending::kLost
             : last == wire::StatusChunk::kInfo ? stream::Ending::kStopped
                                                : stream::Ending::kEnded);
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
