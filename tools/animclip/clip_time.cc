#include "tools/animclip/clip_time.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "libs/timecode/smpte.h"

namespace posewire::animclip {
namespace {

// In frames, over the whole track: at 29.97 a clip is this far from 30 within 4 s.
constexpr double kMostDrift = 0.1;

const TrackFacts& LongestTrack(const ClipFacts& facts) {
  return *std::max_element(
      std::begin(facts.pose), std::end(facts.pose),
      [](const TrackFacts& a, const TrackFacts& b) { return a.keys < b.keys; });
}

}  // namespace

std::optional<timecode::FrameRate> RateOf(const ClipFacts& facts) {
  const TrackFacts& track = LongestTrack(facts);
  if (track.keys < 2 || !IsEven(track)) return std::nullopt;
  const double length_s = track.last_s - track.first_s;
  const auto frames = static_cast<double>(track.keys - 1);
  const auto drift = [&](const timecode::FrameRate& rate) {
    return std::fabs(length_s * rate.hz() - frames);
  };
  const int64_t whole = std::llround(frames / length_s);
  if (whole < 1) return std::nullopt;
  const timecode::FrameRate rate{whole, 1}, ntsc{1000 * whole, 1001};
  const timecode::FrameRate& nearest = drift(rate) <= drift(ntsc) ? rate : ntsc;
  return drift(nearest) <= kMostDrift ? std::optional(nearest) : std::nullopt;
}

absl::StatusOr<double> TimeOf(absl::string_view text, const ClipFacts& facts) {
  return timecode::ParseTime(text, RateOf(facts));
}

std::string SmpteSpan(double from_s, double to_s, const ClipFacts& facts) {
  const auto rate = RateOf(facts);
  if (!rate) return "";
  const auto label = [&](double t_s) {
    return timecode::ToSmpte(rate->NearestTick(t_s), *rate, true);
  };
  return absl::StrCat(label(from_s), " to ", label(to_s), " at ", timecode::ToString(*rate),
                      " fps");
}

}  // namespace posewire::animclip
