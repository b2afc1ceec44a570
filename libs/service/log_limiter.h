// Prevents one message from filling the log.
#ifndef POSEWIRE_LIBS_SERVICE_LOG_LIMITER_H_
#define POSEWIRE_LIBS_SERVICE_LOG_LIMITER_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/service/logger.h"

namespace posewire::service {

// Allows this many lines per second for each message, regardless of fields, and counts the rest.
// Reads no clock. Not thread-safe.
class LogLimiter {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Held {
    LogLevel level;
    std::string message;
    int64_t lines;
  };

  // `most_a_second` 0: no limit.
  explicit LogLimiter(int most_a_second) : most_(most_a_second) {}

  // Returns whether a line with this message may be written at `now`. A message's second begins
  // with its first line.
  bool Take(LogLevel level, absl::string_view message, Time now);
  // Returns the lines held back in seconds that are over at `now`. Each line is reported once.
  std::vector<Held> TakeHeld(Time now);
  // Total since the start, including lines that TakeHeld has returned.
  int64_t held_back() const { return held_back_; }

 private:
  struct Second {
    LogLevel level;
    Time end;
    int64_t lines = 0;
    int64_t held = 0;
  };

  const int most_;
  int64_t held_back_ = 0;
  // Messages of the last second, and messages with held-back lines to report.
  std::map<std::string, Second, std::less<>> seconds_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_LOG_LIMITER_H_
