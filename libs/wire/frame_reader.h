// Parses and checks messages. Animation data from outside is checked only here.
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
  // Unknown header fields with their tags, which are kept.
  size_t unknown_header_bytes = 64u << 10;
  // Sub-messages and numbers in one message, counted before any memory is allocated for them. A
  // Float3 or QuatF counts as one, including its numbers. 4 MiB of packed floats are just allowed.
  size_t elements = 5u << 18;
  double max_jump_s = 300;
  // False: request_id and stream_id may be empty, as in a recording of a pull by stream.
  bool require_ids = true;
  // Ignores a faulty message and continues with the next one. Ids may be any text, a status may
  // come before the header, a second header replaces the first, and time codes may jump or fall
  // from message to message: each message is checked on its own.
  bool lenient = false;
};

// Limits for clients: only those of memory and indices. gRPC's message size limit bounds messages
// from a server.
ReaderLimits ClientLimits();

// INVALID_ARGUMENT unless `id` is 1..128 bytes of UTF-8 without control characters. The error names
// `field` ("stream_id").
absl::Status CheckId(absl::string_view field, absl::string_view id);

// How the data messages of a stream were parsed. Each message counts once.
struct ReadPaths {
  Counter fixed;      // every vector and quaternion was in full form: extracted by shuffles
  Counter by_record;  // some were parsed by their tags: zeros omitted, or another order
  Counter general;    // field by field, twice: everything else, and all rejected messages
  // Vectors and quaternions in the first two kinds of messages.
  Counter full_records;
  Counter other_records;
};

// Reads the messages of one stream in order, and checks them by the rules of docs/protocol.md.
//
// A sample may begin in one audio buffer and end in the next, if the next buffer continues the
// first: each sample goes to the chunk in which it ends. A half sample before a gap or at the end
// is dropped.
//
// These are legal and add nothing to the chunk: a message without a part, keys without values if
// the header has no names, and audio buffers without samples. An unknown status code is read as
// INFO. Rules in addition to docs/protocol.md: time codes are at most 1e10 s, values within 1e9 of
// zero, and an audio buffer begins at most max_jump_s after the newest time code of any track.
//
// Errors name field, index, value and the valid range. INVALID_ARGUMENT: bad data.
// FAILED_PRECONDITION: data before the header. RESOURCE_EXHAUSTED: over a limit. After an error the
// reader returns the same error for every further message, unless it is lenient. One reader per
// stream; any one thread.
class FrameReader {
 public:
  // Counts into `paths`, which must outlive the reader and may be shared by others on the same
  // thread. Null: counts into its own.
  explicit FrameReader(const ReaderLimits& limits = {}, ReadPaths* paths = nullptr);
  ~FrameReader();
  FrameReader(FrameReader&&) noexcept;
  FrameReader& operator=(FrameReader&&) noexcept;

  // `slices` together are one serialized AnimationDataStream message.
  absl::StatusOr<Chunk> Read(absl::Span<const absl::Span<const uint8_t>> slices);

  // The same into `chunk`. If `chunk` contains data, its memory is reused: a stream of similar
  // messages into one chunk does not allocate. After an error the chunk's contents are undefined.
  absl::Status Read(absl::Span<const absl::Span<const uint8_t>> slices, Chunk* chunk);

  // Number of dropped half samples, including the one that waits for the next buffer.
  int64_t dropped_half_samples() const;

  // Text about them for the answer to a push; "" if there are none.
  std::string HalfSamplesText() const;

  // The counts of parsed messages.
  const ReadPaths& paths() const;

  // The header's ids, as far as they could be parsed, even if the header was rejected. Illegal ids
  // are empty.
  const StreamIds& ids() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_FRAME_READER_H_
