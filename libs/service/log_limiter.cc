#include "libs/service/log_limiter.h"

#include <utility>

namespace posewire::service {

bool LogLimiter::Take(LogLevel level, absl::string_view message, Time now) {
  if (most_ == 0) return true;
  Second& second = seconds_.try_emplace(std::string(message)).first->second;
  if (second.end <= now) {
    second.end = now + std::chrono::seconds(1);
    second.lines = 0;
  }
  second.level = level;
  if (++second.lines <= most_) return true;
  ++second.held;
  ++held_back_;
  return false;
}

std::vector<LogLimiter::Held> LogLimiter::TakeHeld(Time now) {
  std::vector<Held> held;
  std::erase_if(seconds_, [&](const auto& entry) {
    const Second& second = entry.second;
    if (now < second.end) return false;
    if (second.held > 0) held.push_back({second.level, entry.first, second.held});
    return true;
  });
  return held;
}

}  // namespace posewire::service
