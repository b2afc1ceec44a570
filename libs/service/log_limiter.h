// Keeps one message from filling the log.
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

// Lets through so many lines a second of each message, whatever their fields, and counts the rest.
// Reads no clock. Not thread-safe.
class LogLimiter {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Held {
    LogLevel level;
    std::string message;
    int64_t lines;
  };

  // 0: no limit.
  explicit LogLimiter(int most_a_second) : most_(most_a_second) {}

  // Whether a line of this message may be written at `now`. A message's second begins with its
  // first line.
  bool Take(LogLevel level, absl::string_view message, Time now);
  // What was held back in the seconds that are over at `now`. Each line is told of once.
  std::vector<Held> TakeHeld(Time now);
  // Since the start, those included that TakeHeld has told of.
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
  // Of the messages that came up in the last second, or have lines to tell of.
  std::map<std::string, Second, std::less<>> seconds_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_LOG_LIMITER_H_
