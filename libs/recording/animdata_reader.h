// ClipReader of .animdata files. Skips the records between the messages, and uses them to check the
// messages. Reads one of several avatars.
#ifndef POSEWIRE_LIBS_RECORDING_ANIMDATA_READER_H_
#define POSEWIRE_LIBS_RECORDING_ANIMDATA_READER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libs/recording/animdata_frames.h"
#include "libs/recording/avatar_message.h"
#include "libs/recording/clip_index.h"
#include "libs/recording/clip_reader.h"

namespace posewire::recording {

class AnimDataReader final : public ClipReader {
 public:
  // `character`: reads this one (ReadAnimDataScene). Otherwise the first one; others cause a
  // warning.
  AnimDataReader(std::unique_ptr<files::ByteSource> source, size_t max_bytes,
                 std::optional<size_t> character = {})
      : frames_(std::move(source), max_bytes), character_(character) {}

  const std::string& name() const override { return frames_.name(); }
  std::string place_of_last() const override;
  int64_t size() const override { return frames_.size(); }
  absl::Status Narrow(double from_s, double to_s) override;

 private:
  absl::StatusOr<wire::MessageBytes> DoNextBytes() override;
  // Returns the index if the file was finished and still has the size that it had then.
  absl::StatusOr<std::optional<ClipIndex>> FindIndex();
  void Remember();
  // Returns the message if it is of the character; else null.
  wire::MessageBytes OfCharacter(absl::string_view message);
  absl::Status CheckBy(const ChunkRecord& record) const;

  struct Read {
    int64_t start = 0;
    uint32_t bytes = 0, crc32c = 0;
  };

  AnimDataFrames frames_;
  const std::optional<size_t> character_;
  AvatarOrder order_;
  bool others_ = false;  // warned of
  int64_t start_of_last_ = 0;
  // Messages since the last record, at most as many as a chunk can have, because a file without
  // records would add to it without end.
  std::deque<Read> unchecked_;
  int64_t unchecked_bytes_ = 0;
  std::deque<SkippedBytes> skips_;  // those still ahead
};

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_ANIMDATA_READER_H_
