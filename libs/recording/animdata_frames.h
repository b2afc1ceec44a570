// The frames of an .animdata file in order: each a varint, and as many bytes behind it.
#ifndef POSEWIRE_LIBS_RECORDING_ANIMDATA_FRAMES_H_
#define POSEWIRE_LIBS_RECORDING_ANIMDATA_FRAMES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/block_reader.h"

namespace posewire::recording {

// Holds one frame and a block of the file. Errors name the source and the byte: DATA_LOSS for a
// frame that the file ends in and for bytes that are no length, RESOURCE_EXHAUSTED for a message
// over the limit, and those of the source. One thread.
class AnimDataFrames {
 public:
  AnimDataFrames(std::unique_ptr<files::ByteSource> source, size_t max_message_bytes)
      : bytes_(std::move(source)), max_message_bytes_(max_message_bytes) {}

  // False at the end of the file.
  absl::StatusOr<bool> Next();

  // Of the last one: all of it, the message in it, and where it stands.
  absl::string_view frame() const { return frame_; }
  absl::string_view message() const { return absl::string_view(frame_).substr(length_bytes_); }
  int64_t start() const { return start_; }
  int64_t end() const { return start_ + static_cast<int64_t>(frame_.size()); }

  // Goes on at that byte of a file that has a size.
  void SeekTo(int64_t offset) { bytes_.SeekTo(offset); }
  // Where the next one begins.
  int64_t offset() const { return bytes_.offset(); }
  // The number that stands there; what follows is read from behind it.
  absl::StatusOr<uint32_t> Fixed32At(int64_t offset);
  const std::string& name() const { return bytes_.name(); }
  int64_t size() const { return bytes_.size(); }

 private:
  // Reads to `frame_` until it holds so much; false when the file ends before.
  absl::StatusOr<bool> Fill(size_t bytes);
  absl::Status Torn() const;

  asset::BlockReader bytes_;
  const size_t max_message_bytes_;
  std::string frame_;
  size_t length_bytes_ = 0;
  int64_t start_ = 0;
};

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_ANIMDATA_FRAMES_H_
