#include "tools/animclip/clip_spectrogram.h"

#include "tools/animclip/audio_cursor.h"

namespace posewire::animclip {

absl::StatusOr<figure::Spectrogram> ReadSpectrogram(const std::string& path,
                                                    const figure::SpectrogramSpan& span) {
  absl::StatusOr<AudioCursor> voice = AudioCursor::Open(path);
  if (!voice.ok()) return voice.status();
  return figure::MakeSpectrogram(span, [&](int64_t position) { return voice->At(position); });
}

}  // namespace posewire::animclip
