// What a clip file holds, and whether all of it keeps the rules of a stream.
#ifndef POSEWIRE_LIBS_CLIPIO_VALIDATE_CLIP_H_
#define POSEWIRE_LIBS_CLIPIO_VALIDATE_CLIP_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_reader.h"

namespace posewire::clipio {

struct TrackSummary {
  const char* name = "";  // "rotations", "camera focal_length"
  int64_t keys = 0;
  double first_s = 0, last_s = 0;
};

struct ClipSummary {
  int64_t messages = 0;
  int64_t data_messages = 0;
  int64_t statuses = 0;
  // Up to the end of the last message that kept the rules.
  int64_t whole_bytes = 0;
  std::optional<wire::StreamHeader> header;
  std::optional<wire::StatusChunk> last_status;

  // Pose tracks, then camera tracks, in the order of their enums.
  std::array<TrackSummary, wire::kPoseTracks + size_t{wire::kCameraTracks}> tracks;
  // Keys of the fullest track.
  int64_t frames = 0;
  // Of keys and audio: from the earliest code to the last key or sample.
  double first_s = 0, last_s = 0;
  double duration_s() const { return last_s - first_s; }

  int64_t audio_buffers = 0;
  int64_t audio_samples = 0;  // as they would play, without what is dropped
  int64_t audio_silence = 0;  // samples of holes between buffers
  int64_t audio_dropped = 0;  // samples that repeat what was there
  double audio_s = 0;         // of audio_samples

  std::map<std::string, int64_t> metadata;  // entries by key
  int64_t zero_rotations = 0, normalized_rotations = 0;

  // The first fault; what is counted above stands before it.
  absl::Status fault;
};

// The limits that anim_graph has by default, with ids not needed (a recording of a pull has none).
wire::ReaderLimits ValidateLimits();

// Fails only when the file cannot be opened: what is wrong inside stands in `fault`.
absl::StatusOr<ClipSummary> ValidateClip(const std::string& path,
                                         const wire::ReaderLimits& limits = ValidateLimits());

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_VALIDATE_CLIP_H_
