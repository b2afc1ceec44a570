// Reads audio from a pipe: samples without a header, as `arecord -t raw` writes them, or after the
// header of a WAV file, as `arecord` writes by default.
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

// Sample formats, all little-endian.
enum class PcmFormat { kU8, kS16, kS24, kS32, kF32 };

// Returns "u8", "s16le", "s24le", "s32le" and "f32le".
std::vector<std::string> PcmFormatNames();

struct PcmSettings {
  int rate_hz = 16000;
  int channels = 1;
  std::string format = "s16le";  // one of PcmFormatNames()
};

// Returns true if OpenPcmStream reads a WAV of this form.
bool IsPcm(const recording::WavForm& form);

// Returns the samples available, and waits only if there are none. Input that begins like a WAV
// file is read by its own header (libs/recording/wav_reader.h); the settings apply to other input.
// INVALID_ARGUMENT for an unreadable header or one of another kind of audio, and for settings out
// of range. An incomplete sample at the end is dropped, with a note.
absl::StatusOr<std::unique_ptr<SoundInput>> OpenPcmStream(std::unique_ptr<files::ByteSource> bytes,
                                                          const PcmSettings& settings);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_SOUND_PCM_STREAM_H_
