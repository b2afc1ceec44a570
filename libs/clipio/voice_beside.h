// The voice of a clip whose format has none: a WAV of the same name beside it, as recordings have
// it and as Audio2Face's client writes it.
#ifndef POSEWIRE_LIBS_CLIPIO_VOICE_BESIDE_H_
#define POSEWIRE_LIBS_CLIPIO_VOICE_BESIDE_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "libs/clipio/byte_stream.h"
#include "libs/clipio/clip_reader.h"

namespace posewire::clipio {

// Of "walk.bvh": "walk.wav", where there is one, or else the "out.wav" of Audio2Face's client
// beside its "animation_frames.csv".
std::optional<std::string> VoiceBeside(const std::string& path);

// The messages of `clip`, and with them the samples of a WAV from code 0 on, up to a thirtieth of a
// second ahead of each message; what is left comes before the status. Holds one block of samples.
// INVALID_ARGUMENT for what is no WAV of PCM, mono, 16 bit; one that is cut off ends there.
absl::StatusOr<std::unique_ptr<ClipReader>> WithVoice(std::unique_ptr<ClipReader> clip,
                                                      std::unique_ptr<ByteSource> wav);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_VOICE_BESIDE_H_
