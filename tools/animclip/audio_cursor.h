// The voice of a clip file, sample by sample at positions that must not decrease.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_AUDIO_CURSOR_H_
#define POSEWIRE_TOOLS_ANIMCLIP_AUDIO_CURSOR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/recording/clip_reader.h"
#include "libs/timecode/audio_position.h"

namespace posewire::animclip {

class AudioCursor {
 public:
  static absl::StatusOr<AudioCursor> Open(const std::string& path);

  // Returns the sample at `position`, counted from time code 0; 0 where the clip is silent or over.
  absl::StatusOr<int> At(int64_t position);

 private:
  explicit AudioCursor(std::unique_ptr<recording::ClipReader> input) : input_(std::move(input)) {}
  absl::StatusOr<bool> NextPiece();

  std::unique_ptr<recording::ClipReader> input_;
  std::optional<timecode::AudioPlacer> placer_;
  std::vector<int16_t> piece_;
  int64_t first_ = 0;  // position of the piece's first sample
  bool ended_ = false;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_AUDIO_CURSOR_H_
