// Sound as it comes in over a pipe: samples without a head, as `arecord -t raw` writes them, or
// behind the head of a WAV file, as `arecord` does unless told.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_SOUND_PCM_STREAM_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_SOUND_PCM_STREAM_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/files/byte_source.h"
#include "libs/recording/wav_reader.h"
#include "services/a2f_source/core/wav_source.h"

namespace posewire::a2f_source {

// How samples lie in bytes; little-endian all.
enum class PcmFormat { kU8, kS16, kS24, kS32, kF32 };

// "u8", "s16le", "s24le", "s32le" and "f32le".
std::vector<std::string> PcmFormatNames();

struct PcmSettings {
  int rate_hz = 16000;
  int channels = 1;
  std::string format = "s16le";  // one of PcmFormatNames()
};

// Whether OpenPcmStream reads a WAV of this form.
bool IsPcm(const recording::WavForm& form);

// Reads what is there, and waits only when nothing is. What begins like a WAV file is read by its
// own head (libs/recording/wav_reader.h); the settings are for what does not. INVALID_ARGUMENT for
// a head that is not understood or is that of another kind of sound, and for settings out of range.
// A part of a sample at the end is left out, with a note.
absl::StatusOr<std::unique_ptr<SoundInput>> OpenPcmStream(std::unique_ptr<files::ByteSource> bytes,
                                                          const PcmSettings& settings);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_SOUND_PCM_STREAM_H_
