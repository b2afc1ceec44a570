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

namespace posewire::speech {

// "slt" (a woman), "rms" and "awb" (men).
std::vector<std::string> FliteVoices();

struct VoiceInfo {
  std::string name;
  std::string description;  // for people: "a woman, American"
  std::string sex;          // "female" or "male"
};
// Of each of FliteVoices, in its order.
std::vector<VoiceInfo> FliteVoiceInfos();

// `speed` 0.5..2 is the rate of speech against the voice's own. INVALID_ARGUMENT lists the voices,
// or names the range. Voices may live on several threads; flite's state is global, so that one of
// them speaks at a time.
absl::StatusOr<std::unique_ptr<Voice>> MakeFliteVoice(absl::string_view voice = "slt",
                                                      double speed = 1);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_FLITE_VOICE_H_
