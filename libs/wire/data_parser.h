// Parses bytes into a DataChunk whose values are not checked yet. Internal to libs/wire.
#ifndef POSEWIRE_LIBS_WIRE_DATA_PARSER_H_
#define POSEWIRE_LIBS_WIRE_DATA_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "libs/wire/chunk.h"
#include "libs/wire/data_counts.h"
#include "libs/wire/tracks.h"
#include "libs/wire/wire_format.h"

namespace posewire::wire {

// The chunk's block for each track, in the order of kTracks.
inline KeyBlock& BlockOf(DataChunk& chunk, size_t track) {
  return IsPoseTrack(track) ? chunk.pose[track] : chunk.camera[track - kPoseTracks];
}

// Replaces the samples by those in `buffer`, and sets AudioBuffer::half if the number of bytes is
// odd.
inline void CopySamples(Bytes buffer, AudioBuffer* audio) {
  const size_t samples = buffer.size() / sizeof(int16_t);
  audio->samples.resize(samples);
  if (samples != 0) std::memcpy(audio->samples.data(), buffer.data(), samples * sizeof(int16_t));
  audio->half.reset();
  if (buffer.size() % sizeof(int16_t) != 0) audio->half = buffer.back();
}

// Fills tracks, audio and metadata from a serialized AnimationData. `counts` must be its counts.
// INVALID_ARGUMENT for malformed bytes or text.
absl::Status ParseData(Bytes data, const StreamHeader& header, const DataCounts& counts,
                       DataChunk* chunk);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_DATA_PARSER_H_
