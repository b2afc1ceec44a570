// Decides when each message is sent: at playback speed, faster, or at once.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_PACER_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_PACER_H_

#include <cmath>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::a2f_source {

// Parses a rate: "realtime" is 1, "burst" is infinite, "2x" or "0.5x" is the number (0.01 to 1000).
// INVALID_ARGUMENT for anything else.
absl::StatusOr<double> ParseRate(absl::string_view text);

// The first time code is due at once, and sets the reference for all others: time code c is due at
// start + (c - first) / rate - lead. A late sender catches up in a burst. Times are seconds of any
// clock that does not go back. One thread.
class Pacer {
 public:
  Pacer(double rate, double lead_s) : rate_(rate), lead_s_(lead_s) {}

  // Returns true if everything is due at once.
  bool burst() const { return std::isinf(rate_); }
  double lead_s() const { return lead_s_; }

  // Returns when a message is due whose earliest time code is `time_code_s`. The result may be
  // before now_s.
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
