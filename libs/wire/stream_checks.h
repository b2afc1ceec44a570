// The rules on values and time codes of a stream, over its messages. Internal to libs/wire.
#ifndef POSEWIRE_LIBS_WIRE_STREAM_CHECKS_H_
#define POSEWIRE_LIBS_WIRE_STREAM_CHECKS_H_

#include <array>
#include <optional>

#include "absl/status/status.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/tracks.h"

namespace posewire::wire {

class StreamChecks {
 public:
  explicit StreamChecks(const ReaderLimits& limits) : limits_(limits) {}

  // Checks a parsed chunk, mends its rotations, drops keys that hold no value and audio that holds
  // no sample, and fills in earliest code and size. INVALID_ARGUMENT as FrameReader says; what is
  // remembered of earlier messages changes only when all is well.
  absl::Status Check(const StreamHeader& header, DataChunk* chunk);

 private:
  absl::Status CheckCodes(size_t track, const KeyBlock& block) const;
  absl::Status CheckAudio(const StreamHeader& header, const DataChunk& chunk) const;
  void Remember(const StreamHeader& header, const DataChunk& chunk);

  ReaderLimits limits_;
  std::array<std::optional<double>, kAllTracks> newest_s_;  // of each track
  std::optional<double> audio_end_s_;
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_STREAM_CHECKS_H_
