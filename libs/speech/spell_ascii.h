// Converts text for voices that only read ASCII.
#ifndef POSEWIRE_LIBS_SPEECH_SPELL_ASCII_H_
#define POSEWIRE_LIBS_SPEECH_SPELL_ASCII_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/speech/speech_text.h"

namespace posewire::speech {

// Returns printable ASCII and '\n', in English: typographic signs become ASCII, accented Latin
// letters lose their accents, some signs become words. Other scripts and signs are dropped, with a
// note. INVALID_ARGUMENT for text that is not UTF-8 (with the byte), and if no letter or digit is
// left.
absl::StatusOr<SpokenText> SpellAscii(absl::string_view utf8);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SPELL_ASCII_H_
