// Drives a server with many pushes and pulls at once, and measures what comes back.
#ifndef POSEWIRE_TOOLS_LOADGEN_H2_LOAD_H_
#define POSEWIRE_TOOLS_LOADGEN_H2_LOAD_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "tools/loadgen/histogram.h"

namespace posewire::loadgen {

struct LoadOptions {
  std::string to = "127.0.0.1:51000";  // or unix:PATH
  int pushes = 64;                     // stream i is pushed for i below this, at 30 fps
  int pulls = 64;                      // stream i is pulled for i below this
  int pulls_of_each = 1;
  double warm_up_s = 2;  // after the last call was opened; nothing is counted
  double seconds = 10;
  std::string mode;          // x-posewire-mode of the pushes; empty: not sent
  std::string sparse = "0";  // x-posewire-sparse of the pulls; 0: not sent
  int pid = 0;               // the server's, for its CPU and memory; 0: not read
  int streams_per_channel = 64;
};

struct LoadResult {
  // Of each counted frame: receive time - (epoch + code) - the smallest such offset of the run.
  Histogram lateness;
  int64_t frames = 0;
  int64_t expected_frames = 0;
  int64_t missed_ticks = 0;  // holes between the codes of successive frames
  int64_t frames_without_pose = 0;
  int64_t bytes = 0;
  int64_t voice_breaks = 0;    // places at which numbered samples were lost or doubled
  int64_t silent_samples = 0;  // within what is spoken
  int64_t spoken_samples = 0;
  int64_t late_pushes = 0;  // frames that were due while the one before was still written
  int64_t failed_calls = 0;
  std::string first_failure;
  double counted_s = 0;
  double server_cpu_s = 0;  // in the counted time
  int64_t server_resident_bytes = 0;
  double own_cpu_s = 0;  // of this process, in the counted time
};

// The load shares its CPUs with the server that it measures, so it must be cheap: HTTP/2 with
// nghttp2 on one thread, messages that are built once, pushes spread over 16 slots per frame with
// one write per connection and slot, and large reads. Like clients that arrive one by one, it opens
// each connection after the server has answered on the previous one, and calls 2 ms apart, pulls
// first. A call that the server rejects, or a pull without a header after 20 s, counts as failed;
// the others continue. Blocks until the run ends. UNAVAILABLE if the server cannot be reached or no
// pull gets a header.
absl::StatusOr<LoadResult> RunLoad(const LoadOptions& options);

}  // namespace posewire::loadgen

#endif  // POSEWIRE_TOOLS_LOADGEN_H2_LOAD_H_
