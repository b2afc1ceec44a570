#include "tools/loadgen/h2/streams.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/loadgen/frame_scan.h"

namespace posewire::loadgen {

void LoadPull::OnMessage(absl::Span<const uint8_t> message, double wall_s) {
  constexpr double kPeriod_s = 1.0 / 30;
  FrameFacts facts;
  if (!ScanFrame(message, facts)) return;
  if (facts.kind == FrameFacts::kHeader) {
    epoch_s_ = facts.epoch_s;
    header_seen_ = true;
  }
  if (facts.kind != FrameFacts::kData || std::isnan(facts.time_code_s)) return;
  voice_.Hear(facts.audio);
  const double step_s = facts.time_code_s - std::exchange(last_code_s_, facts.time_code_s);
  if (phase_ != Phase::kCounting) return;
  missed_ticks_ += std::max<int64_t>(0, std::llround(step_s / kPeriod_s) - 1);
  without_pose_ += !facts.has_pose;
  bytes_ += static_cast<int64_t>(message.size());
  offsets_s_.push_back(static_cast<float>(wall_s - (epoch_s_ + facts.time_code_s)));
}

}  // namespace posewire::loadgen
