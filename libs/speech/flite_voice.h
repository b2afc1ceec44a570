// The voice of flite, a small synthesiser for American English, which reports the times of its
// phonemes.
//
// flite converts a text to an utterance: relations of words, syllables and segments (its phonemes,
// ARPAbet in lower case), and the audio made from them. Segments include their end times, so audio
// and mouth use the same numbers and cannot drift apart. See ADR 7.
#ifndef POSEWIRE_LIBS_SPEECH_FLITE_VOICE_H_
#define POSEWIRE_LIBS_SPEECH_FLITE_VOICE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/speech/voice.h"
#include "libs/speech/voice_info.h"

namespace posewire::speech {

// "slt" (a woman), "rms" and "awb" (men).
std::vector<std::string> FliteVoices();

// For each of FliteVoices, in the same order.
std::vector<VoiceInfo> FliteVoiceInfos();

// The same text gives the same audio, in one part. INVALID_ARGUMENT lists the voices. Voices may be
// used on several threads, but flite's state is global, so only one speaks at a time, and Cancel
// takes effect only after the current sentence is made.
absl::StatusOr<std::unique_ptr<Voice>> MakeFliteVoice(absl::string_view voice = "slt");

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_FLITE_VOICE_H_
