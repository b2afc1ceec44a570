#include "tools/animclip/clip_spectrogram.h"

#include "tools/animclip/audio_cursor.h"

namespace posewire::animclip {

absl::StatusOr<diagram::Spectrogram> ReadSpectrogram(const std::string& path,
                                                     const diagram::SpectrogramSpan& span) {
  absl::StatusOr<AudioCursor> voice = AudioCursor::Open(path);
  if (!voice.ok()) return voice.status();
  return diagram::MakeSpectrogram(span, [&](int64_t position) { return voice->At(position); });
}

}  // namespace posewire::animclip
