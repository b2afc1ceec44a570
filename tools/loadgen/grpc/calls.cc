#include "tools/loadgen/grpc/calls.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/loadgen/frame_scan.h"

namespace posewire::loadgen {
namespace {

constexpr double kPeriod_s = 1.0 / 30;

double WallSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// The bytes of `buffer`, in its own memory when they are one slice, else in `joined`.
class WholeMessage {
 public:
  WholeMessage(const grpc::ByteBuffer& buffer, std::vector<uint8_t>& joined) {
    if (buffer.TrySingleSlice(&slice_).ok()) {
      bytes_ = {slice_.begin(), slice_.size()};
      return;
    }
    std::vector<grpc::Slice> slices;
    if (!buffer.Dump(&slices).ok()) return;
    joined.clear();
    for (const grpc::Slice& s : slices) joined.insert(joined.end(), s.begin(), s.end());
    bytes_ = joined;
  }
  absl::Span<const uint8_t> bytes() const { return bytes_; }

 private:
  grpc::Slice slice_;
  absl::Span<const uint8_t> bytes_;
};

}  // namespace

LoadCall::LoadCall(const std::shared_ptr<grpc::Channel>& channel, const char* method,
                   const std::string& stream_id, const Phase& phase, grpc::CompletionQueue& queue)
    : phase_(phase), stub_(channel), method_(method), queue_(queue) {
  AddMetadata("x-stream-id", stream_id);
}

void LoadCall::Start() {
  call_ = stub_.PrepareCall(&context_, method_, &queue_);
  call_->StartCall(&started_);
}

void LoadCall::AwaitStatus() {
  if (!std::exchange(finishing_, true)) call_->Finish(&status_, &finished_);
}

void LoadCall::React(void* tag, bool ok) {
  const Tag& t = *static_cast<Tag*>(tag);
  switch (t.event) {
    case Event::kStarted:
      // A call that could not start says why in its status.
      return ok ? t.call->OnStarted() : t.call->AwaitStatus();
    case Event::kWritten:
      return t.call->OnWritten(ok);
    case Event::kRead:
      return t.call->OnRead(ok);
    case Event::kFinished:
      return t.call->OnFinished();
  }
}

void LoadCall::OnFinished() {
  if (!phase_.ending) {
    failure_ = absl::StrCat("code ", static_cast<int>(status_.error_code()), ": ",
                            status_.error_message());
  }
  over_ = true;
}

void LoadPush::Begin(const std::string& header) {
  waiting_.push_front(Wrap(grpc::Slice(header)));
  Start();
}

void LoadPush::OnStarted() { WriteNext(); }

void LoadPush::Send(const grpc::Slice& message) {
  if (broken_) return;
  waiting_.push_back(Wrap(message));
  if (writing_) {
    late_ += phase_.counting;
  } else {
    WriteNext();
  }
}

void LoadPush::WriteNext() {
  writing_ = true;
  call_->Write(waiting_.front(), &written_);
  waiting_.pop_front();
}

void LoadPush::OnWritten(bool ok) {
  writing_ = false;
  if (!ok) {
    broken_ = true;
    AwaitStatus();
  } else if (!waiting_.empty() && !broken_) {
    WriteNext();
  }
}

void LoadPush::End() {
  broken_ = true;
  Cancel();
  AwaitStatus();
}

void LoadPull::Begin(const std::string& ids) {
  ids_ = Wrap(grpc::Slice(ids));
  Start();
}

void LoadPull::OnStarted() {
  call_->WriteLast(ids_, grpc::WriteOptions(), &written_);
  call_->Read(&buffer_, &read_);
}

void LoadPull::OnRead(bool ok) {
  if (!ok) return AwaitStatus();
  const double wall_s = WallSeconds();
  OnMessage(WholeMessage(buffer_, joined_).bytes(), wall_s);
  call_->Read(&buffer_, &read_);
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
