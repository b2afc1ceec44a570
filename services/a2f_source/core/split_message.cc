#include "services/a2f_source/core/split_message.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::a2f_source {
namespace {

// Takes what lies behind the first `keep` of `from`.
template <typename T>
std::vector<T> TakeBehind(size_t keep, std::vector<T>& from) {
  std::vector<T> rest(from.begin() + static_cast<std::ptrdiff_t>(keep), from.end());
  from.resize(keep);
  return rest;
}

wire::KeyBlock CutKeys(double cut_s, wire::KeyBlock& keys) {
  const auto first = std::lower_bound(keys.codes_s.begin(), keys.codes_s.end(), cut_s);
  const auto keep = static_cast<size_t>(first - keys.codes_s.begin());
  return {keys.width, TakeBehind(keep, keys.codes_s),
          TakeBehind(keep * static_cast<size_t>(keys.width), keys.values)};
}

std::optional<wire::AudioBuffer> CutAudio(double cut_s, int rate_hz,
                                          std::optional<wire::AudioBuffer>& audio) {
  if (!audio) return std::nullopt;
  const double first_s = audio->code_s;
  const auto held = static_cast<double>(audio->samples.size());
  double keep = first_s < cut_s ? held : 0;
  if (rate_hz > 0) keep = std::clamp(std::round((cut_s - first_s) * rate_hz), 0.0, held);
  if (keep == held) return std::nullopt;
  if (keep == 0) return std::exchange(audio, std::nullopt);
  return wire::AudioBuffer{first_s + keep / rate_hz,
                           TakeBehind(static_cast<size_t>(keep), audio->samples)};
}

}  // namespace

wire::DataChunk TakeFrom(double cut_s, int rate_hz, wire::DataChunk& data) {
  wire::DataChunk tail;
  for (int t = 0; t < wire::kPoseTracks; ++t) tail.pose[t] = CutKeys(cut_s, data.pose[t]);
  for (int t = 0; t < wire::kCameraTracks; ++t) tail.camera[t] = CutKeys(cut_s, data.camera[t]);
  tail.audio = CutAudio(cut_s, rate_hz, data.audio);
  return tail;
}

namespace {

// Halves in time until every part fits.
absl::Status Split(wire::DataChunk data, int rate_hz, size_t max_bytes,
                   std::vector<wire::Message>& parts) {
  wire::MessageBytes bytes = wire::SerializeData(data);
  if (bytes->size() <= max_bytes) {
    parts.push_back({std::move(bytes), std::move(data)});
    return absl::OkStatus();
  }
  const wire::ChunkTimes times = wire::TimesOf(data, rate_hz);
  const double middle_s = times.earliest_s + (times.latest_s - times.earliest_s) / 2;
  // Nothing is left to cut: a single key, or codes that no clip has.
  if (times.empty() || !(times.latest_s - times.earliest_s > 1e-6) ||
      !(times.earliest_s < middle_s && middle_s < times.latest_s)) {
    return absl::InvalidArgumentError(
        absl::StrCat("what lies at code ", times.earliest_s, " takes ", bytes->size(),
                     " bytes and cannot be cut into messages of ", max_bytes));
  }
  bytes = nullptr;
  wire::DataChunk tail = TakeFrom(middle_s, rate_hz, data);
  if (absl::Status s = Split(std::move(data), rate_hz, max_bytes, parts); !s.ok()) return s;
  return Split(std::move(tail), rate_hz, max_bytes, parts);
}

}  // namespace

absl::StatusOr<std::vector<wire::Message>> SplitMessage(wire::DataChunk data, int audio_rate_hz,
                                                        size_t max_bytes) {
  std::vector<wire::Message> parts;
  if (absl::Status s = Split(std::move(data), audio_rate_hz, max_bytes, parts); !s.ok()) return s;
  return parts;
}

}  // namespace posewire::a2f_source
