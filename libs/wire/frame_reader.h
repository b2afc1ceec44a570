// Bytes to checked chunks: the one place where animation data from outside is checked.
#ifndef POSEWIRE_LIBS_WIRE_FRAME_READER_H_
#define POSEWIRE_LIBS_WIRE_FRAME_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/wire/chunk.h"
#include "libs/wire/counter.h"

namespace posewire::wire {

// Bounds on what one stream may carry. All are settings.
struct ReaderLimits {
  size_t message_bytes = 4u << 20;
  int joints = 1024;
  int shapes = 512;
  int metadata_entries = 32;
  // Unknown header fields, with their tags: they are kept.
  size_t unknown_header_bytes = 64u << 10;
  // Sub-messages and numbers in one message, counted before any memory is allocated for them; a
  // Float3 or QuatF counts as one, including its numbers. 4 MiB of packed floats just pass.
  size_t elements = 5u << 18;
  double max_jump_s = 300;
  // False: request_id and stream_id may be empty, as in a recording of a pull by stream.
  bool require_ids = true;
  // A faulty message is treated as if it had never come, and the next one is read. Ids may be any
  // text, a status may come before the header, a second header replaces the first, and codes that
  // do not rise from message to message, or jump, are not faults: each message is checked by
  // itself.
  bool lenient = false;
};

// For receivers: no limits but those of memory and indices. gRPC's message size limit bounds what a
// server sends.
ReaderLimits ClientLimits();

// INVALID_ARGUMENT unless `id` is 1..128 bytes of UTF-8 without control characters. The error names
// `field` ("stream_id").
absl::Status CheckId(absl::string_view field, absl::string_view id);

// How the data messages of a stream were read; each counts once.
struct ReadPaths {
  Counter fixed;      // every vector and quaternion stood in full form: lifted by shuffles
  Counter by_record;  // some were read by their tags: zeros left out, another order
  Counter general;    // field by field, twice: anything else, and all that is refused
  // Vectors and quaternions in the first two kinds of messages.
  Counter full_records;
  Counter other_records;
};

// Reads the messages of one stream in order, and checks them by the rules of docs/protocol.md.
//
// A sample may begin in one audio buffer and end in the next, if that continues it: each byte goes
// to the chunk in which its sample ends. A half sample before a gap or at the end is dropped.
//
// A message without a part, keys without values if the header names nothing, and audio buffers
// without samples are legal and leave nothing in the chunk. An unknown status code reads as INFO.
// In addition to those rules: codes are at most 1e10 s, values within 1e9 of zero, and an audio
// buffer at most max_jump_s ahead of the newest code of anything.
//
// Errors name field, index, value and what would be right. INVALID_ARGUMENT: bad data.
// FAILED_PRECONDITION: data before the header. RESOURCE_EXHAUSTED: over a limit. After an error the
// reader returns the same error for every further message, unless it is lenient. One reader per
// stream; any one thread.
class FrameReader {
 public:
  // Counts into `paths`, which others on the same thread may add to and which outlives the reader;
  // null: into its own.
  explicit FrameReader(const ReaderLimits& limits = {}, ReadPaths* paths = nullptr);
  ~FrameReader();
  FrameReader(FrameReader&&) noexcept;
  FrameReader& operator=(FrameReader&&) noexcept;

  // `slices` together are one serialized AnimationDataStream message.
  absl::StatusOr<Chunk> Read(absl::Span<const absl::Span<const uint8_t>> slices);

  // The same into `chunk`. If that holds data, its memory is reused: a stream of similar messages
  // into one chunk allocates nothing. After an error the chunk's contents are undefined.
  absl::Status Read(absl::Span<const absl::Span<const uint8_t>> slices, Chunk* chunk);

  // Half samples that were dropped, with the one that waits for the next buffer.
  int64_t dropped_half_samples() const;

  // What the answer to a push says of these; "" if there are none.
  std::string HalfSamplesText() const;

  // Where it counts.
  const ReadPaths& paths() const;

  // The header's ids, even if it was refused: as far as they could be read, leaving out illegal
  // ones.
  const StreamIds& ids() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_FRAME_READER_H_
