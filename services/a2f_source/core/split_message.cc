#include "services/a2f_source/core/split_message.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "libs/wire/edit_codes.h"

namespace posewire::a2f_source {
namespace {

// Removes and returns everything after the first `keep` of `from`.
template <typename T>
std::vector<T> TakeBehind(size_t keep, std::vector<T>& from) {
  std::vector<T> rest(from.begin() + static_cast<std::ptrdiff_t>(keep), from.end());
  from.resize(keep);
  return rest;
}

wire::KeyBlock CutKeys(double cut_s, wire::KeyBlock& keys) {
  const auto first = std::lower_bound(keys.time_codes_s.begin(), keys.time_codes_s.end(), cut_s);
  const auto keep = static_cast<size_t>(first - keys.time_codes_s.begin());
  return {keys.width, TakeBehind(keep, keys.time_codes_s),
          TakeBehind(keep * static_cast<size_t>(keys.width), keys.values)};
}

std::optional<wire::AudioBuffer> CutAudio(double cut_s, int rate_hz,
                                          std::optional<wire::AudioBuffer>& audio) {
  if (!audio) return std::nullopt;
  const double first_s = audio->time_code_s;
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

constexpr size_t kAllSamples = std::numeric_limits<size_t>::max();

// Returns the bytes of everything before `cut_s`, or of everything else, with `sound` as the audio.
wire::MessageBytes BytesOf(const std::string& message, bool before, double cut_s,
                           const std::optional<wire::CodeEdit::Audio>& sound) {
  const auto key = [&](size_t, double time_code_s) {
    return (time_code_s < cut_s) == before ? std::optional(time_code_s) : std::nullopt;
  };
  const auto audio = [&](double, size_t) { return sound; };
  return wire::EditCodes(message, {.key = key, .audio = audio, .keys_alone = !before});
}

size_t SamplesIn(const wire::DataChunk& data) {
  return data.audio ? data.audio->samples.size() : 0;
}

// Returns true if the message has its audio in one field. Readers merge several.
bool HasOneSound(const std::string& message) {
  int sounds = 0;
  const auto key = [](size_t, double time_code_s) { return std::optional(time_code_s); };
  const auto audio = [&](double time_code_s, size_t) {
    ++sounds;
    return std::optional(wire::CodeEdit::Audio{time_code_s});
  };
  wire::EditCodes(message, {.key = key, .audio = audio});
  return sounds <= 1;
}

// Splits in halves by time until every part fits.
absl::Status Split(wire::Message message, int rate_hz, size_t max_bytes,
                   std::vector<wire::Message>& parts) {
  if (message.bytes->size() <= max_bytes) {
    parts.push_back(std::move(message));
    return absl::OkStatus();
  }
  auto& data = std::get<wire::DataChunk>(message.chunk);
  const wire::ChunkTimes times = wire::TimesOf(data, rate_hz);
  const double middle_s = times.earliest_s + (times.latest_s - times.earliest_s) / 2;
  // Nothing is left to split: a single key, or time codes that no clip has.
  if (times.empty() || !(times.latest_s - times.earliest_s > 1e-6) ||
      !(times.earliest_s < middle_s && middle_s < times.latest_s)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the data at time code ", times.earliest_s, " takes ", message.bytes->size(),
                     " bytes and cannot be split into messages of ", max_bytes));
  }
  const double sound_s = data.audio ? data.audio->time_code_s : 0;
  wire::Message tail{nullptr, TakeFrom(middle_s, rate_hz, data)};
  const auto& rest = std::get<wire::DataChunk>(tail.chunk);
  const size_t kept = SamplesIn(data);
  std::optional<wire::CodeEdit::Audio> head_sound, tail_sound;
  if (kept > 0) head_sound = {sound_s, 0, kept};
  if (rest.audio) tail_sound = {rest.audio->time_code_s, kept, kAllSamples};
  tail.bytes = BytesOf(*message.bytes, false, middle_s, tail_sound);
  message.bytes = BytesOf(*message.bytes, true, middle_s, head_sound);
  if (absl::Status s = Split(std::move(message), rate_hz, max_bytes, parts); !s.ok()) return s;
  return Split(std::move(tail), rate_hz, max_bytes, parts);
}

}  // namespace

absl::StatusOr<std::vector<wire::Message>> SplitMessage(wire::Message message, int audio_rate_hz,
                                                        size_t max_bytes) {
  if (!HasOneSound(*message.bytes)) message = wire::MakeMessage(std::move(message.chunk));
  std::vector<wire::Message> parts;
  if (absl::Status s = Split(std::move(message), audio_rate_hz, max_bytes, parts); !s.ok()) {
    return s;
  }
  return parts;
}

}  // namespace posewire::a2f_source
