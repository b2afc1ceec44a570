#include "services/renderer_sink/render/clip_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "libs/clipio/load_clip.h"
#include "libs/clipio/open_clip.h"
#include "libs/wire/chunk.h"

namespace posewire::renderer_sink {
namespace {

// What counts from a time on, with times from the clip's first key.
template <typename T>
std::map<double, T> Since(double first_s, std::vector<std::pair<double, T>> said) {
  std::map<double, T> out;
  for (auto& [time_code_s, what] : said) out[time_code_s - first_s] = std::move(what);
  return out;
}

absl::Status ReadTheRest(const std::string& path, const clipio::OpenOptions& open,
                         ClipSource& out) {
  auto reader = clipio::OpenClip(path, open);
  if (!reader.ok()) return reader.status();
  double first_s = std::numeric_limits<double>::infinity(), last_s = -first_s;
  std::vector<wire::AudioBuffer> buffers;
  std::vector<std::pair<double, wire::Appearance>> appearances;
  std::vector<std::pair<double, Staging>> stagings;
  Staging staging;
  std::vector<std::pair<double, std::vector<wire::Prop>>> props;
  std::vector<std::pair<double, wire::Contributions>> contributions;
  while (true) {
    absl::StatusOr<std::optional<wire::Message>> message = (*reader)->Next();
    if (!message.ok()) return message.status();
    if (!*message) break;
    wire::Chunk& chunk = (*message)->chunk;
    if (const auto* header = std::get_if<wire::StreamHeader>(&chunk)) {
      out.voice_rate_hz = header->audio_rate_hz.value_or(0);
      out.begins_s = header->epoch_s;
    }
    auto* data = std::get_if<wire::DataChunk>(&chunk);
    if (data == nullptr) continue;
    for (const wire::KeyBlock& keys : data->pose) {
      if (!keys.empty()) first_s = std::min(first_s, keys.time_codes_s.front());
    }
    if (std::isfinite(data->earliest_time_code_s)) last_s = data->earliest_time_code_s;
    if (auto appearance = wire::AppearanceIn(data->metadata)) {
      appearances.emplace_back(last_s, *std::move(appearance));
    }
    if (TakeStaging(data->metadata, staging)) stagings.emplace_back(last_s, staging);
    if (auto things = wire::PropsIn(data->metadata)) props.emplace_back(last_s, *std::move(things));
    for (const wire::MetadataEntry& entry : data->metadata) {
      if (auto seen = wire::ReadContributions(entry)) {
        contributions.emplace_back(last_s, *std::move(seen));
      }
    }
    out.camera.Add(*data);
    if (data->audio) buffers.push_back(*std::move(data->audio));
  }
  out.warnings = (*reader)->warnings();
  out.appearances = Since(first_s, std::move(appearances));
  out.stagings = Since(first_s, std::move(stagings));
  for (auto& [time_code_s, things] : props) out.props.Add(time_code_s - first_s, std::move(things));
  out.contributions = Since(first_s, std::move(contributions));
  out.camera.MoveTo(first_s);
  if (out.begins_s != 0) out.begins_s += first_s;
  if (out.voice_rate_hz <= 0 || buffers.empty()) {
    out.voice_rate_hz = 0;
    return absl::OkStatus();
  }
  const auto most = static_cast<int64_t>(
      std::ceil((out.clip->duration_s() + 1) * static_cast<double>(out.voice_rate_hz)));
  for (const wire::AudioBuffer& buffer : buffers) {
    const int64_t at = std::llround((buffer.time_code_s - first_s) * out.voice_rate_hz);
    for (size_t i = 0; i < buffer.samples.size(); ++i) {
      const int64_t place = at + static_cast<int64_t>(i);
      if (place < 0 || place >= most) continue;
      if (static_cast<size_t>(place) >= out.voice.size()) {
        out.voice.resize(static_cast<size_t>(place) + 1);
      }
      out.voice[static_cast<size_t>(place)] = buffer.samples[i];
    }
  }
  return absl::OkStatus();
}

}  // namespace

void MixVoice(const ClipSource& other, double later_s, ClipSource& out) {
  if (other.voice.empty()) return;
  if (out.voice.empty()) out.voice_rate_hz = other.voice_rate_hz;
  const double rate = out.voice_rate_hz, other_rate = other.voice_rate_hz;
  const auto samples = static_cast<int64_t>(std::ceil(out.clip->duration_s() * rate)) + 1;
  const double last_s = later_s + static_cast<double>(other.voice.size()) / other_rate;
  const int64_t end = std::min(samples, static_cast<int64_t>(std::ceil(last_s * rate)));
  if (static_cast<int64_t>(out.voice.size()) < end) out.voice.resize(static_cast<size_t>(end));
  for (int64_t i = std::max<int64_t>(0, std::llround(later_s * rate)); i < end; ++i) {
    // Linear between the other's samples, if its rate differs.
    const double at = (static_cast<double>(i) / rate - later_s) * other_rate;
    const auto from = static_cast<int64_t>(std::floor(at));
    if (from < 0 || from >= static_cast<int64_t>(other.voice.size())) continue;
    const auto a = static_cast<double>(other.voice[static_cast<size_t>(from)]);
    const auto next = static_cast<size_t>(from + 1);
    const double b = next < other.voice.size() ? static_cast<double>(other.voice[next]) : 0;
    int16_t& to = out.voice[static_cast<size_t>(i)];
    const double sum = to + std::lerp(a, b, at - static_cast<double>(from));
    to = static_cast<int16_t>(std::clamp(std::round(sum), -32768.0, 32767.0));
  }
}

absl::StatusOr<ClipSource> ReadClipSource(const std::string& path,
                                          std::shared_ptr<const skel::Rig> rig,
                                          const skel::RigCatalog& catalog,
                                          const timecode::FrameRate& rate,
                                          const clipio::OpenOptions& open) {
  ClipSource out;
  clipio::LoadOptions options;
  options.rate = rate;
  std::vector<std::string> warnings;
  options.warn = [&](const std::string& warning) { warnings.push_back(warning); };
  auto reader = clipio::OpenClip(path, open);
  if (!reader.ok()) return reader.status();
  absl::StatusOr<std::shared_ptr<const clip::Clip>> clip =
      clipio::LoadClip(*std::move(reader), std::move(rig), catalog, options);
  if (!clip.ok()) return clip.status();
  out.clip = *std::move(clip);
  if (absl::Status s = ReadTheRest(path, open, out); !s.ok()) return s;
  for (std::string& more : out.warnings) {
    if (std::find(warnings.begin(), warnings.end(), more) == warnings.end()) {
      warnings.push_back(std::move(more));
    }
  }
  out.warnings = std::move(warnings);
  return out;
}

}  // namespace posewire::renderer_sink
