#include "libs/timecode/track_order.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace posewire::timecode {

absl::Status TrackOrder::Check(size_t index, double code_s,
                               const std::optional<double>& before_s) const {
  const auto fault = [&](const auto&... what) {
    return absl::InvalidArgumentError(
        absl::StrCat(field_, "[", index, "].time_code is ", code_s, ": ", what...));
  };
  if (!std::isfinite(code_s)) return fault("time codes are finite");
  if (code_s < 0) return fault("time codes are at least 0");
  if (!before_s) return absl::OkStatus();
  if (code_s <= *before_s) {
    return index == 0 ? fault("it overlaps the message before, which ends at ", *before_s,
                              "; codes of a track strictly increase over messages")
                      : fault("the one before is ", *before_s, "; codes strictly increase");
  }
  if (code_s - *before_s > max_jump_s_) {
    return fault("the key before is at ", *before_s, "; a jump is at most ", max_jump_s_, " s");
  }
  return absl::OkStatus();
}

absl::Status TrackOrder::Add(absl::Span<const double> codes_s) {
  std::optional<double> before_s = last_s_;
  for (size_t i = 0; i < codes_s.size(); ++i) {
    if (absl::Status s = Check(i, codes_s[i], before_s); !s.ok()) return s;
    before_s = codes_s[i];
  }
  last_s_ = before_s;
  return absl::OkStatus();
}

}  // namespace posewire::timecode
