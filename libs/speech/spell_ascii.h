// For voices that read nothing but ASCII.
#ifndef POSEWIRE_LIBS_SPEECH_SPELL_ASCII_H_
#define POSEWIRE_LIBS_SPEECH_SPELL_ASCII_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/speech/speech_text.h"

namespace posewire::speech {

// Printable ASCII and '\n', as English says it: typographic signs become ASCII, accented Latin
// letters lose their accents, some signs become words. Other scripts and signs are left out, with a
// note. INVALID_ARGUMENT for text that is not UTF-8 (with the byte), and where that leaves no
// letter and no digit.
absl::StatusOr<SpokenText> SpellAscii(absl::string_view utf8);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_SPELL_ASCII_H_
