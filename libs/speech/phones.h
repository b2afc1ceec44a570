// Maps IPA phones to visemes.
//
// Voice servers write IPA in many ways: with or without marks for length, stress and tone;
// affricates with a tie, with a sign of their own or as two letters; and Kokoro writes English
// diphthongs as capitals ("A" is "eɪ"). So marks are removed, and then the longest matching signs
// of a table are used.
#ifndef POSEWIRE_LIBS_SPEECH_PHONES_H_
#define POSEWIRE_LIBS_SPEECH_PHONES_H_

#include "absl/strings/string_view.h"
#include "libs/speech/viseme_table.h"

namespace posewire::speech {

// `phone` is one sound in UTF-8: a vowel ("ɑ̃ː"), a diphthong, a consonant or an affricate. A phone
// of several signs glides from the first to the last ("pf"). Stress and tone marks alone are a
// consonant that leaves the lips free; punctuation and spaces are a pause. A letter outside
// phonetic alphabets counts as its plain Latin letter (é as e), or else as an unknown phone
// (FindVisemes). Only the first 64 bytes count. Does not allocate.
PhoneVisemes FindIpaVisemes(absl::string_view phone);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_PHONES_H_
