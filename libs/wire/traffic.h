// What the clients of a process have sent or taken, for its metrics.
#ifndef POSEWIRE_LIBS_WIRE_TRAFFIC_H_
#define POSEWIRE_LIBS_WIRE_TRAFFIC_H_

#include <atomic>
#include <cstdint>

namespace posewire::wire {

// Sums over all clients since the start. Any thread adds and reads.
struct Traffic {
  using Count = std::atomic<int64_t>;
  Count connections{0};      // calls that a server took up
  Count losses{0};           // calls that broke, and attempts that reached no server
  Count messages{0};         // of pushes, each once; of pulls
  Count bytes{0};            // of these messages
  Count resent_messages{0};  // of pushes: sent again after a loss
  // Of what was taken.
  Count frames{0};
  Count poseless_frames{0};
  Count gaps{0};
  Count faulty_messages{0};
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_TRAFFIC_H_
