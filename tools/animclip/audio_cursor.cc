#include "tools/animclip/audio_cursor.h"

#include <utility>
#include <variant>

#include "libs/clipio/open_clip.h"

namespace posewire::animclip {

absl::StatusOr<AudioCursor> AudioCursor::Open(const std::string& path) {
  auto input = clipio::OpenClip(path);
  if (!input.ok()) return input.status();
  return AudioCursor(*std::move(input));
}

absl::StatusOr<bool> AudioCursor::NextPiece() {
  for (;;) {
    absl::StatusOr<std::optional<wire::Message>> message = input_->Next();
    if (!message.ok()) return message.status();
    if (!*message) return false;
    wire::Chunk& chunk = (*message)->chunk;
    if (const auto* header = std::get_if<wire::StreamHeader>(&chunk)) {
      if (header->audio_rate_hz) placer_.emplace(*header->audio_rate_hz);
      continue;
    }
    auto* data = std::get_if<wire::DataChunk>(&chunk);
    if (data == nullptr || !data->audio || !placer_) continue;
    const auto count = static_cast<int64_t>(data->audio->samples.size());
    const auto at = placer_->Place(data->audio->time_code_s, count);
    if (at.drop >= count) continue;
    piece_ = std::move(data->audio->samples);
    piece_.erase(piece_.begin(), piece_.begin() + at.drop);
    first_ = at.first_sample;
    return true;
  }
}

absl::StatusOr<int> AudioCursor::At(int64_t position) {
  while (!ended_ && position >= first_ + static_cast<int64_t>(piece_.size())) {
    const absl::StatusOr<bool> more = NextPiece();
    if (!more.ok()) return more.status();
    ended_ = !*more;
  }
  if (ended_ || position < first_) return 0;
  return piece_[static_cast<size_t>(position - first_)];
}

}  // namespace posewire::animclip
