#include "libs/wire/stream_checks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/wire/data_parser.h"
#include "libs/wire/record_kernels.h"
#include "libs/wire/text_check.h"

namespace posewire::wire {
namespace {

// Far beyond any real scene: sums and products of values stay finite later on.
constexpr float kMaxValue = 1e9f;

constexpr double kMaxLengthError = 1e-2;
// Of a unit quaternion rounded to floats.
constexpr double kRoundingError = 1e-6;

// A buffer continues the previous one if its time code is this close to its end, as in AudioPlacer.
constexpr double kContiguous_s = 0.02;

const char* ComponentName(const TrackInfo& info, size_t i) {
  static constexpr const char* kVector[] = {".x", ".y", ".z"};
  static constexpr const char* kQuaternion[] = {".real", ".i", ".j", ".k"};
  return info.floats == 1 ? "" : info.rotation ? kQuaternion[i] : kVector[i];
}

// "animation_data.skel_animation.rotations[2].values[17] ("l_elbow", time code 0.1)".
std::string ValueName(const StreamHeader& header, size_t track, size_t key, size_t element,
                      const char* component, double time_code_s) {
  std::string name = absl::StrCat(kTracks[track].path, "[", key, "].value");
  if (IsPoseTrack(track)) absl::StrAppend(&name, "s[", element, "]");
  absl::StrAppend(&name, component, " (");
  if (IsPoseTrack(track)) {
    const auto& names = track == kWeights ? header.shapes : header.joints;
    absl::StrAppend(&name, track == kWeights ? "shape " : "joint ", Quoted(names[element]), ", ");
  }
  absl::StrAppend(&name, "time code ", Number(time_code_s), ")");
  return name;
}

absl::Status CheckValues(const StreamHeader& header, size_t track, const KeyBlock& block) {
  const auto it = std::find_if(block.values.begin(), block.values.end(),
                               [](float v) { return !(std::fabs(v) <= kMaxValue); });
  if (it == block.values.end()) return absl::OkStatus();
  const auto at = static_cast<size_t>(it - block.values.begin());
  const auto width = static_cast<size_t>(block.width);
  const auto floats = static_cast<size_t>(kTracks[track].floats);
  const size_t key = at / width;
  return absl::InvalidArgumentError(
      absl::StrCat(ValueName(header, track, key, at % width / floats,
                             ComponentName(kTracks[track], at % floats), block.time_codes_s[key]),
                   " is ", Number(*it), "; must be finite",
                   std::isfinite(*it) ? " and within 1e9 of zero" : ""));
}

// Normalises every rotation of the block.
absl::Status MendRotations(const StreamHeader& header, size_t track, KeyBlock* block,
                           DataChunk* counts) {
  const auto elements = static_cast<size_t>(block->width) / 4;
  for (size_t i = 0; i < block->values.size() / 4; ++i) {
    float* q = block->values.data() + 4 * i;
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double square = w * w + x * x + y * y + z * z;
    if (std::fabs(square - 1) <= 2 * kRoundingError) continue;
    if (w == 0 && x == 0 && y == 0 && z == 0) {
      q[0] = 1, q[1] = q[2] = q[3] = 0;
      ++counts->zero_rotations;
      continue;
    }
    const double length = std::sqrt(square);
    if (std::fabs(length - 1) > kMaxLengthError) {
      return absl::InvalidArgumentError(absl::StrCat(
          ValueName(header, track, i / elements, i % elements, "",
                    block->time_codes_s[i / elements]),
          " has length ", Number(length), "; a rotation must be within 0.01 of unit length"));
    }
    for (int k = 0; k < 4; ++k) q[k] = static_cast<float>(q[k] / length);
    ++counts->normalized_rotations;
  }
  return absl::OkStatus();
}

}  // namespace

StreamChecks::StreamChecks(const ReaderLimits& limits)
    : kernels_(ChooseKernels()), max_jump_s_(limits.max_jump_s), lenient_(limits.lenient) {
  orders_.reserve(kAllTracks);
  for (const TrackInfo& track : kTracks) orders_.emplace_back(track.path, max_jump_s_);
}

absl::Status StreamChecks::CheckAudio(const StreamHeader& header, const AudioBuffer& audio) {
  if (!(audio.time_code_s >= 0 && audio.time_code_s <= timecode::kMaxCode_s)) {
    return timecode::CheckTimeCode("animation_data.audio", audio.time_code_s);
  }
  if (audio.samples.empty() && !audio.half) return absl::OkStatus();
  if (!header.audio_rate_hz) {
    return absl::InvalidArgumentError(
        absl::StrCat("animation_data.audio.audio_buffer holds ", audio.samples.size(),
                     " samples, but the header has no audio_header; state the audio's form there"));
  }
  if (audio_end_s_ && audio.time_code_s - *audio_end_s_ > max_jump_s_) {
    // A source may be silent for a long time while its pose continues, so the jump is measured from
    // the newest time code of any track.
    double newest = *audio_end_s_;
    for (const auto& order : orders_) newest = std::max(newest, order.last_s().value_or(0));
    if (audio.time_code_s - newest > max_jump_s_) {
      return absl::InvalidArgumentError(
          absl::StrCat("animation_data.audio.time_code is ", Number(audio.time_code_s),
                       ", but the stream has come to ", Number(newest),
                       "; a buffer may be at most ", Number(max_jump_s_), " s ahead"));
    }
  }
  const double end_s =
      audio.time_code_s + static_cast<double>(audio.samples.size()) / *header.audio_rate_hz;
  audio_end_s_ = std::max(audio_end_s_.value_or(0), end_s);
  return absl::OkStatus();
}

void StreamChecks::DropHalf() {
  if (half_) ++dropped_halves_;
  half_.reset();
}

void StreamChecks::JoinHalves(const StreamHeader& header, DataChunk* chunk) {
  AudioBuffer& audio = *chunk->audio;
  std::vector<int16_t>& samples = audio.samples;
  if (samples.empty() && !audio.half) return;
  if (half_ && std::abs(audio.time_code_s - half_end_s_) > kContiguous_s) DropHalf();
  const size_t whole = samples.size() * sizeof(int16_t);
  half_end_s_ = audio.time_code_s + static_cast<double>(whole + (audio.half ? 1 : 0)) /
                                        (2.0 * header.audio_rate_hz.value_or(1));
  chunk->cuts_sample = half_.has_value() || audio.half.has_value();
  if (half_) {
    // All bytes move up by one. The last is half a sample, unless the buffer has one of its own.
    if (audio.half) samples.push_back(0);
    auto* const bytes = reinterpret_cast<uint8_t*>(samples.data());
    const uint8_t last = audio.half ? *audio.half : bytes[whole - 1];
    std::memmove(bytes + 1, bytes, audio.half ? whole : whole - 1);
    bytes[0] = *half_;
    if (audio.half) {
      bytes[whole + 1] = last;
      audio.half.reset();
    } else {
      audio.half = last;
    }
  }
  half_ = std::exchange(audio.half, std::nullopt);
}

absl::Status StreamChecks::CheckTrack(const StreamHeader& header, size_t track, KeyBlock* block,
                                      DataChunk* chunk) {
  const std::vector<double>& time_codes_s = block->time_codes_s;
  if (time_codes_s.size() != 1 || !orders_[track].TryAdd(time_codes_s[0])) {
    if (absl::Status s = orders_[track].Add(time_codes_s); !s.ok()) return s;
  }
  const std::vector<float>& values = block->values;
  if (!kTracks[track].rotation) {
    if (kernels_.all_within(values.data(), values.size(), kMaxValue)) return absl::OkStatus();
    return CheckValues(header, track, *block);
  }
  if (kernels_.all_unit_length(values.data(), values.size() / 4)) return absl::OkStatus();
  if (absl::Status s = CheckValues(header, track, *block); !s.ok()) return s;
  return MendRotations(header, track, block, chunk);
}

absl::Status StreamChecks::Check(const StreamHeader& header, DataChunk* chunk) {
  if (lenient_) {
    for (timecode::TrackOrder& order : orders_) order.Forget();
    audio_end_s_.reset();
  }
  double earliest_s = std::numeric_limits<double>::infinity();
  chunk->zero_rotations = chunk->normalized_rotations = 0;
  chunk->cuts_sample = false;
  for (size_t track = 0; track < kAllTracks; ++track) {
    KeyBlock& block = BlockOf(*chunk, track);
    if (block.empty()) continue;
    if (absl::Status s = CheckTrack(header, track, &block, chunk); !s.ok()) return s;
    if (block.width == 0) {
      block.time_codes_s.clear();
      continue;
    }
    earliest_s = std::min(earliest_s, block.time_codes_s.front());
  }
  if (chunk->audio) {
    if (absl::Status s = CheckAudio(header, *chunk->audio); !s.ok()) return s;
    JoinHalves(header, chunk);
    if (chunk->audio->samples.empty()) {
      chunk->audio.reset();
    } else {
      earliest_s = std::min(earliest_s, chunk->audio->time_code_s);
    }
  }
  chunk->earliest_time_code_s = earliest_s;
  return absl::OkStatus();
}

}  // namespace posewire::wire
