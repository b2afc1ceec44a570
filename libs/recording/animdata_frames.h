// Reads the frames of an .animdata file in order: each a varint length followed by that many bytes.
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

// Keeps one frame and one block of the file in memory. Errors name the source and the byte:
// DATA_LOSS if the file ends within a frame and for bytes that are not a length, RESOURCE_EXHAUSTED
// for a message over the limit, and those of the source. One thread.
class AnimDataFrames {
 public:
  AnimDataFrames(std::unique_ptr<files::ByteSource> source, size_t max_message_bytes)
      : bytes_(std::move(source)), max_message_bytes_(max_message_bytes) {}

  // Reads the next frame. Returns false at the end of the file.
  absl::StatusOr<bool> Next();

  // The last frame, the message in it, and its position in the file.
  absl::string_view frame() const { return frame_; }
  absl::string_view message() const { return absl::string_view(frame_).substr(length_bytes_); }
  int64_t start() const { return start_; }
  int64_t end() const { return start_ + static_cast<int64_t>(frame_.size()); }

  // Continues at this byte of a file that has a size.
  void SeekTo(int64_t offset) { bytes_.SeekTo(offset); }
  // Position of the next frame.
  int64_t offset() const { return bytes_.offset(); }
  // Reads the number at this position. Reading continues after it.
  absl::StatusOr<uint32_t> Fixed32At(int64_t offset);
  const std::string& name() const { return bytes_.name(); }
  int64_t size() const { return bytes_.size(); }

 private:
  // Reads until `frame_` has this many bytes. Returns false if the file ends before that.
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
