// The records between the messages of an .animdata file: checksums, and at the end an index.
//
// A record is framed like a message. To readers that do not know records, it is a message without a
// part, or a repetition of the last status, because protobuf skips its fields, numbers 1000 and
// 1001. Its frame begins with fixed bytes that include a mark, so that it can be found after
// damaged data. It ends with its own size, so that the last record can be found from the end of the
// file. See docs/adr/0033-records-between-messages.md.
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

// Eight bytes at kMarkOffset from a record's first byte.
inline constexpr absl::string_view kRecordMark("\x89PWclip\n", 8);
inline constexpr size_t kMarkOffset = 10;
// Size of the length before a record, a varint padded to this many bytes.
inline constexpr size_t kRecordLengthBytes = 4;
// A chunk ends with the message that brings its messages to this many bytes.
inline constexpr int64_t kChunkBytes = 64 << 10;
// A record's frame ends with its size, little-endian.
inline constexpr size_t kSizeBytes = 4;

// Writes the frame of a record, including its length, to `frame`, and reuses its memory. `status`
// is empty or the preceding status, serialized: the last message of a finished file is its final
// status for readers that do not know records, too.
void FrameRecord(const ChunkRecord& record, absl::string_view status, std::string* frame);

// Returns true if a message, without its length, is a record, even a damaged one: up to two bytes
// of its mark may differ.
bool IsRecord(absl::string_view message);

// Returns true if the bytes begin like the frame of a record after its length. Ignores the length.
bool BeginsAsRecord(absl::string_view frame);
// Returns true if the last bytes encode `size`, like the size at the end of a record.
bool EndsWithSize(absl::string_view bytes, uint64_t size);

// Parses a whole frame. Returns nothing if it is not a record or is damaged.
std::optional<ChunkRecord> ParseRecord(absl::string_view frame);

// Sizes of the length (up to 5 bytes) and of the message after it, read from the beginning of
// `bytes`, which need not contain the message. Nothing if there is no length.
struct Framing {
  size_t length_bytes = 0;
  uint64_t message_bytes = 0;

  uint64_t bytes() const { return length_bytes + message_bytes; }
};
std::optional<Framing> ReadFraming(absl::string_view bytes);
void AppendVarint(uint64_t v, std::string* out);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_CHUNK_RECORD_H_
