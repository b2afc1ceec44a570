// Counts of messages that the clients of a process have sent or received, for its metrics.
#ifndef POSEWIRE_LIBS_WIRE_TRAFFIC_H_
#define POSEWIRE_LIBS_WIRE_TRAFFIC_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "absl/types/span.h"

namespace posewire::wire {

// Sums over all clients since the start. Thread-safe.
struct Traffic {
  using Count = std::atomic<int64_t>;
  Count connections{0};      // calls that a server accepted
  Count losses{0};           // calls that broke off, and attempts that reached no server
  Count messages{0};         // pushed, each once; and pulled
  Count bytes{0};            // of these messages
  Count resent_messages{0};  // pushed again after a loss
  Count voice_us{0};         // duration of sound in messages; see SoundMicroseconds
  // Received data.
  Count frames{0};
  Count poseless_frames{0};
  Count gaps{0};
  Count faulty_messages{0};
};

// Returns the duration of the samples at `rate_hz`; 0 if all are silent or the rate is 0.
inline int64_t SoundMicroseconds(absl::Span<const int16_t> samples, int rate_hz) {
  const bool sounds =
      std::any_of(samples.begin(), samples.end(), [](int16_t sample) { return sample != 0; });
  if (!sounds || rate_hz <= 0) return 0;
  return static_cast<int64_t>(samples.size()) * 1'000'000 / rate_hz;
}

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_TRAFFIC_H_
