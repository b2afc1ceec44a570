#include "services/a2f_source/core/pacer.h"

#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace posewire::a2f_source {

absl::StatusOr<double> ParseRate(absl::string_view text) {
  if (text == "realtime") return 1.0;
  if (text == "burst") return std::numeric_limits<double>::infinity();
  absl::string_view number = text;
  double rate = 0;
  if (absl::ConsumeSuffix(&number, "x") && absl::SimpleAtod(number, &rate) && rate >= 0.01 &&
      rate <= 1000) {
    return rate;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("rate \"", text, "\" must be realtime, burst, or Nx with N from 0.01 to 1000"));
}

double Pacer::DueAt(double time_code_s, double now_s) {
  if (!start_) {
    start_ = Start{now_s, time_code_s};
    return now_s;
  }
  return start_->time_s + (time_code_s - start_->time_code_s) / rate_ - lead_s_;
}

}  // namespace posewire::a2f_source
