// From IPA to what the mouth does.
//
// Voice servers write IPA in many ways: with length, stress and tone marks or without, affricates
// with a tie, with a sign of their own or as two letters, and Kokoro writes English diphthongs as
// capitals ("A" is "eɪ"). So marks are taken off, then the longest signs of a table are found.
#ifndef POSEWIRE_LIBS_SPEECH_PHONES_H_
#define POSEWIRE_LIBS_SPEECH_PHONES_H_

#include "absl/strings/string_view.h"
#include "libs/speech/viseme_table.h"

namespace posewire::speech {

// `phone` is one sound in UTF-8: a vowel ("ɑ̃ː"), a diphthong, a consonant or an affricate. One of
// several signs goes from the first to the last ("pf"). Stress and tone marks alone are a consonant
// that leaves the lips free; punctuation and spaces are a pause; a letter that no alphabet of
// phonetics has counts as the plain Latin letter in it (é as e), else as an unknown phone
// (FindVisemes). Only the first 64 bytes count. Allocates nothing.
PhoneVisemes FindIpaVisemes(absl::string_view phone);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_PHONES_H_
