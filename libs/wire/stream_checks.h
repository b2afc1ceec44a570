// Checks values and time codes of a stream, across its messages. Internal to libs/wire.
#ifndef POSEWIRE_LIBS_WIRE_STREAM_CHECKS_H_
#define POSEWIRE_LIBS_WIRE_STREAM_CHECKS_H_

#include <cstdint>
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

  // Checks a parsed chunk, repairs its rotations, joins samples that are split over two buffers,
  // drops keys without values and audio without samples, and fills in the earliest time code and
  // the size. INVALID_ARGUMENT as for FrameReader; do not call again after an error.
  absl::Status Check(const StreamHeader& header, DataChunk* chunk);

  // Drops a half sample that will not be continued, for example before another header.
  void DropHalf();
  // See FrameReader::dropped_half_samples.
  int64_t dropped_halves() const { return dropped_halves_ + (half_ ? 1 : 0); }

 private:
  absl::Status CheckAudio(const StreamHeader& header, const AudioBuffer& audio);
  // For a checked buffer. Allocates at most one sample.
  void JoinHalves(const StreamHeader& header, DataChunk* chunk);

  // For a track that has keys.
  absl::Status CheckTrack(const StreamHeader& header, size_t track, KeyBlock* block,
                          DataChunk* chunk);

  RecordKernels kernels_;
  double max_jump_s_;
  bool lenient_;
  std::vector<timecode::TrackOrder> orders_;  // in the order of kTracks
  std::optional<double> audio_end_s_;
  std::optional<uint8_t> half_;  // the first byte of a sample, at the end of the last buffer
  double half_end_s_ = 0;        // the time code at which that buffer ends
  int64_t dropped_halves_ = 0;
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_STREAM_CHECKS_H_
