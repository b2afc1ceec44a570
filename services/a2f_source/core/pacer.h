// When a message may go: as fast as it plays, faster, or at once.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_PACER_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_PACER_H_

#include <cmath>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::a2f_source {

// "realtime" is 1, "burst" is infinite, "2x" or "0.5x" is the number (0.01 to 1000).
// INVALID_ARGUMENT for anything else.
absl::StatusOr<double> ParseRate(absl::string_view text);

// The first code that is asked about goes at once, and sets the time that all others are counted
// from: code c is due at start + (c - first) / rate - lead. A sender that fell behind catches up
// in a burst. Times are seconds of any clock that does not go back. One thread.
class Pacer {
 public:
  Pacer(double rate, double lead_s) : rate_(rate), lead_s_(lead_s) {}

  // Whether everything is due at once.
  bool burst() const { return std::isinf(rate_); }
  double lead_s() const { return lead_s_; }

  // When a message whose earliest code is `time_code_s` is due; may lie before now_s.
  double DueAt(double time_code_s, double now_s);

 private:
  struct Start {
    double time_s;
    double time_code_s;
  };
  double rate_;
  double lead_s_;
  std::optional<Start> start_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_PACER_H_
