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

absl::Status ReadTheRest(const std::string& path, ClipSource& out) {
  auto reader = clipio::OpenClip(path);
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
    if (data->audio) buffers.push_back(*std::move(data->audio));
  }
  out.warnings = (*reader)->warnings();
  out.appearances = Since(first_s, std::move(appearances));
  out.stagings = Since(first_s, std::move(stagings));
  for (auto& [time_code_s, things] : props) out.props.Add(time_code_s - first_s, std::move(things));
  out.contributions = Since(first_s, std::move(contributions));
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

absl::StatusOr<ClipSource> ReadClipSource(const std::string& path,
                                          std::shared_ptr<const skel::Rig> rig,
                                          const skel::RigCatalog& catalog,
                                          const timecode::FrameRate& rate) {
  ClipSource out;
  clipio::LoadOptions options;
  options.rate = rate;
  std::vector<std::string> warnings;
  options.warn = [&](const std::string& warning) { warnings.push_back(warning); };
  absl::StatusOr<std::shared_ptr<const clip::Clip>> clip =
      clipio::LoadClip(path, std::move(rig), catalog, options);
  if (!clip.ok()) return clip.status();
  out.clip = *std::move(clip);
  if (absl::Status s = ReadTheRest(path, out); !s.ok()) return s;
  for (std::string& more : out.warnings) {
    if (std::find(warnings.begin(), warnings.end(), more) == warnings.end()) {
      warnings.push_back(std::move(more));
    }
  }
  out.warnings = std::move(warnings);
  return out;
}

}  // namespace posewire::renderer_sink
