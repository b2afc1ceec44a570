// The right of this process to serve a stream that several processes could serve.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAM_LEASE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAM_LEASE_H_

#include <atomic>
#include <cstdint>
#include <memory>

namespace posewire::anim_graph {

// Shared by the directory, which renews it, and the engine, which reads it at every tick.
struct StreamLease {
  // Unix time minus monotonic time. Gives the epochs of the stream's avatars, so that no frame has
  // the same absolute time as a frame of the process that served the stream before.
  double unix_offset_s = 0;
  // The stream makes frames only before this time of the monotonic clock.
  std::atomic<int64_t> until_ns = 0;
  // Incremented when the directory may have lost what it had saved of the stream.
  std::atomic<uint32_t> losses = 0;
};
using LeasePtr = std::shared_ptr<const StreamLease>;

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAM_LEASE_H_
