// The settings of `a2f_source wav`.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_WAV_WAV_COMMAND_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_WAV_WAV_COMMAND_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/service/flags/flags.h"
#include "libs/speech/face_tuning.h"
#include "libs/speech/speech_network.h"
#include "services/a2f_source/core/wav_source.h"
#include "services/a2f_source/sound/pcm_stream.h"

namespace posewire::a2f_source {

// Each field is a flag, an environment variable and a key of the config file; see --help.
struct WavConfig {
  std::string file;  // "-": standard input
  PcmSettings pcm;
  std::string network;  // empty: the one that is compiled in
  std::vector<std::string> face_params, shape_multipliers, shape_offsets;
  bool clamp = true;

  // The command "wav".
  void DeclareCommand(service::Flags& flags);
  // Its flags.
  void Declare(service::Flags& flags);

  absl::StatusOr<speech::FaceTuning> Tuning() const;
  absl::StatusOr<std::unique_ptr<SoundInput>> Open(std::function<bool()> stopped) const;
  absl::StatusOr<std::shared_ptr<const speech::SpeechNetwork>> Network() const;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_WAV_WAV_COMMAND_H_
