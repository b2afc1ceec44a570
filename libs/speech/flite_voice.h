// The voice of flite, a small synthesiser for American English, with the times of its phonemes.
//
// flite turns a text into an utterance: relations of words, syllables and segments (its phonemes,
// ARPAbet in lower case), and the sound made from them. Segments carry the time of their end, so
// that sound and mouth come from the same numbers and cannot drift apart. See ADR 7.
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

// Of each of FliteVoices, in its order.
std::vector<VoiceInfo> FliteVoiceInfos();

// The same text gives the same sound, in one part. INVALID_ARGUMENT lists the voices. Voices may
// live on several threads; flite's state is global, so that one of them speaks at a time, and a
// sentence in the making is made to its end before a Cancel shows.
absl::StatusOr<std::unique_ptr<Voice>> MakeFliteVoice(absl::string_view voice = "slt");

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_FLITE_VOICE_H_
