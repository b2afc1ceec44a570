// One run of ffmpeg from bytes to bytes, within limits.
#ifndef POSEWIRE_LIBS_FFMPEG_RUN_H_
#define POSEWIRE_LIBS_FFMPEG_RUN_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::ffmpeg {

struct RunLimits {
  size_t most_bytes = size_t{64} << 20;   // of what comes out
  double most_s = 60;                     // until it must have ended
  size_t memory_bytes = size_t{2} << 30;  // of the child's address space, libraries included
};

// Gives `in` to standard input and returns what comes from standard output. The bytes may be of
// anybody: the child has its limits before it is given the first of them, reads and writes these
// two pipes alone, and is ended where it goes beyond.
// UNAVAILABLE when ffmpeg cannot be started; INVALID_ARGUMENT, with its first words, when it fails;
// RESOURCE_EXHAUSTED for more bytes, DEADLINE_EXCEEDED for more time. Any thread; blocks.
absl::StatusOr<std::string> Run(std::vector<std::string> arguments, absl::string_view in,
                                const RunLimits& limits);

}  // namespace posewire::ffmpeg

#endif  // POSEWIRE_LIBS_FFMPEG_RUN_H_
