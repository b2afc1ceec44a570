// One push and one pull of a load.
#ifndef POSEWIRE_TOOLS_LOADGEN_H2_STREAMS_H_
#define POSEWIRE_TOOLS_LOADGEN_H2_STREAMS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/loadgen/h2/connection.h"
#include "tools/loadgen/numbered_voice.h"

namespace posewire::loadgen {

enum class Phase { kWarmingUp, kCounting, kEnding };

// A call of which the end is a failure unless the load ends.
class LoadCall : public H2Call {
 public:
  explicit LoadCall(const Phase& phase) : phase_(phase) {}
  const std::optional<std::string>& failure() const { return failure_; }
  // Marks the call as failed. Keeps the first reason.
  void Fail(std::string why) {
    if (!failure_) failure_ = std::move(why);
  }

 protected:
  const Phase& phase_;

 private:
  void OnOver() override {
    if (phase_ != Phase::kEnding) Fail(end());
  }
  std::optional<std::string> failure_;
};

class LoadPush final : public LoadCall {
 public:
  using LoadCall::LoadCall;
  // Call before each Send. Counts the message as late if an earlier one is still queued.
  void NoteSend() { late_ += phase_ == Phase::kCounting && waiting() > 0; }
  int64_t late() const { return late_; }

 private:
  void OnMessage(absl::Span<const uint8_t>, double) override {}
  int64_t late_ = 0;
};

// Notes the frames that come.
class LoadPull final : public LoadCall {
 public:
  using LoadCall::LoadCall;
  bool header_seen() const { return header_seen_; }
  // Offsets are receive time - (epoch + code), in seconds, of what was counted.
  const std::vector<float>& offsets_s() const { return offsets_s_; }
  const VoiceListener& voice() const { return voice_; }
  int64_t missed_ticks() const { return missed_ticks_; }
  int64_t frames_without_pose() const { return without_pose_; }
  int64_t bytes() const { return bytes_; }

 private:
  void OnMessage(absl::Span<const uint8_t> message, double wall_s) override;

  bool header_seen_ = false;
  double epoch_s_ = 0;
  double last_code_s_ = -1;
  std::vector<float> offsets_s_;
  VoiceListener voice_;
  int64_t missed_ticks_ = 0;
  int64_t without_pose_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace posewire::loadgen

#endif  // POSEWIRE_TOOLS_LOADGEN_H2_STREAMS_H_
