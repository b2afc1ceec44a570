#include "libs/recording/animdata_frames.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "libs/recording/chunk_record.h"

namespace posewire::recording {

// The buffer grows with the bytes actually read, so that a false length takes no memory.
absl::StatusOr<bool> AnimDataFrames::Fill(size_t bytes) {
  while (frame_.size() < bytes) {
    const absl::StatusOr<absl::string_view> block = bytes_.Peek();
    if (!block.ok()) return block.status();
    if (block->empty()) return false;
    const size_t n = std::min(block->size(), bytes - frame_.size());
    frame_.append(block->data(), n);
    bytes_.Skip(n);
  }
  return true;
}

absl::StatusOr<bool> AnimDataFrames::Next() {
  start_ = bytes_.offset();
  frame_.clear();
  length_bytes_ = 0;
  std::optional<Framing> framing;
  while (!framing) {
    const absl::StatusOr<bool> more = Fill(frame_.size() + 1);
    if (!more.ok()) return more;
    if (!*more && frame_.empty()) return false;
    if (!*more) return Torn();
    framing = ReadFraming(frame_);
    if (!framing && frame_.size() == 5) {
      return absl::DataLossError(
          absl::StrCat(name(), ": byte ", start_, ": there is no length of a message here"));
    }
  }
  length_bytes_ = framing->length_bytes;
  if (framing->message_bytes > max_message_bytes_) {
    return absl::ResourceExhaustedError(absl::StrCat(name(), ": byte ", start_, ": a message of ",
                                                     framing->message_bytes, " bytes; at most ",
                                                     max_message_bytes_));
  }
  const absl::StatusOr<bool> whole = Fill(static_cast<size_t>(framing->bytes()));
  if (!whole.ok() || *whole) return whole;
  return Torn();
}

absl::StatusOr<uint32_t> AnimDataFrames::Fixed32At(int64_t offset) {
  SeekTo(offset);
  frame_.clear();
  uint32_t value = 0;
  const absl::StatusOr<bool> whole = Fill(sizeof(value));
  if (!whole.ok()) return whole.status();
  if (*whole) std::memcpy(&value, frame_.data(), sizeof(value));
  return value;
}

absl::Status AnimDataFrames::Torn() const {
  return absl::DataLossError(
      absl::StrCat(name(), ": ends within a message; the last whole message ends at byte ", start_,
                   ", ", bytes_.offset() - start_, " bytes follow it"));
}

}  // namespace posewire::recording
