// Turns the messages of a caller's voice into items for SpeechQueue: sound, and what the caller
// knows of its words and phonemes.
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

// Reads one message. `format` has passed CheckFormat; `language` is BCP 47, empty as English, and
// decides which words are accented.
//
// Channels are mixed to their mean. Times are cut to the sound, and where two phonemes overlap, the
// first one ends early. Without a text, the words are the text; words without a letter or digit are
// left out. The text comes on one line, without markup. Phonemes are IPA.
//
// INVALID_ARGUMENT, which names the field and its index, for samples that are not whole, and for
// the times of a word or phoneme that are NaN, end before they start, start before those of the one
// before, or are more than 0.25 s outside the sound.
absl::StatusOr<speech::SayItem> ReadSound(const posewire::source::v1::SaySound& sound,
                                          const posewire::source::v1::SoundFormat& format,
                                          absl::string_view language);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_SAY_SOUND_H_
