// Computes the spectrogram of a clip file's voice.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLIP_SPECTROGRAM_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLIP_SPECTROGRAM_H_

#include <string>

#include "absl/status/statusor.h"
#include "libs/diagram/spectrogram.h"

namespace posewire::animclip {

// Reads the file sequentially. Errors are those of recording::ClipReader and MakeSpectrogram.
absl::StatusOr<diagram::Spectrogram> ReadSpectrogram(const std::string& path,
                                                     const diagram::SpectrogramSpan& span);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_SPECTROGRAM_H_
