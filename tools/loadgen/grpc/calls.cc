#include "tools/loadgen/grpc/calls.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "grpcpp/support/slice.h"
#include "tools/loadgen/frame_scan.h"

namespace posewire::loadgen {
namespace {

constexpr double kPeriod_s = 1.0 / 30;

double WallSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

grpc::ByteBuffer Wrap(const std::string& message) {
  const grpc::Slice slice(message);
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace

LoadCall::LoadCall(const std::shared_ptr<grpc::Channel>& channel, const char* method,
                   const std::string& stream_id, const Phase& phase, CallCount& done)
    : phase_(phase), stub_(channel), method_(method), done_(done) {
  AddMetadata("x-stream-id", stream_id);
}

void LoadCall::Prepare() { stub_.PrepareBidiStreamingCall(&context_, method_, {}, this); }

void LoadCall::OnDone(const grpc::Status& status) {
  if (!phase_.ending) {
    failure_ =
        absl::StrCat("code ", static_cast<int>(status.error_code()), ": ", status.error_message());
  }
  done_.Done();
}

void LoadPush::Begin(const std::string& header) {
  Prepare();
  // Sends come from outside any reaction: gRPC keeps the call until the hold is given back.
  AddHold();
  writing_ = true;
  write_buffer_ = Wrap(header);
  StartWrite(&write_buffer_);
  StartCall();
}

void LoadPush::Send(const std::string& message) {
  std::lock_guard lock(mutex_);
  if (broken_) return;
  if (writing_) {
    late_ += phase_.counting;
    waiting_.push_back(Wrap(message));
    return;
  }
  Write(Wrap(message));
}

void LoadPush::Write(grpc::ByteBuffer message) {
  writing_ = true;
  write_buffer_ = std::move(message);
  StartWrite(&write_buffer_);
}

void LoadPush::OnWriteDone(bool ok) {
  std::lock_guard lock(mutex_);
  writing_ = false;
  if (!ok) {
    if (!std::exchange(broken_, true)) RemoveHold();
    return;
  }
  if (waiting_.empty()) return;
  grpc::ByteBuffer next = std::move(waiting_.front());
  waiting_.erase(waiting_.begin());
  Write(std::move(next));
}

void LoadPull::Begin(const std::string& ids) {
  Prepare();
  write_buffer_ = Wrap(ids);
  StartWriteLast(&write_buffer_, grpc::WriteOptions());
  StartRead(&read_buffer_);
  StartCall();
}

void LoadPull::OnReadDone(bool ok) {
  if (!ok) return;
  const double wall_s = WallSeconds();
  grpc::Slice slice;
  if (!read_buffer_.TrySingleSlice(&slice).ok()) (void)read_buffer_.DumpToSingleSlice(&slice);
  OnMessage({slice.begin(), slice.size()}, wall_s);
  read_buffer_.Clear();
  StartRead(&read_buffer_);
}

void LoadPull::OnMessage(absl::Span<const uint8_t> message, double wall_s) {
  FrameFacts facts;
  if (!ScanFrame(message, facts)) return;
  if (facts.kind == FrameFacts::kHeader) {
    epoch_s_ = facts.epoch_s;
    header_seen_ = true;
  }
  if (facts.kind != FrameFacts::kData || std::isnan(facts.code_s)) return;
  voice_.Hear(facts.audio);
  const double step_s = facts.code_s - std::exchange(last_code_s_, facts.code_s);
  if (!phase_.counting) return;
  missed_ticks_ += std::max<int64_t>(0, std::llround(step_s / kPeriod_s) - 1);
  without_pose_ += !facts.has_pose;
  bytes_ += static_cast<int64_t>(message.size());
  offsets_s_.push_back(static_cast<float>(wall_s - (epoch_s_ + facts.code_s)));
}

}  // namespace posewire::loadgen
