// How long a live key takes from its sending to the arrival of the frame that first shows it.
#ifndef POSEWIRE_TESTS_BENCH_LIVE_LATENCY_H_
#define POSEWIRE_TESTS_BENCH_LIVE_LATENCY_H_

#include <string>

#include "absl/status/status.h"
#include "tests/bench/support/measures.h"

namespace posewire::bench {

struct LatencyOptions {
  std::string address;  // an anim_graph that ticks at 30 fps
  double seconds = 60;
};

// Pushes full poses of the standard rig in live mode and pulls the avatar, both through
// libs/client. The source runs at 29.4 keys a second against 30 ticks, so that its phase sweeps the
// whole frame once in 5/3 s: the median does not hang on a lucky or unlucky start. Each key carries
// its number in a shape weight. One second of warm-up is not counted.
//
// Adds in milliseconds: live_latency_* (sending of a key to arrival of the first frame with it;
// half a frame of that is waiting for the tick), live_tick_to_arrival_* (the frame's own time code,
// by the header's epoch, to its arrival), and the counts live_keys and live_keys_not_shown.
absl::Status MeasureLiveLatency(const LatencyOptions& options, Measures& measures);

}  // namespace posewire::bench

#endif  // POSEWIRE_TESTS_BENCH_LIVE_LATENCY_H_
