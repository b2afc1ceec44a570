// Turns the output of a MotionReader into the messages of a stream.
#ifndef POSEWIRE_LIBS_RECORDING_MOTION_CLIP_H_
#define POSEWIRE_LIBS_RECORDING_MOTION_CLIP_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libs/asset/motion_reader.h"
#include "libs/files/byte_source.h"
#include "libs/recording/clip_reader.h"
#include "libs/recording/voice_reader.h"
#include "libs/wire/chunk.h"

namespace posewire::recording {

// Returns a header, a message for each time that has keys, and SUCCESS. Sends the voice that the
// file names, or the one added, up to a thirtieth of a second ahead of each message, and the rest
// of it before the status. Prefixes errors and warnings with the file's name.
class MotionClip final : public ClipReader {
 public:
  explicit MotionClip(std::unique_ptr<asset::MotionReader> motion)
      : ClipReader(/*warns_of_no_frame=*/false), motion_(std::move(motion)) {}

  // Call before the first message. Ignored if the clip names a voice itself. A file that cannot be
  // a voice causes a warning.
  void AddVoice(absl::StatusOr<std::unique_ptr<files::ByteSource>> wav);

  const std::string& name() const override { return motion_->name(); }
  std::string place_of_last() const override { return motion_->place(); }
  int64_t size() const override { return motion_->size(); }
  std::shared_ptr<const skel::Rig> skeleton() const override { return motion_->skeleton(); }
  double unit_m() const override { return motion_->unit_m(); }
  bool moves_nodes() const override { return motion_->moves_nodes(); }
  std::vector<std::string> warnings() const override;

 private:
  absl::StatusOr<wire::MessageBytes> DoNextBytes() override;
  absl::StatusOr<wire::Chunk> Start();
  absl::StatusOr<wire::Chunk> NextKeys();
  absl::Status FindVoice();
  // Keeps the voice, or warns that it cannot be used.
  void KeepVoice(absl::StatusOr<VoiceReader> voice);

  const std::unique_ptr<asset::MotionReader> motion_;
  std::optional<VoiceReader> voice_;
  std::optional<wire::Chunk> next_;  // already read; sent after the voice that precedes it
  bool started_ = false, ended_ = false;
  bool moves_ = false;  // there was a frame
};

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_MOTION_CLIP_H_
