// The rules on values and time codes of a stream, across its messages. Internal to libs/wire.
#ifndef POSEWIRE_LIBS_WIRE_STREAM_CHECKS_H_
#define POSEWIRE_LIBS_WIRE_STREAM_CHECKS_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "libs/timecode/track_order.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/record_kernels.h"
#include "libs/wire/tracks.h"

namespace posewire::wire {

class StreamChecks {
 public:
  explicit StreamChecks(const ReaderLimits& limits);

  // Checks a parsed chunk, repairs its rotations, drops keys without values and audio without
  // samples, and fills in earliest code and size. INVALID_ARGUMENT as for FrameReader; after that,
  // nothing more may be checked.
  absl::Status Check(const StreamHeader& header, DataChunk* chunk);

 private:
  absl::Status CheckAudio(const StreamHeader& header, const AudioBuffer& audio);

  // For a track that has keys.
  absl::Status CheckTrack(const StreamHeader& header, size_t track, KeyBlock* block,
                          DataChunk* chunk);

  RecordKernels kernels_;
  double max_jump_s_;
  bool lenient_;
  std::vector<timecode::TrackOrder> orders_;  // of kTracks
  std::optional<double> audio_end_s_;
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_STREAM_CHECKS_H_
