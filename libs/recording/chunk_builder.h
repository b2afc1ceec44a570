// Makes the records of an .animdata file from the messages that are written to it.
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

// Keeps six bytes a message of the chunk that is being written, and about 25 a chunk before it. One
// thread.
class ChunkBuilder {
 public:
  ChunkBuilder();

  // The next message of the file: its frame, of which the last `message_bytes` are the message.
  void Add(absl::string_view frame, size_t message_bytes);

  // Whether a record should follow: after the header, and after 64 KiB. Never before a header: a
  // reader that does not know records would take it for data that comes too early.
  bool full() const;
  void Record(std::string* frame) const { FrameRecord(chunk_, "", frame); }
  // A record of `record_bytes` follows; with 0 the chunk ends without one, and its messages are
  // listed nowhere.
  void Close(size_t record_bytes);

  // The record that ends the file, with its index; nothing before a header.
  std::optional<std::string> LastRecord();

 private:
  static constexpr size_t kParts = 10;  // bits of ClipIndex::parts

  void Note(size_t part, double begin_s, double end_s);

  ClipIndex index_;    // of the chunks that are closed
  ChunkRecord chunk_;  // of the one that is not, and what its entry will be
  uint64_t bytes_ = 0, messages_ = 0;
  uint32_t parts_ = 0;
  double begin_s_ = std::numeric_limits<double>::infinity();
  double all_begun_s_ = -std::numeric_limits<double>::infinity();
  double end_s_ = -std::numeric_limits<double>::infinity();
  bool has_header_ = false;
  int audio_rate_hz_ = 0;
  std::string last_status_;  // when it was the last message
  std::string scratch_;      // kept for its memory
};

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_CHUNK_BUILDER_H_
