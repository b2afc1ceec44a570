#include "services/a2f_source/wav/wav_command.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/files/file.h"
#include "libs/files/read.h"
#include "services/a2f_source/sound/sound_file.h"

namespace posewire::a2f_source {
namespace {

using speech::FaceTuning;
using Setter = absl::Status (*)(absl::string_view, float, FaceTuning&);

constexpr size_t kMaxNetworkBytes = 64 << 20;

// "NAME=NUMBER" into a tuning.
absl::Status Set(Setter set, absl::string_view text, FaceTuning& tuning) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  float value = 0;
  if (!absl::SimpleAtof(parts.second, &value)) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text, "\" is not of the form NAME=NUMBER"));
  }
  return set(parts.first, value, tuning);
}

std::function<absl::Status(absl::string_view)> CheckOf(Setter set) {
  return [set](absl::string_view text) {
    FaceTuning tuning;
    return Set(set, text, tuning);
  };
}

}  // namespace

void WavConfig::DeclareCommand(service::Flags& flags) {
  flags.AddCommand("wav", "Gives a sound a face: a file, or live from standard input.");
  flags.AddPositional("wav", "FILE", &file,
                      "WAV, FLAC or Ogg; - for raw samples or WAV on standard input.",
                      {.required = true});
}

void WavConfig::Declare(service::Flags& flags) {
  const std::vector<std::string> only = {"wav"};
  flags.Group("Sound that comes in");
  flags.Add("sample-rate", &pcm.rate_hz, "Samples a second of raw samples on standard input.",
            {.min = speech::kMinSoundRate_hz, .max = speech::kMaxSoundRate_hz, .commands = only});
  flags.Add("channels", &pcm.channels, "Channels of raw samples; they are mixed down to one.",
            {.min = 1, .max = 64, .commands = only});
  flags.Add("format", &pcm.format, "Of raw samples.",
            {.choices = PcmFormatNames(), .commands = only});
  flags.Add("network", &network, "Weights to hear with, instead of those that are built in.",
            {.value_name = "FILE", .commands = only});
  flags.Group("How the face moves");
  flags.Add(
      "face-param", &face_params,
      "A parameter of Audio2Face's, as lowerFaceStrength=1.2; may be given again.",
      {.value_name = "NAME=NUMBER", .commands = only, .check = CheckOf(speech::SetFaceParameter)});
  flags.Add("shape-multiplier", &shape_multipliers,
            "Scales one shape, as jawOpen=0.8; may be given again.",
            {.value_name = "SHAPE=NUMBER",
             .commands = only,
             .check = CheckOf(speech::SetShapeMultiplier)});
  flags.Add(
      "shape-offset", &shape_offsets,
      "Adds to one shape, as mouthSmileLeft=0.1; may be given again.",
      {.value_name = "SHAPE=NUMBER", .commands = only, .check = CheckOf(speech::SetShapeOffset)});
  flags.Add("clamp", &clamp, "Keep all weights in 0 to 1.", {.commands = only});
}

absl::StatusOr<FaceTuning> WavConfig::Tuning() const {
  FaceTuning tuning;
  tuning.clamp = clamp;
  for (const auto& [set, texts] :
       {std::pair{Setter(speech::SetFaceParameter), &face_params},
        std::pair{Setter(speech::SetShapeMultiplier), &shape_multipliers},
        std::pair{Setter(speech::SetShapeOffset), &shape_offsets}}) {
    for (const std::string& text : *texts) {
      if (absl::Status s = Set(set, text, tuning); !s.ok()) return s;
    }
  }
  return tuning;
}

absl::StatusOr<std::unique_ptr<SoundInput>> WavConfig::Open(std::function<bool()> stopped) const {
  auto opened = files::File::OpenMaybePipe(file, std::move(stopped));
  if (!opened.ok()) return opened.status();
  if ((*opened)->is_stream()) return OpenPcmStream(*std::move(opened), pcm);
  return OpenSoundFile(file);
}

absl::StatusOr<std::shared_ptr<const speech::SpeechNetwork>> WavConfig::Network() const {
  if (network.empty()) return speech::SpeechNetwork::Builtin();
  const auto bytes = files::ReadWhole(network, kMaxNetworkBytes);
  if (!bytes.ok()) return bytes.status();
  auto read = speech::SpeechNetwork::Read(*bytes);
  if (read.ok()) return read;
  return absl::Status(read.status().code(), absl::StrCat(network, ": ", read.status().message()));
}

}  // namespace posewire::a2f_source
