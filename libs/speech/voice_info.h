// Describes a voice to users who choose one.
#ifndef POSEWIRE_LIBS_SPEECH_VOICE_INFO_H_
#define POSEWIRE_LIBS_SPEECH_VOICE_INFO_H_

#include <string>
#include <vector>

namespace posewire::speech {

// Unknown fields are empty.
struct VoiceInfo {
  std::string name;
  std::string description;             // for users: "a woman, American"
  std::string sex;                     // "female" or "male"
  std::vector<std::string> languages;  // BCP 47
  std::string marks;                   // the times that it reports: "phonemes", "words" or "none"
  std::string engine;                  // "flite", or the address of a server
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_VOICE_INFO_H_
