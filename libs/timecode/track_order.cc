#include "libs/timecode/track_order.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace posewire::timecode {
namespace {

// More digits than StrCat's six, so that time codes of long streams differ in an error.
std::string Number(double value) { return absl::StrFormat("%.12g", value); }

}  // namespace

absl::Status CheckTimeCode(absl::string_view where, double time_code_s) {
  if (time_code_s >= 0 && time_code_s <= kMaxCode_s) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(where, ".time_code is ", Number(time_code_s),
                   "; must be finite seconds, at least 0 and at most ", Number(kMaxCode_s)));
}

absl::Status TrackOrder::Check(size_t index, double time_code_s,
                               const std::optional<double>& before_s) const {
  const auto where = [&] { return absl::StrCat(field_, "[", index, "]"); };
  if (!(time_code_s >= 0 && time_code_s <= kMaxCode_s)) return CheckTimeCode(where(), time_code_s);
  if (!before_s) return absl::OkStatus();
  const auto fault = [&](const auto&... what) {
    return absl::InvalidArgumentError(
        absl::StrCat(where(), ".time_code is ", Number(time_code_s), what...));
  };
  if (time_code_s <= *before_s) {
    return index == 0 ? fault(", but earlier messages reach ", Number(*before_s),
                              "; messages of a track must not overlap: must be greater")
                      : fault(" after ", Number(*before_s),
                              "; time codes of a track must increase strictly");
  }
  if (time_code_s - *before_s > max_jump_s_) {
    return fault(" after ", Number(*before_s), "; successive keys of a track may be at most ",
                 Number(max_jump_s_), " s apart");
  }
  return absl::OkStatus();
}

absl::Status TrackOrder::Add(absl::Span<const double> time_codes_s) {
  std::optional<double> before_s = last_s_;
  for (size_t i = 0; i < time_codes_s.size(); ++i) {
    if (absl::Status s = Check(i, time_codes_s[i], before_s); !s.ok()) return s;
    before_s = time_codes_s[i];
  }
  last_s_ = before_s;
  return absl::OkStatus();
}

}  // namespace posewire::timecode
