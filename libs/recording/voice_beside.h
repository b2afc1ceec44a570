// The voice of a clip whose format has none: a WAV that the clip names, or one of the same name
// beside it, as recordings have it and as Audio2Face's client writes it.
#ifndef POSEWIRE_LIBS_RECORDING_VOICE_BESIDE_H_
#define POSEWIRE_LIBS_RECORDING_VOICE_BESIDE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "libs/asset/byte_stream.h"
#include "libs/asset/motion_reader.h"
#include "libs/recording/clip_reader.h"

namespace posewire::recording {

// The messages of `clip`, and with them the samples of a WAV from code 0 on, up to a thirtieth of a
// second ahead of each message; what is left comes before the status. Holds one block of samples.
// INVALID_ARGUMENT for what is no WAV of PCM, mono, 16 bit. Sizes in it are judged as by
// libs/recording/wav_reader.h, and what is doubtful is among the clip's warnings. A clip whose
// header describes a voice keeps its own.
absl::Status AddVoice(std::unique_ptr<asset::ByteSource> wav, std::unique_ptr<ClipReader>* clip);

// The messages of `clip` with the voice that `find` gives, which is asked once, when the header was
// read; as above.
std::unique_ptr<ClipReader> WithNamedVoice(
    std::unique_ptr<ClipReader> clip,
    std::function<absl::StatusOr<std::optional<asset::NamedVoice>>()> find);

// Whether two WAVs have the same rate and samples. Errors as above.
absl::StatusOr<bool> SameVoice(asset::ByteSource& a, asset::ByteSource& b);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_VOICE_BESIDE_H_
