#include "libs/clipio/whole_clip.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/files/byte_sink.h"
#include "libs/recording/wav_file.h"
#include "libs/timecode/audio_position.h"
#include "libs/wire/message.h"

namespace posewire::clipio {
namespace {

// Keeps a voice in memory.
class VoiceKeeper {
 public:
  explicit VoiceKeeper(Voice& out) : out_(out) {}

  void Add(const wire::AudioBuffer& audio, int rate_hz) {
    if (audio.samples.empty() || rate_hz <= 0) return;
    if (!placer_) placer_.emplace(rate_hz);
    const auto count = static_cast<int64_t>(audio.samples.size());
    const timecode::AudioPlacer::Placement placed = placer_->Place(audio.time_code_s, count);
    if (out_.samples.empty()) {
      first_ = placed.first_sample;
      out_.rate_hz = rate_hz;
      out_.start_s = static_cast<double>(first_) / rate_hz;
    }
    const auto at = static_cast<size_t>(std::max<int64_t>(0, placed.first_sample - first_));
    out_.samples.resize(std::max(out_.samples.size(), at));
    const int64_t skip = std::min(count, placed.drop);
    out_.samples.insert(out_.samples.end(), audio.samples.begin() + skip, audio.samples.end());
  }

 private:
  Voice& out_;
  std::optional<timecode::AudioPlacer> placer_;
  int64_t first_ = 0;
};

}  // namespace

double Voice::end_s() const {
  return samples.empty() ? start_s : start_s + static_cast<double>(samples.size()) / rate_hz;
}

Voice Mixed(absl::Span<const Voice> voices) {
  Voice out;
  double end_s = 0;
  for (const Voice& voice : voices) {
    if (voice.samples.empty()) continue;
    if (out.rate_hz == 0) out = {voice.rate_hz, voice.start_s, {}};
    out.start_s = std::min(out.start_s, voice.start_s);
    end_s = std::max(end_s, voice.end_s());
  }
  if (out.rate_hz == 0) return out;
  std::vector<double> sum(static_cast<size_t>(std::lround((end_s - out.start_s) * out.rate_hz)));
  for (const Voice& voice : voices) {
    if (voice.samples.empty()) continue;
    const double step = static_cast<double>(voice.rate_hz) / out.rate_hz;
    const double first = (out.start_s - voice.start_s) * voice.rate_hz;
    for (size_t i = 0; i < sum.size(); ++i) {
      // Linear between samples of another rate.
      const double at = first + static_cast<double>(i) * step;
      const double from = std::floor(at + 1e-6);
      if (from < 0 || from >= static_cast<double>(voice.samples.size())) continue;
      const auto a = static_cast<size_t>(from);
      const double next = a + 1 < voice.samples.size() ? voice.samples[a + 1] : 0;
      sum[i] += std::lerp(static_cast<double>(voice.samples[a]), next, std::max(0.0, at - from));
    }
  }
  for (const double sample : sum) {
    out.samples.push_back(static_cast<int16_t>(std::clamp(std::round(sample), -32768.0, 32767.0)));
  }
  return out;
}

absl::StatusOr<std::string> WavOf(const Voice& voice) {
  std::string out;
  auto wav = recording::WavFile::Create(std::make_unique<files::MemorySink>("the voice", &out),
                                        static_cast<uint32_t>(voice.rate_hz));
  if (!wav.ok()) return wav.status();
  const absl::string_view bytes(reinterpret_cast<const char*>(voice.samples.data()),
                                voice.samples.size() * sizeof(int16_t));
  if (absl::Status s = (*wav)->Append(bytes); !s.ok()) return s;
  if (absl::Status s = (*wav)->Close(); !s.ok()) return s;
  return out;
}

void WholeClip::MoveScene(double by_s) {
  voice.start_s += by_s;
  for (auto& [time_code_s, state] : props) time_code_s += by_s;
  for (size_t t = 0; t < motion.camera.size(); ++t) {
    const skel::KeyTrack track = motion.camera[t];
    std::vector<double>& codes = motion.camera_time_codes_s[t];
    const auto width = static_cast<size_t>(track.width());
    motion.camera[t] = skel::KeyTrack(track.width(), t == wire::kCameraRotation);
    std::vector<float> scratch(width);
    for (double& code : codes) {
      const absl::Span<const float> key = track.Sample(code, absl::MakeSpan(scratch));
      code += by_s;
      motion.camera[t].Append({code}, key);
    }
  }
}

absl::StatusOr<WholeClip> LoadWholeClip(const std::string& path, const OpenOptions& options) {
  auto reader = OpenClip(path, options);
  if (!reader.ok()) return reader.status();
  WholeClip out;
  VoiceKeeper voice(out.voice);
  double now_s = 0;
  while (true) {
    absl::StatusOr<std::optional<wire::Message>> message = (*reader)->Next();
    if (!message.ok()) return message.status();
    if (!*message) break;
    wire::Chunk& chunk = (*message)->chunk;
    if (auto* header = std::get_if<wire::StreamHeader>(&chunk)) {
      out.motion.Start(std::move(*header));
    }
    const wire::DataChunk* const data = (*message)->data();
    if (data == nullptr) continue;
    out.motion.Append(*data);
    if (std::isfinite(data->earliest_time_code_s)) now_s = data->earliest_time_code_s;
    if (auto props = wire::PropsIn(data->metadata)) {
      out.props.emplace_back(now_s, *std::move(props));
    }
    if (data->audio) voice.Add(*data->audio, out.motion.header->audio_rate_hz.value_or(0));
  }
  if (!out.motion.header) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": holds no header, and so no clip"));
  }
  out.warnings = (*reader)->warnings();
  return out;
}

}  // namespace posewire::clipio
