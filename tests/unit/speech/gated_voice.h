// A voice whose sound comes when a test says so, as that of a server does.
#ifndef POSEWIRE_TESTS_UNIT_SPEECH_GATED_VOICE_H_
#define POSEWIRE_TESTS_UNIT_SPEECH_GATED_VOICE_H_

#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "libs/speech/voice.h"

namespace posewire::speech {

// A tone of speech's loudness, or silence.
inline SpeechPart Tone(double length_s, int rate_hz = 16000, double loudness = 8000) {
  SpeechPart part;
  part.rate_hz = rate_hz;
  part.samples.resize(static_cast<size_t>(std::lround(length_s * rate_hz)));
  for (size_t i = 0; i < part.samples.size(); ++i) {
    part.samples[i] = static_cast<int16_t>(loudness * std::sin(0.05 * static_cast<double>(i)));
  }
  return part;
}

// What the runs of one voice read. Thread-safe.
class Gate {
 public:
  void Give(SpeechPart part) {
    const std::lock_guard lock(mutex_);
    parts_.push_back(std::move(part));
    changed_.notify_all();
  }
  // The run that reads what was given so far ends then.
  void End(absl::Status status = absl::OkStatus()) {
    const std::lock_guard lock(mutex_);
    parts_.push_back(std::nullopt);
    ends_.push_back(std::move(status));
    changed_.notify_all();
  }
  void WaitForRuns(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return runs_ >= count; });
  }
  int runs() {
    const std::lock_guard lock(mutex_);
    return runs_;
  }
  int cancelled() {
    const std::lock_guard lock(mutex_);
    return cancelled_;
  }

 private:
  friend class GatedRun;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::optional<SpeechPart>> parts_;
  std::deque<absl::Status> ends_;
  int runs_ = 0;
  int cancelled_ = 0;
};

class GatedRun : public SpeechRun {
 public:
  explicit GatedRun(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {
    const std::lock_guard lock(gate_->mutex_);
    ++gate_->runs_;
    gate_->changed_.notify_all();
  }
  absl::StatusOr<bool> Read(SpeechPart& part) override {
    std::unique_lock lock(gate_->mutex_);
    gate_->changed_.wait(lock, [&] { return cancelled_ || !gate_->parts_.empty(); });
    if (cancelled_) return absl::CancelledError("cancelled");
    std::optional<SpeechPart> next = std::move(gate_->parts_.front());
    gate_->parts_.pop_front();
    if (next) {
      part = *std::move(next);
      return true;
    }
    const absl::Status end = gate_->ends_.front();
    gate_->ends_.pop_front();
    if (!end.ok()) return end;
    return false;
  }
  void Cancel() override {
    const std::lock_guard lock(gate_->mutex_);
    cancelled_ = true;
    ++gate_->cancelled_;
    gate_->changed_.notify_all();
  }

 private:
  std::shared_ptr<Gate> gate_;
  bool cancelled_ = false;  // guarded by the gate's mutex
};

class GatedVoice : public Voice {
 public:
  explicit GatedVoice(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}
  absl::StatusOr<std::unique_ptr<SpeechRun>> Begin(const SpeechRequest&) override {
    return std::make_unique<GatedRun>(gate_);
  }

 private:
  std::shared_ptr<Gate> gate_;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_TESTS_UNIT_SPEECH_GATED_VOICE_H_
