#include "services/renderer_sink/core/stream_stats.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"

namespace posewire::renderer_sink {
namespace {

using nvidia_ace::animation_data::v1::AnimationData;

// Shorter steps are no frame period.
constexpr double kShortestPeriod_s = 1e-3;

}  // namespace

void StreamStats::OnHeader(
    const nvidia_ace::animation_data::v1::AnimationDataStreamHeader& header) {
  ++headers_;
  audio_rate_hz_ = client::AudioRate(header);
  const double epoch_s = header.start_time_code_since_epoch();
  if (headers_ > 1 && epoch_s != epoch_s_) lateness_.Restart();
  epoch_s_ = epoch_s;
  rebaser_.OnHeader(epoch_s);
}

std::optional<Rebaser::Place> StreamStats::OnData(const AnimationData& data, double receive_s) {
  const client::MessageTimes times = client::TimesOf(data, audio_rate_hz_);
  const auto place = rebaser_.OnMessage(times, receive_s);
  if (audio_rate_hz_ > 0) {
    const size_t samples = data.audio().audio_buffer().size() / 2;
    audio_s_ += static_cast<double>(samples) / audio_rate_hz_;
  }
  if (!place) return place;
  if (place->moved) lateness_.Restart();
  if (frames_ > 0) {
    const double step_s = place->code_s - last_code_s_;
    if (step_s <= 0) ++repeated_;
    if (step_s >= kShortestPeriod_s && !place->hole_s) period_s_ = std::min(period_s_, step_s);
    if (std::isfinite(period_s_) && step_s > 1.5 * period_s_) {
      ++gaps_;
      gap_s_ += step_s - period_s_;
    }
  }
  ++frames_;
  if (std::isinf(times.first_pose_s)) ++without_pose_;
  last_code_s_ = std::max(last_code_s_, place->code_s);
  lateness_.Add(receive_s - place->code_s);
  return place;
}

double StreamStats::seconds() const {
  if (frames_ == 0) return 0;
  return last_code_s_ + (std::isfinite(period_s_) ? period_s_ : 0);
}

std::string StreamStats::Summary(double late_s) const {
  const auto ms = [this](double share) { return 1000 * lateness_.Percentile(share); };
  std::string text = absl::StrFormat(
      "%d frames, %.2f s, audio %.2f s, gaps %d (%.2f s), late %d, without pose %d, "
      "reconnections %d",
      frames_, seconds(), audio_s_, gaps_, gap_s_, lateness_.LaterThan(late_s), without_pose_,
      reconnections());
  if (repeated_ > 0) absl::StrAppendFormat(&text, ", repeated codes %d", repeated_);
  absl::StrAppendFormat(&text, ", latency ms: p50 %.1f, p90 %.1f, p99 %.1f, max %.1f", ms(0.5),
                        ms(0.9), ms(0.99), ms(1));
  return text;
}

}  // namespace posewire::renderer_sink
