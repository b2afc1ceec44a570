#include "libs/recording/animdata_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/recording/chunk_record.h"
#include "libs/recording/crc32c.h"

namespace posewire::recording {

std::string AnimDataReader::place_of_last() const { return absl::StrCat("byte ", start_of_last_); }

absl::StatusOr<wire::MessageBytes> AnimDataReader::DoNextBytes() {
  while (true) {
    if (!skips_.empty() && frames_.offset() == skips_.front().from) {
      frames_.SeekTo(skips_.front().to);
      messages_ += skips_.front().messages;
      skips_.pop_front();
    }
    const absl::StatusOr<bool> more = frames_.Next();
    if (!more.ok()) return more.status();
    if (!*more) return nullptr;
    if (IsRecord(frames_.message())) {
      if (const std::optional<ChunkRecord> record = ParseRecord(frames_.frame())) {
        if (absl::Status s = CheckBy(*record); !s.ok()) return s;
      }
      unchecked_.clear();
      unchecked_bytes_ = 0;
      end_of_last_ = frames_.end();
      continue;
    }
    Remember();
    start_of_last_ = frames_.start();
    end_of_last_ = frames_.end();
    if (wire::MessageBytes message = OfCharacter(frames_.message())) return message;
  }
}

wire::MessageBytes AnimDataReader::OfCharacter(absl::string_view message) {
  std::optional<AvatarMessage> of_avatar = ReadAvatarMessage(message);
  if (!of_avatar) {
    return character_.value_or(0) == 0 ? std::make_shared<const std::string>(message) : nullptr;
  }
  const std::optional<size_t> character = order_.CharacterOf(*of_avatar);
  if (!character_ && of_avatar->avatar != 0 && !std::exchange(others_, true)) {
    Warn(absl::StrCat(name(), ": holds more avatars than the first one, which are left out"));
  }
  if (!character || *character != character_.value_or(0) || of_avatar->message.empty()) {
    return nullptr;
  }
  return std::make_shared<const std::string>(std::move(of_avatar->message));
}

void AnimDataReader::Remember() {
  while (unchecked_bytes_ >= kChunkBytes) {
    unchecked_bytes_ -= unchecked_.front().bytes;
    unchecked_.pop_front();
  }
  const auto bytes = static_cast<uint32_t>(frames_.frame().size());
  unchecked_.push_back({frames_.start(), bytes, Crc32c(frames_.frame())});
  unchecked_bytes_ += bytes;
}

// Compares from the newest message backwards, as far as both lists go. If the sizes differ, another
// program has changed the messages and kept a record that does not belong to them.
absl::Status AnimDataReader::CheckBy(const ChunkRecord& record) const {
  int k = record.message_bytes_size();
  for (auto read = unchecked_.rbegin(); read != unchecked_.rend() && k-- > 0; ++read) {
    if (read->bytes != record.message_bytes(k)) break;
    if (read->crc32c == record.message_crc32c(k)) continue;
    return absl::DataLossError(
        absl::StrCat(frames_.name(), ": byte ", read->start, ": the message of ", read->bytes,
                     " bytes is not the one that was written here: it does not have its checksum"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<ClipIndex>> AnimDataReader::FindIndex() {
  const int64_t size = frames_.size();
  if (size < static_cast<int64_t>(kSizeBytes)) return std::optional<ClipIndex>();
  const absl::StatusOr<uint32_t> last = frames_.Fixed32At(size - static_cast<int64_t>(kSizeBytes));
  if (!last.ok()) return last.status();
  const int64_t start = size - *last;
  if (start < 0) return std::optional<ClipIndex>();
  frames_.SeekTo(start);
  const absl::StatusOr<bool> found = frames_.Next();
  if (absl::IsUnavailable(found.status())) return found.status();
  std::optional<ChunkRecord> record;
  if (found.ok() && *found) record = ParseRecord(frames_.frame());
  if (!record || !CoversAll(record->index(), start)) return std::optional<ClipIndex>();
  return std::optional<ClipIndex>(std::move(*record->mutable_index()));
}

absl::Status AnimDataReader::Narrow(double from_s, double to_s) {
  const absl::StatusOr<std::optional<ClipIndex>> index = FindIndex();
  if (!index.ok()) return index.status();
  if (*index) {
    const std::vector<SkippedBytes> skips = NotNeeded(**index, from_s, to_s);
    skips_.assign(skips.begin(), skips.end());
  }
  frames_.SeekTo(0);
  return absl::OkStatus();
}

}  // namespace posewire::recording
