// Runs ffmpeg once from bytes to bytes, within limits.
#ifndef POSEWIRE_LIBS_FFMPEG_RUN_H_
#define POSEWIRE_LIBS_FFMPEG_RUN_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::ffmpeg {

struct RunLimits {
  size_t most_bytes = size_t{64} << 20;   // of the output
  double most_s = 60;                     // maximum duration
  size_t memory_bytes = size_t{2} << 30;  // of the child's address space, including libraries
};

// Writes `in` to standard input and returns standard output. The bytes may be untrusted: the child
// has its limits before it gets the first of them, only reads and writes these two pipes, and is
// killed if it exceeds a limit.
// UNAVAILABLE if ffmpeg cannot be started; INVALID_ARGUMENT, with its first messages, if it fails;
// RESOURCE_EXHAUSTED for more bytes, DEADLINE_EXCEEDED for more time. Any thread; blocks.
absl::StatusOr<std::string> Run(std::vector<std::string> arguments, absl::string_view in,
                                const RunLimits& limits);

}  // namespace posewire::ffmpeg

#endif  // POSEWIRE_LIBS_FFMPEG_RUN_H_
