#include "libs/client/reconnector.h"

#include <algorithm>

namespace posewire::client {
namespace {

// A server waits about this long for a source that it has lost (--resume-s), so a client notices
// the end of a short absence at once.
constexpr double kEager_s = 4;
constexpr double kFactor = 1.6;
constexpr double kHealthy_s = 1;

}  // namespace

Reconnector::Reconnector(const ReconnectOptions& options, uint64_t seed)
    : options_(options), random_(seed), next_delay_s_(options.initial_delay_s) {}

void Reconnector::OnAttempt(double now_s) {
  alive_since_s_.reset();
  if (!down_since_s_) down_since_s_ = now_s;
}

void Reconnector::OnAlive(double now_s) {
  if (!alive_since_s_) alive_since_s_ = now_s;
}

std::optional<double> Reconnector::OnLoss(double now_s) {
  if (alive_since_s_ && now_s - *alive_since_s_ >= kHealthy_s) {
    next_delay_s_ = options_.initial_delay_s;
    down_since_s_ = now_s;
  }
  alive_since_s_.reset();
  if (!down_since_s_) down_since_s_ = now_s;
  if (options_.give_up_s > 0 && now_s - *down_since_s_ >= options_.give_up_s) return std::nullopt;
  std::uniform_real_distribution<double> jitter(-options_.jitter, options_.jitter);
  const double delay_s = std::min(next_delay_s_ * (1 + jitter(random_)), options_.max_delay_s);
  if (now_s - *down_since_s_ >= kEager_s) {
    next_delay_s_ = std::min(next_delay_s_ * kFactor, options_.max_delay_s);
  }
  return delay_s;
}

}  // namespace posewire::client
