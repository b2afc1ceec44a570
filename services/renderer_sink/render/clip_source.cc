#include "services/renderer_sink/render/clip_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "libs/clipio/load_clip.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"
#include "libs/wire/chunk.h"
#include "libs/wire/message.h"

namespace posewire::renderer_sink {
namespace {

// What counts from a time on, with times from the clip's first key.
template <typename T>
std::map<double, T> Since(double first_s, std::vector<std::pair<double, T>> said) {
  std::map<double, T> out;
  for (auto& [time_code_s, what] : said) out[time_code_s - first_s] = std::move(what);
  return out;
}

// Gathers from the messages of a clip what is not its poses.
class RestGatherer {
 public:
  void Add(const wire::Message& message) {
    if (const auto* header = std::get_if<wire::StreamHeader>(&message.chunk)) {
      rate_hz_ = header->audio_rate_hz.value_or(0);
      epoch_s_ = header->epoch_s;
    }
    const auto* data = std::get_if<wire::DataChunk>(&message.chunk);
    if (data == nullptr) return;
    for (const wire::KeyBlock& keys : data->pose) {
      if (!keys.empty()) first_s_ = std::min(first_s_, keys.time_codes_s.front());
    }
    if (std::isfinite(data->earliest_time_code_s)) last_s_ = data->earliest_time_code_s;
    if (auto appearance = wire::AppearanceIn(data->metadata)) {
      appearances_.emplace_back(last_s_, *std::move(appearance));
    }
    if (TakeStaging(data->metadata, staging_)) stagings_.emplace_back(last_s_, staging_);
    if (auto things = wire::PropsIn(data->metadata)) {
      props_.emplace_back(last_s_, *std::move(things));
    }
    for (const wire::MetadataEntry& entry : data->metadata) {
      if (auto seen = wire::ReadContributions(entry)) {
        contributions_.emplace_back(last_s_, *std::move(seen));
      }
    }
    camera_.Add(*data);
    if (data->audio) buffers_.push_back(*data->audio);
  }

  void PutInto(ClipSource& out) {
    out.first_s = first_s_;
    out.appearances = Since(first_s_, std::move(appearances_));
    out.stagings = Since(first_s_, std::move(stagings_));
    for (auto& [time_code_s, things] : props_) {
      out.props.Add(time_code_s - first_s_, std::move(things));
    }
    out.contributions = Since(first_s_, std::move(contributions_));
    camera_.MoveTo(first_s_);
    out.camera = std::move(camera_);
    if (epoch_s_ != 0) out.begins_s = epoch_s_ + first_s_;
    if (rate_hz_ <= 0 || buffers_.empty()) return;
    out.voice_rate_hz = rate_hz_;
    const auto most = static_cast<int64_t>(
        std::ceil((out.clip->duration_s() + 1) * static_cast<double>(rate_hz_)));
    for (const wire::AudioBuffer& buffer : buffers_) {
      const int64_t at = std::llround((buffer.time_code_s - first_s_) * rate_hz_);
      for (size_t i = 0; i < buffer.samples.size(); ++i) {
        const int64_t place = at + static_cast<int64_t>(i);
        if (place < 0 || place >= most) continue;
        if (static_cast<size_t>(place) >= out.voice.size()) {
          out.voice.resize(static_cast<size_t>(place) + 1);
        }
        out.voice[static_cast<size_t>(place)] = buffer.samples[i];
      }
    }
  }

 private:
  int rate_hz_ = 0;
  double epoch_s_ = 0;
  double first_s_ = std::numeric_limits<double>::infinity(), last_s_ = -first_s_;
  std::vector<wire::AudioBuffer> buffers_;
  std::vector<std::pair<double, wire::Appearance>> appearances_;
  std::vector<std::pair<double, Staging>> stagings_;
  Staging staging_;
  std::vector<std::pair<double, std::vector<wire::Prop>>> props_;
  std::vector<std::pair<double, wire::Contributions>> contributions_;
  StreamCamera camera_;
};

// Shows each message of a clip to a gatherer, so that the file is parsed once.
class GatheringReader final : public recording::ClipReader {
 public:
  GatheringReader(std::unique_ptr<recording::ClipReader> source, RestGatherer& rest)
      : ClipReader(/*warns_of_no_frame=*/false), source_(std::move(source)), rest_(rest) {}

  const std::string& name() const override { return source_->name(); }
  std::string place_of_last() const override { return source_->place_of_last(); }
  int64_t size() const override { return source_->size(); }
  std::shared_ptr<const skel::Rig> skeleton() const override { return source_->skeleton(); }
  double unit_m() const override { return source_->unit_m(); }
  bool moves_nodes() const override { return source_->moves_nodes(); }
  std::vector<std::string> warnings() const override { return source_->warnings(); }

 private:
  absl::StatusOr<wire::MessageBytes> DoNextBytes() override { return source_->NextBytes(); }
  absl::StatusOr<std::optional<wire::Message>> DoNext() override {
    absl::StatusOr<std::optional<wire::Message>> message = source_->Next();
    if (message.ok() && *message) rest_.Add(**message);
    return message;
  }

  const std::unique_ptr<recording::ClipReader> source_;
  RestGatherer& rest_;
};

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
  options.warn = [&](const std::string& warning) { out.warnings.push_back(warning); };
  auto reader = clipio::OpenClip(path, open);
  if (!reader.ok()) return reader.status();
  RestGatherer rest;
  absl::StatusOr<std::shared_ptr<const clip::Clip>> clip =
      clipio::LoadClip(std::make_unique<GatheringReader>(*std::move(reader), rest), std::move(rig),
                       catalog, options);
  if (!clip.ok()) return clip.status();
  out.clip = *std::move(clip);
  rest.PutInto(out);
  return out;
}

}  // namespace posewire::renderer_sink
