// The records between the messages of an .animdata file: checksums, and at the end an index.
//
// A record is framed as a message is, and to all who do not know it, it is one without a part, or
// the last status once more: protobuf passes over its fields, numbers 1000 and 1001. Its frame has
// a fixed beginning with a mark in it, by which it is found when what stands before it is damaged,
// and its own size last, by which the last one is found from the end of the file. See
// docs/adr/0033-records-between-messages.md.
#ifndef POSEWIRE_LIBS_RECORDING_CHUNK_RECORD_H_
#define POSEWIRE_LIBS_RECORDING_CHUNK_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "posewire.clip.v1.pb.h"

namespace posewire::recording {

using ChunkRecord = posewire::clip::v1::ChunkRecord;
using ClipIndex = posewire::clip::v1::ClipIndex;

// Eight bytes that stand kMarkOffset behind a record's first.
inline constexpr absl::string_view kRecordMark("\x89PWclip\n", 8);
inline constexpr size_t kMarkOffset = 10;
// Of the length before a record, which is a varint of so many bytes whatever its value.
inline constexpr size_t kRecordLengthBytes = 4;
// A chunk ends with the message by which its messages are so many bytes.
inline constexpr int64_t kChunkBytes = 64 << 10;
// The size of a record's frame, little-endian, is the last that stands in it.
inline constexpr size_t kSizeBytes = 4;

// The frame of a record, length and all, in `frame`, whose memory is used again. `status` is empty,
// or the status before it, serialized: the last message of a finished file is its final status, for
// readers that do not know records as well.
void FrameRecord(const ChunkRecord& record, absl::string_view status, std::string* frame);

// Whether a message, without its length, is a record, be it a damaged one: up to two bytes of its
// mark may be others.
bool IsRecord(absl::string_view message);

// Whether bytes begin as the frame of a record does behind its length, whatever stands for that.
bool BeginsAsRecord(absl::string_view frame);
// Whether the last of these bytes say `size`, as a record's say how long its frame is.
bool EndsWithSize(absl::string_view bytes, uint64_t size);

// What a whole frame holds; nothing when it is no record, or a damaged one.
std::optional<ChunkRecord> ParseRecord(absl::string_view frame);

// Bytes of the length (up to 5) and of the message behind it, at the beginning of `bytes`, which
// need not hold the message; nothing when no length stands there.
struct Framing {
  size_t length_bytes = 0;
  uint64_t message_bytes = 0;

  uint64_t bytes() const { return length_bytes + message_bytes; }
};
std::optional<Framing> ReadFraming(absl::string_view bytes);
void AppendVarint(uint64_t v, std::string* out);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_CHUNK_RECORD_H_
