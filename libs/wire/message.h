// A message of a stream as clients and tools hold it: its own bytes, and their meaning.
//
// Bytes are made once (by SerializeData, or by the sender) and shared by everything that keeps
// them: a file, a history, a connection that may have to resend them. Fields unknown to this build
// survive in them. The chunk is what FrameReader made of them, or what they were made from.
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

// One serialized AnimationDataStream; never changed, safe on any thread.
using MessageBytes = std::shared_ptr<const std::string>;

struct Message {
  MessageBytes bytes;
  Chunk chunk;

  // Null for headers and statuses.
  const DataChunk* data() const { return std::get_if<DataChunk>(&chunk); }
  const StatusChunk* status() const { return std::get_if<StatusChunk>(&chunk); }
};

// As readers and writers of bytes take them; valid as long as `bytes`.
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
  // Newest key, or start of the sound if that is later; minus infinity without codes.
  double newest_key_s = -std::numeric_limits<double>::infinity();

  bool empty() const { return latest_s < earliest_s; }
};

// Calls `visit(track, block)` for each track of keys that is not empty. Tracks are counted from 0,
// empty ones too, first the pose's, then the camera's.
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

// The code at which a sound ends, at `audio_rate_hz`; with 0, the code at which it begins.
double EndOf(const AudioBuffer& audio, int audio_rate_hz);

// Over all tracks. Audio extends to the end of its buffer at `audio_rate_hz`; with 0 only its first
// code counts.
ChunkTimes TimesOf(const DataChunk& chunk, int audio_rate_hz);

// Chunks to bytes, by the widths of the chunk's blocks. Weights are packed, vectors and rotations
// in full form (RecordForm).
MessageBytes SerializeData(const DataChunk& chunk);
MessageBytes SerializeHeader(const StreamHeader& header);
MessageBytes SerializeStatus(StatusChunk::Code code, absl::string_view message);

// A chunk with its bytes.
Message MakeMessage(Chunk chunk);

// The answer to a push: one serialized Status. INVALID_ARGUMENT for other bytes.
absl::StatusOr<StatusChunk> ReadStatus(absl::Span<const uint8_t> bytes);

// "SUCCESS", "INFO", "WARNING" or "ERROR".
const char* CodeName(StatusChunk::Code code);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_MESSAGE_H_
