// Settings of the voices that speak texts.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_VOICES_VOICE_CONFIG_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_VOICES_VOICE_CONFIG_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/service/flags/flags.h"
#include "services/a2f_source/voices/voice_catalog.h"

namespace posewire::a2f_source {

// Each field is a flag, an environment variable and a config key; see --help.
struct VoiceConfig {
  std::string voice;
  std::string language;
  double speed = 1;
  std::string server;
  std::string api = "openai";
  std::string model;
  std::string key_file;
  std::string ca_file;
  std::string marks = "auto";
  std::string fallback;
  double max_gap_s = 3;

  // Declares the flags, for the commands "say", "serve" and "talk".
  void Declare(service::Flags& flags);

  // Opens the voices and reads the server's key. INVALID_ARGUMENT names the invalid flag. With
  // `patient`, for takes that no one waits for, a server on a busy machine may take minutes.
  absl::StatusOr<std::shared_ptr<VoiceCatalog>> Open(bool patient) const;
};

// Checks the form of a BCP 47 tag, such as "en-US". INVALID_ARGUMENT for anything else; empty is
// valid.
absl::Status CheckLanguage(absl::string_view language);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_VOICES_VOICE_CONFIG_H_
