// Switches to a second voice when the first one fails.
#ifndef POSEWIRE_LIBS_SPEECH_FALLBACK_VOICE_H_
#define POSEWIRE_LIBS_SPEECH_FALLBACK_VOICE_H_

#include <memory>
#include <string>

#include "libs/speech/voice.h"

namespace posewire::speech {

// Speaks with `first` until one of its texts fails before its first sample. That text and all later
// ones are spoken by `second`, and a note gives the reason, with the names.
std::unique_ptr<Voice> WithFallback(std::unique_ptr<Voice> first, std::string first_name,
                                    std::unique_ptr<Voice> second, std::string second_name);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_FALLBACK_VOICE_H_
