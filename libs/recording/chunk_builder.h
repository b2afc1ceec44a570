// Builds the records of an .animdata file from the messages that are written to it.
#ifndef POSEWIRE_LIBS_RECORDING_CHUNK_BUILDER_H_
#define POSEWIRE_LIBS_RECORDING_CHUNK_BUILDER_H_

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/recording/chunk_record.h"

namespace posewire::recording {

// Takes six bytes per message of the current chunk, and about 25 per earlier chunk. One thread.
class ChunkBuilder {
 public:
  ChunkBuilder();

  // Adds the file's next message: its frame, whose last `message_bytes` are the message.
  void Add(absl::string_view frame, size_t message_bytes);

  // Returns true if a record should follow: after the header, and after every 64 KiB. Never before
  // a header, because a reader that does not know records would reject it as data that comes too
  // early.
  bool full() const;
  void Record(std::string* frame) const { FrameRecord(chunk_, "", frame); }
  // Ends the chunk: a record of `record_bytes` follows. With 0 the chunk ends without a record, and
  // its messages are not listed anywhere.
  void Close(size_t record_bytes);

  // Returns the record that ends the file, with its index; nothing before a header.
  std::optional<std::string> LastRecord();

 private:
  static constexpr size_t kParts = 10;  // bits of ClipIndex::parts

  void Note(size_t part, double begin_s, double end_s);

  ClipIndex index_;    // of the closed chunks
  ChunkRecord chunk_;  // of the open chunk, and its future index entry
  uint64_t bytes_ = 0, messages_ = 0;
  uint32_t parts_ = 0;
  double begin_s_ = std::numeric_limits<double>::infinity();
  double all_begun_s_ = -std::numeric_limits<double>::infinity();
  double end_s_ = -std::numeric_limits<double>::infinity();
  bool has_header_ = false;
  int audio_rate_hz_ = 0;
  std::string last_status_;  // set if it was the last message
  std::string scratch_;      // reused to avoid allocation
};

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_CHUNK_BUILDER_H_
