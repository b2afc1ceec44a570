// Bytes to checked chunks: the one place where animation data from outside is looked at.
#ifndef POSEWIRE_LIBS_WIRE_FRAME_READER_H_
#define POSEWIRE_LIBS_WIRE_FRAME_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/wire/chunk.h"

namespace posewire::wire {

// Bounds on what one stream may carry. All are settings.
struct ReaderLimits {
  size_t message_bytes = 4u << 20;
  int joints = 1024;
  int shapes = 512;
  int metadata_entries = 32;
  // Fields of the header that are not known, with their tags: they are kept.
  size_t unknown_header_bytes = 64u << 10;
  // Sub-messages and numbers in one message, counted before any memory is taken for them; a Float3
  // or QuatF counts as one with its numbers. 4 MiB of packed floats just pass.
  size_t elements = 5u << 18;
  double max_jump_s = 300;
  // False: request_id and stream_id may be empty, as in a recording of a pull by stream.
  bool require_ids = true;
  // A faulty message is as if it had not come, and the next one is read. Ids may be any text, a
  // status may come before the header, a second header takes the place of the first, and codes that
  // do not rise from message to message, or jump, are no fault: each message is checked by itself.
  bool lenient = false;
};

// For who receives: no bounds but those that memory and indices have. What a server sends is
// bounded by gRPC's limit of a message.
ReaderLimits ClientLimits();

// INVALID_ARGUMENT unless `id` is 1..128 bytes of UTF-8 without control characters. `field` is what
// the error names ("stream_id").
absl::Status CheckId(absl::string_view field, absl::string_view id);

// Which way the data messages of a stream were read; each counts once.
struct ReadPaths {
  int64_t fixed = 0;      // every vector and quaternion stood in full form: lifted by shuffles
  int64_t by_record = 0;  // some were read by their tags: zeros left out, another order
  int64_t general = 0;    // field by field, twice: anything else, and all that is refused
  // Vectors and quaternions of the first two kinds of messages.
  int64_t full_records = 0;
  int64_t other_records = 0;
};

// Reads the messages of one stream in order, and checks them by the rules of docs/protocol.md.
//
// A message without a part, keys without values where the header names nothing, and audio buffers
// without samples are legal and leave nothing in the chunk. A status code that is not known reads
// as INFO. Beyond the rules: codes are at most 1e10 s, values within 1e9 of zero, and an audio
// buffer at most max_jump_s ahead of the newest code of anything.
//
// Errors name field, index, value and what would be right. INVALID_ARGUMENT: bad data.
// FAILED_PRECONDITION: data before the header. RESOURCE_EXHAUSTED: over a limit. After an error the
// reader returns the same error for every further message, unless it is lenient. One reader a
// stream; any one thread.
class FrameReader {
 public:
  // Counts into `paths`, which others may add to on the same thread and which outlives the reader;
  // null: into its own.
  explicit FrameReader(const ReaderLimits& limits = {}, ReadPaths* paths = nullptr);
  ~FrameReader();
  FrameReader(FrameReader&&) noexcept;
  FrameReader& operator=(FrameReader&&) noexcept;

  // `slices` together are one serialized AnimationDataStream message.
  absl::StatusOr<Chunk> Read(absl::Span<const absl::Span<const uint8_t>> slices);

  // The same into `chunk`. When that holds data, its memory is used again: a stream of like
  // messages into one chunk allocates nothing. After an error the chunk holds anything.
  absl::Status Read(absl::Span<const absl::Span<const uint8_t>> slices, Chunk* chunk);

  // What it counts into.
  const ReadPaths& paths() const;

  // Of the header, also of one that was refused: as far as they could be read, and without those
  // that are no legal ids.
  const StreamIds& ids() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_FRAME_READER_H_
