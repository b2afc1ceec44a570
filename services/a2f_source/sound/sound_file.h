// A sound file: WAV, FLAC, Ogg and whatever else libsndfile reads.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_SOUND_SOUND_FILE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_SOUND_SOUND_FILE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "services/a2f_source/core/wav_source.h"

namespace posewire::a2f_source {

// Errors name the file. NOT_FOUND and the like when it cannot be opened; INVALID_ARGUMENT when it
// is no sound, or has a rate or channels that are not taken. A file that is cut gives what is
// there; one whose data are broken ends with DATA_LOSS, with the time up to which it was read.
absl::StatusOr<std::unique_ptr<SoundInput>> OpenSoundFile(const std::string& path);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_SOUND_SOUND_FILE_H_
