#include "libs/timecode/audio_position.h"

#include <algorithm>
#include <cmath>

namespace posewire::timecode {
namespace {

constexpr int64_t kContiguousPart = 50;  // of a second: 20 ms
constexpr int64_t kAgainPart = 500;      // 2 ms: time codes may be whole milliseconds
// Positions beyond this are clamped to it, so that sums of positions stay within 63 bits.
constexpr double kMostSamples = 1e17;

}  // namespace

int64_t FirstSampleOfTick(int64_t k, int64_t rate_hz, const FrameRate& fps) {
  // floor(k den rate / num) split into whole and part, so that the product stays small over any
  // length.
  const int64_t per = fps.den * rate_hz;
  const int64_t whole = k / fps.num;
  int64_t rest = k % fps.num;
  int64_t first = whole * per;
  if (rest < 0) {
    rest += fps.num;
    first -= per;
  }
  return first + rest * per / fps.num;
}

int64_t SampleAt(double time_code_s, int64_t rate_hz) {
  const double at = time_code_s * static_cast<double>(rate_hz);
  return std::llround(std::clamp(at, -kMostSamples, kMostSamples));
}

AudioPlacer::Placement AudioPlacer::Place(double time_code_s, int64_t samples) {
  const int64_t at = SampleAt(time_code_s, rate_hz_);
  if (!started_) {
    started_ = true;
    position_ = at;
  }
  const int64_t slack = rate_hz_ / kContiguousPart;
  int64_t slack_before = slack, belongs = at;
  if (again_ != Again::kNo) {
    slack_before = again_ == Again::kFirst ? rate_hz_ / kAgainPart : 0;
    belongs = newest_first_ + (at - newest_at_);
  }
  Placement placement;
  const int64_t apart = belongs - position_;
  if (apart > slack) {
    placement.silence_before = apart;
  } else if (apart < -slack_before) {
    placement.drop = std::min(-apart, samples);
  }
  placement.first_sample = position_ + placement.silence_before;
  position_ = placement.first_sample + samples - placement.drop;
  if (placement.drop == samples) {
    const bool newest = at == newest_at_ && belongs + samples == position_;
    if (again_ != Again::kNo) again_ = newest ? Again::kNo : Again::kRepeats;
    return placement;
  }
  again_ = Again::kNo;
  newest_at_ = at;
  newest_first_ = placement.first_sample - placement.drop;
  return placement;
}

}  // namespace posewire::timecode
