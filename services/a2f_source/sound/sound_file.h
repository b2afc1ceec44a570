// Reads a sound file: WAV, FLAC, Ogg and all other formats of libsndfile.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_SOUND_SOUND_FILE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_SOUND_SOUND_FILE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "services/a2f_source/core/wav_source.h"

namespace posewire::a2f_source {

// Errors name the file. NOT_FOUND and the like if it cannot be opened; INVALID_ARGUMENT if it is
// not audio, or its rate or number of channels is not supported. A truncated file is read up to its
// end. A file with broken data ends with DATA_LOSS, with the time up to which it was read.
absl::StatusOr<std::unique_ptr<SoundInput>> OpenSoundFile(const std::string& path);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_SOUND_SOUND_FILE_H_
