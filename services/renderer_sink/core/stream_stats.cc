#include "services/renderer_sink/core/stream_stats.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "libs/wire/message.h"
#include "services/renderer_sink/core/frame_codes.h"

namespace posewire::renderer_sink {
namespace {

// Shorter steps are no frame period.
constexpr double kShortestPeriod_s = 1e-3;

}  // namespace

void StreamStats::OnFaulty() {
  ++faulty_;
  if (traffic_ != nullptr) ++traffic_->faulty_messages;
}

void StreamStats::OnHeader(const wire::StreamHeader& header) {
  ++headers_;
  audio_rate_hz_ = header.audio_rate_hz.value_or(0);
  if (headers_ > 1 && header.epoch_s != epoch_s_) lateness_.Restart();
  epoch_s_ = header.epoch_s;
  shifter_.OnHeader(header.epoch_s);
}

std::optional<TimeCodeShifter::Place> StreamStats::OnData(const wire::DataChunk& data,
                                                          double receive_s) {
  const wire::ChunkTimes times = wire::TimesOf(data, audio_rate_hz_);
  auto place = shifter_.OnMessage(data, audio_rate_hz_, receive_s);
  if (data.audio && audio_rate_hz_ > 0) {
    audio_s_ += static_cast<double>(data.audio->samples.size()) / audio_rate_hz_;
    if (traffic_ != nullptr) {
      traffic_->voice_us += wire::SoundMicroseconds(data.audio->samples, audio_rate_hz_);
    }
  }
  if (!place) return place;
  if (place->moved) lateness_.Restart();
  jumps_ += place->jumps;
  jumped_s_ += place->left_out_s;
  if (IsRepeated(data, *place)) ++repeated_;
  const int64_t before = frames_, gaps_before = gaps_;
  bool behind_hole = place->gap_s.has_value();
  for (const double time_code_s : FrameCodes(data)) {
    OnFrame(place->At(time_code_s), behind_hole);
    behind_hole = false;
  }
  const int64_t poseless = std::isinf(times.first_pose_s) ? frames_ - before : 0;
  without_pose_ += poseless;
  if (traffic_ != nullptr) {
    traffic_->frames += frames_ - before;
    traffic_->poseless_frames += poseless;
    traffic_->gaps += gaps_ - gaps_before;
  }
  lateness_.Add(receive_s - place->time_code_s);
  return place;
}

// Of tracks that come in messages of their own each has all codes once.
bool StreamStats::IsRepeated(const wire::DataChunk& data, const TimeCodeShifter::Place& place) {
  bool repeated = false;
  size_t track = 0;
  const auto look = [&](const wire::KeyBlock& keys) {
    double& newest_s = newest_s_[track++];
    if (keys.empty()) return;
    repeated = repeated || place.At(keys.time_codes_s.front()) <= newest_s;
    newest_s = std::max(newest_s, place.At(keys.time_codes_s.back()));
  };
  for (const wire::KeyBlock& keys : data.pose) look(keys);
  for (const wire::KeyBlock& keys : data.camera) look(keys);
  return repeated;
}

void StreamStats::OnFrame(double time_code_s, bool behind_hole) {
  if (frames_ > 0) {
    const double step_s = time_code_s - last_code_s_;
    if (step_s < kSameCode_s) return;
    if (step_s >= kShortestPeriod_s && !behind_hole) period_s_ = std::min(period_s_, step_s);
    if (std::isfinite(period_s_) && step_s > 1.5 * period_s_ && !(pushed_ && behind_hole)) {
      ++gaps_;
      gap_s_ += step_s - period_s_;
    }
  }
  ++frames_;
  last_code_s_ = time_code_s;
}

double StreamStats::seconds() const {
  if (frames_ == 0) return 0;
  return last_code_s_ + (std::isfinite(period_s_) ? period_s_ : 0);
}

std::string StreamStats::Summary(double late_s) const {
  const auto ms = [this](double share) { return 1000 * lateness_.Percentile(share); };
  std::string text = absl::StrFormat(
      "%d frames, %.2f s, audio %.2f s, gaps %d (%.2f s), late %d, without pose %d, %s %d", frames_,
      seconds(), audio_s_, gaps_, gap_s_, lateness_.LaterThan(late_s), without_pose_,
      pushed_ ? "requests" : "reconnections", pushed_ ? headers_ : reconnections());
  if (repeated_ > 0) absl::StrAppendFormat(&text, ", repeated time codes %d", repeated_);
  if (jumps_ > 0) absl::StrAppendFormat(&text, ", jumps %d (%.2f s left out)", jumps_, jumped_s_);
  if (faulty_ > 0) absl::StrAppendFormat(&text, ", faulty messages %d", faulty_);
  absl::StrAppendFormat(&text, ", latency ms: p50 %.1f, p90 %.1f, p99 %.1f, max %.1f", ms(0.5),
                        ms(0.9), ms(0.99), ms(1));
  return text;
}

}  // namespace posewire::renderer_sink
