// The voice of flite (a small synthesiser for American English), with its phoneme times.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_SPEECH_FLITE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_SPEECH_FLITE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "services/a2f_source/core/speech_engine.h"

namespace posewire::a2f_source {

// "slt" (a woman), "rms" and "awb" (men).
std::vector<std::string> FliteVoices();

// `speed` 0.5..2 is the rate of speech against the voice's own. INVALID_ARGUMENT lists the voices,
// or names the range. Engines may live on several threads; flite's state is global, so that one of
// them speaks at a time.
absl::StatusOr<std::unique_ptr<SpeechEngine>> MakeFliteEngine(absl::string_view voice = "slt",
                                                              double speed = 1);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_SPEECH_FLITE_H_
