// Computes when a client reconnects after losing its server. Pure arithmetic; time is an argument.
#ifndef POSEWIRE_LIBS_CLIENT_RECONNECTOR_H_
#define POSEWIRE_LIBS_CLIENT_RECONNECTOR_H_

#include <cstdint>
#include <optional>
#include <random>

namespace posewire::client {

struct ReconnectOptions {
  // Between attempts, for the first 4 s without a healthy connection. After that each delay is 1.6
  // times the one before, up to the maximum.
  double initial_delay_s = 0.2;
  double max_delay_s = 2;
  // Each delay is randomly changed by up to this fraction, but never above max_delay_s.
  double jitter = 0.2;
  // Gives up if there was no healthy connection for this long; 0: never.
  double give_up_s = 0;
};

// Follows one client's connections. A connection that was alive for 1 s counts as healthy: the
// delays start over. Times are seconds of any clock that does not go back. One thread.
class Reconnector {
 public:
  Reconnector(const ReconnectOptions& options, uint64_t seed);

  // Call when an attempt starts.
  void OnAttempt(double now_s);
  // Call when the server has accepted or sent something on this attempt.
  void OnAlive(double now_s);
  // Call when the call is lost. Returns the delay in seconds before the next attempt; nothing: give
  // up.
  std::optional<double> OnLoss(double now_s);

 private:
  ReconnectOptions options_;
  std::mt19937_64 random_;
  double next_delay_s_;
  std::optional<double> down_since_s_;
  std::optional<double> alive_since_s_;
};

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_RECONNECTOR_H_
