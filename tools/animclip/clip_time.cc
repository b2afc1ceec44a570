#include "tools/animclip/clip_time.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "libs/timecode/smpte.h"

namespace posewire::animclip {

std::optional<timecode::FrameRate> RateOf(const ClipFacts& facts) {
  return std::max_element(std::begin(facts.pose), std::end(facts.pose),
                          [](const TrackFacts& a, const TrackFacts& b) { return a.keys < b.keys; })
      ->Rate();
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
