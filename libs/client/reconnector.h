// When a client calls again after losing its server: pure arithmetic; time is an argument.
#ifndef POSEWIRE_LIBS_CLIENT_RECONNECTOR_H_
#define POSEWIRE_LIBS_CLIENT_RECONNECTOR_H_

#include <cstdint>
#include <optional>
#include <random>

namespace posewire::client {

struct ReconnectOptions {
  // Between attempts, for the first `eager_s` without a healthy connection: a server rests about
  // that long for a source it has lost (--resume-s), so that a short absence is to be noticed when
  // it ends.
  double initial_delay_s = 0.2;
  double eager_s = 4;
  // After that each delay is so many times the one before, up to the maximum.
  double factor = 1.6;
  double max_delay_s = 2;
  // Each delay is changed by up to this share, up or down, but not past max_delay_s.
  double jitter = 0.2;
  // A connection that was alive for this long counts as healthy: the delays start over.
  double healthy_s = 1;
  // Gives up if there was no healthy connection for this long; 0: never.
  double give_up_s = 0;
};

// Follows one client's connections. Times are seconds of any clock that does not go back. One
// thread.
class Reconnector {
 public:
  Reconnector(const ReconnectOptions& options, uint64_t seed);

  // A call is being started.
  void OnAttempt(double now_s);
  // The server has accepted or sent something on this call.
  void OnAlive(double now_s);
  // The call was lost. Seconds to wait before the next attempt; nothing: give up.
  std::optional<double> OnLoss(double now_s);

  int attempts() const { return attempts_; }
  // How long there has been no healthy connection.
  double down_s(double now_s) const;

 private:
  ReconnectOptions options_;
  std::mt19937_64 random_;
  double next_delay_s_;
  std::optional<double> down_since_s_;
  std::optional<double> alive_since_s_;
  int attempts_ = 0;
};

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_RECONNECTOR_H_
