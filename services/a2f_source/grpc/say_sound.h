// A stretch of a caller's voice, and what the caller knows of it, as a piece to say.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SAY_SOUND_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SAY_SOUND_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/speech/piece_source.h"
#include "posewire.source.v1.pb.h"

namespace posewire::a2f_source {

// INVALID_ARGUMENT for a rate outside 8000..192000 or more than 8 channels.
absl::Status CheckFormat(const posewire::source::v1::SoundFormat& format);

// INVALID_ARGUMENT, which names the field, for half a sample, and for words and phonemes with times
// that are no numbers, go back, or lie more than 0.25 s outside the stretch. `language` is BCP 47.
absl::StatusOr<speech::SayItem> ReadSound(const posewire::source::v1::SaySound& sound,
                                          const posewire::source::v1::SoundFormat& format,
                                          absl::string_view language);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SAY_SOUND_H_
