#include "libs/client/reconnector.h"

#include <algorithm>

namespace posewire::client {

Reconnector::Reconnector(const ReconnectOptions& options, uint64_t seed)
    : options_(options), random_(seed), next_delay_s_(options.initial_delay_s) {}

void Reconnector::OnAttempt(double now_s) {
  ++attempts_;
  alive_since_s_.reset();
  if (!down_since_s_) down_since_s_ = now_s;
}

void Reconnector::OnAlive(double now_s) {
  if (!alive_since_s_) alive_since_s_ = now_s;
}

std::optional<double> Reconnector::OnLoss(double now_s) {
  if (alive_since_s_ && now_s - *alive_since_s_ >= options_.healthy_s) {
    next_delay_s_ = options_.initial_delay_s;
    down_since_s_ = now_s;
  }
  alive_since_s_.reset();
  if (!down_since_s_) down_since_s_ = now_s;
  if (options_.give_up_s > 0 && now_s - *down_since_s_ >= options_.give_up_s) return std::nullopt;
  std::uniform_real_distribution<double> jitter(-options_.jitter, options_.jitter);
  const double delay_s = std::min(next_delay_s_ * (1 + jitter(random_)), options_.max_delay_s);
  if (now_s - *down_since_s_ >= options_.eager_s) {
    next_delay_s_ = std::min(next_delay_s_ * options_.factor, options_.max_delay_s);
  }
  return delay_s;
}

double Reconnector::down_s(double now_s) const {
  if (alive_since_s_ && now_s - *alive_since_s_ >= options_.healthy_s) return 0;
  return down_since_s_ ? now_s - *down_since_s_ : 0;
}

}  // namespace posewire::client
