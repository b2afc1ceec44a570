// A message of a stream as clients and tools hold it: its bytes and its decoded chunk.
//
// The bytes are made once (by SerializeData, or by the sender) and shared by all holders: a file, a
// history, a connection that may have to resend them. Fields unknown to this build are preserved in
// the bytes. The chunk is FrameReader's result for the bytes, or their origin.
#ifndef POSEWIRE_LIBS_WIRE_MESSAGE_H_
#define POSEWIRE_LIBS_WIRE_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/wire/chunk.h"

namespace posewire::wire {

// One serialized AnimationDataStream; immutable, safe on any thread.
using MessageBytes = std::shared_ptr<const std::string>;

struct Message {
  MessageBytes bytes;
  Chunk chunk;

  // Null for headers and statuses.
  const DataChunk* data() const { return std::get_if<DataChunk>(&chunk); }
  const StatusChunk* status() const { return std::get_if<StatusChunk>(&chunk); }
};

// View of the bytes for readers and writers; valid as long as `bytes`.
inline absl::Span<const uint8_t> SpanOf(const MessageBytes& bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()};
}

// The time codes of one data chunk.
struct ChunkTimes {
  // Infinite (and minus infinite) if the chunk has no time code.
  double earliest_s = std::numeric_limits<double>::infinity();
  double latest_s = -std::numeric_limits<double>::infinity();
  // First pose key; infinite without one.
  double first_pose_s = std::numeric_limits<double>::infinity();
  // Newest key, or start of the audio if that is later; minus infinity without time codes.
  double newest_key_s = -std::numeric_limits<double>::infinity();

  bool empty() const { return latest_s < earliest_s; }
};

// Calls `visit(track, block)` for each non-empty track. Tracks are numbered from 0, including empty
// ones, first the pose's, then the camera's.
template <typename Visit>
void EachTrack(const DataChunk& chunk, const Visit& visit) {
  size_t track = 0;
  const auto look = [&](const KeyBlock& block) {
    if (!block.empty()) visit(track, block);
    ++track;
  };
  for (const KeyBlock& block : chunk.pose) look(block);
  for (const KeyBlock& block : chunk.camera) look(block);
}

// Returns whether the chunk has a key of the pose.
bool HasPose(const DataChunk& chunk);

// Returns the entry with this key; null if there is none.
const MetadataEntry* FindMetadata(const DataChunk& chunk, absl::string_view key);

// Returns the time code at the end of the audio at `audio_rate_hz`; if that is 0, at its beginning.
double EndOf(const AudioBuffer& audio, int audio_rate_hz);

// Returns the range over all tracks. Audio extends to the end of its buffer at `audio_rate_hz`; if
// that is 0, only its first time code counts.
ChunkTimes TimesOf(const DataChunk& chunk, int audio_rate_hz);

// Serializes a chunk by the widths of its blocks. Weights are packed; vectors and rotations are in
// full form (RecordForm).
MessageBytes SerializeData(const DataChunk& chunk);
MessageBytes SerializeHeader(const StreamHeader& header);
MessageBytes SerializeStatus(StatusChunk::Code code, absl::string_view message);

// Returns a chunk together with its bytes.
Message MakeMessage(Chunk chunk);

// Parses the answer to a push: one serialized Status. INVALID_ARGUMENT for other bytes.
absl::StatusOr<StatusChunk> ReadStatus(absl::Span<const uint8_t> bytes);

// "SUCCESS", "INFO", "WARNING" or "ERROR".
const char* CodeName(StatusChunk::Code code);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_MESSAGE_H_
