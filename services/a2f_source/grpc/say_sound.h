// Converts the messages of a client's voice to items for SpeechQueue: audio, with the words and
// phonemes that the client provides.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SAY_SOUND_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SAY_SOUND_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/speech/piece_source.h"
#include "posewire.source.v1.pb.h"

namespace posewire::a2f_source {

// INVALID_ARGUMENT for a rate outside 8000 to 192000 Hz, and for more than 8 channels.
absl::Status CheckFormat(const posewire::source::v1::SoundFormat& format);

// Converts one message. `format` must have passed CheckFormat. `language` is BCP 47, empty means
// English, and decides which words are accented.
//
// Channels are averaged. Times are limited to the audio, and if two phonemes overlap, the first one
// ends early. Without a text, the words form the text; words without a letter or digit are dropped.
// The text is returned on one line, without markup. Phonemes are IPA.
//
// INVALID_ARGUMENT, with the field and its index, for incomplete samples, and for times of a word
// or phoneme that are NaN, end before they start, start before the previous one's start, or are
// more than 0.25 s outside the audio.
absl::StatusOr<speech::SayItem> ReadSound(const posewire::source::v1::SaySound& sound,
                                          const posewire::source::v1::SoundFormat& format,
                                          absl::string_view language);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SAY_SOUND_H_
