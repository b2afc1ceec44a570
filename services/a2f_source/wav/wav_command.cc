// `a2f_source wav`: adds a face to audio.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/files/file.h"
#include "libs/files/read.h"
#include "libs/speech/face_tuning.h"
#include "libs/speech/speech_network.h"
#include "services/a2f_source/commands.h"
#include "services/a2f_source/core/wav_source.h"
#include "services/a2f_source/request/run_request.h"
#include "services/a2f_source/sound/pcm_stream.h"
#include "services/a2f_source/sound/sound_file.h"

namespace posewire::a2f_source {
namespace {

using speech::FaceTuning;
using Setter = absl::Status (*)(absl::string_view, float, FaceTuning&);

constexpr size_t kMaxNetworkBytes = 64 << 20;

// Parses "NAME=NUMBER" and applies it to a tuning.
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

// Each field is a flag, an environment variable and a config key; see --help.
struct WavCommand : service::Command {
  explicit WavCommand(const SourceSettings& source)
      : Command("wav", "Gives a sound a face: a file, or live from standard input.",
                {"a2f_source wav speech.flac --stream-id s1",
                 "arecord -f S16_LE -r 16000 | a2f_source wav - --stream-id s1"}),
        source(source) {}

  std::string file;  // FILE; "-": standard input
  PcmSettings pcm;
  std::string network;  // empty: the built-in one
  std::vector<std::string> face_params, shape_multipliers, shape_offsets;
  bool clamp = true;
  std::string emotion = "none";
  double emotion_strength = 0.3;
  const SourceSettings& source;

  void Declare(service::Flags& flags) override;
  int Run(service::Process& process, const service::Logger& log) override;

 private:
  absl::StatusOr<std::unique_ptr<Source>> OpenSource(std::function<bool()> stopped) const;
  absl::StatusOr<speech::FaceTuning> Tuning() const;
  absl::StatusOr<std::unique_ptr<SoundInput>> Open(std::function<bool()> stopped) const;
  absl::StatusOr<std::shared_ptr<const speech::SpeechNetwork>> Network() const;
};

void WavCommand::Declare(service::Flags& flags) {
  flags.OnlyFor({name});
  flags.AddPositional(name, "FILE", &file,
                      "WAV, FLAC or Ogg; - for raw samples or WAV on standard input.",
                      {.required = true});
  flags.Group("Sound that comes in");
  flags.Add("sample-rate", &pcm.rate_hz, "Samples a second of raw samples on standard input.",
            {.min = speech::kMinSoundRate_hz, .max = speech::kMaxSoundRate_hz});
  flags.Add("channels", &pcm.channels, "Channels of raw samples; they are mixed down to one.",
            {.min = 1, .max = 64});
  flags.Add("format", &pcm.format, "Format of raw samples.", {.choices = PcmFormatNames()});
  flags.Add("network", &network,
            "Weights of the network that hears the voice, in place of the built-in ones.",
            {.value_name = "FILE"});
  flags.Group("How the face moves");
  flags.Add("face-param", &face_params,
            "A parameter of Audio2Face's, as lowerFaceStrength=1.2; may be given again.",
            {.value_name = "NAME=NUMBER", .check = CheckOf(speech::SetFaceParameter)});
  flags.Add("shape-multiplier", &shape_multipliers,
            "Scales one shape, as jawOpen=0.8; may be given again.",
            {.value_name = "SHAPE=NUMBER", .check = CheckOf(speech::SetShapeMultiplier)});
  flags.Add("shape-offset", &shape_offsets,
            "Adds to one shape, as mouthSmileLeft=0.1; may be given again.",
            {.value_name = "SHAPE=NUMBER", .check = CheckOf(speech::SetShapeOffset)});
  flags.Add("clamp", &clamp, "Keep all weights in 0 to 1.");
  flags.Add(
      "emotion", &emotion,
      "auto: brows, eyes and cheeks show the mood that is heard in the voice, and variables of "
      "the graph may follow it.",
      {.choices = {"none", "auto"}});
  flags.Add(
      "emotion-strength", &emotion_strength,
      "With --emotion auto, how strongly the face shows the mood; with 0 only variables follow it.",
      {.min = 0, .max = 1});
}

int WavCommand::Run(service::Process& process, const service::Logger& log) {
  PullRegistry room(log);
  const auto host = StartPullHost(source, &room, log);
  if (!host.ok()) return service::FailToStart(log, host.status());
  return RunRequest(
      source, [this](std::function<bool()> stopped) { return OpenSource(std::move(stopped)); },
      host->get(), process, log);
}

absl::StatusOr<std::unique_ptr<Source>> WavCommand::OpenSource(
    std::function<bool()> stopped) const {
  speech::SoundFaceOptions options;
  options.seed = static_cast<uint64_t>(source.seed);
  options.head = source.body;
  options.fps = source.Fps();
  auto tuning = Tuning();
  if (!tuning.ok()) return tuning.status();
  options.tuning = *tuning;
  auto weights = Network();
  if (!weights.ok()) return weights.status();
  auto input = Open(std::move(stopped));
  if (!input.ok()) return input.status();
  return WavSource::Make(
      *std::move(input), *std::move(weights), options,
      emotion == "auto" ? std::optional(static_cast<float>(emotion_strength)) : std::nullopt);
}

absl::StatusOr<FaceTuning> WavCommand::Tuning() const {
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

absl::StatusOr<std::unique_ptr<SoundInput>> WavCommand::Open(std::function<bool()> stopped) const {
  auto opened = files::File::OpenMaybePipe(file, std::move(stopped));
  if (!opened.ok()) return opened.status();
  if ((*opened)->is_stream()) return OpenPcmStream(*std::move(opened), pcm);
  return OpenSoundFile(file);
}

absl::StatusOr<std::shared_ptr<const speech::SpeechNetwork>> WavCommand::Network() const {
  if (network.empty()) return speech::SpeechNetwork::Builtin();
  const auto bytes = files::ReadWhole(network, kMaxNetworkBytes);
  if (!bytes.ok()) return bytes.status();
  auto read = speech::SpeechNetwork::Read(*bytes);
  if (read.ok()) return read;
  return absl::Status(read.status().code(), absl::StrCat(network, ": ", read.status().message()));
}

}  // namespace

std::unique_ptr<service::Command> MakeWav(const SourceSettings& source) {
  return std::make_unique<WavCommand>(source);
}

}  // namespace posewire::a2f_source
