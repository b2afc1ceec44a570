#include "services/a2f_source/core/split_message.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/client/message_times.h"

namespace posewire::a2f_source {
namespace {

using nvidia_ace::animation_data::v1::AnimationData;

// Moves the keys from cut_s on to `tail`. Keys stand in order of time.
template <typename Keys>
void CutKeys(double cut_s, Keys& keys, Keys& tail) {
  const auto first = std::partition_point(
      keys.begin(), keys.end(), [cut_s](const auto& key) { return key.time_code() < cut_s; });
  const int at = static_cast<int>(first - keys.begin());
  for (int i = at; i < keys.size(); ++i) *tail.Add() = std::move(keys[i]);
  keys.DeleteSubrange(at, keys.size() - at);
}

void CutAudio(double cut_s, uint32_t rate_hz, AnimationData& head, AnimationData& tail) {
  if (!head.has_audio()) return;
  const double first_s = head.audio().time_code();
  std::string& bytes = *head.mutable_audio()->mutable_audio_buffer();
  const size_t held = bytes.size() / 2;
  const auto samples = static_cast<double>(held);
  double keep = first_s < cut_s ? samples : 0;
  if (rate_hz > 0) keep = std::clamp(std::round((cut_s - first_s) * rate_hz), 0.0, samples);
  const size_t keep_bytes = static_cast<size_t>(keep) * 2;
  if (keep_bytes >= bytes.size() && first_s < cut_s) return;
  auto& rest = *tail.mutable_audio();
  rest.set_time_code(rate_hz == 0 ? first_s : first_s + keep / rate_hz);
  rest.set_audio_buffer(bytes.substr(keep_bytes));
  if (keep_bytes == 0) {
    head.clear_audio();
  } else {
    bytes.resize(keep_bytes);
  }
}

// Takes everything from cut_s on out of `data`.
AnimationData CutAt(double cut_s, uint32_t rate_hz, AnimationData& data) {
  AnimationData tail;
  if (data.has_skel_animation()) {
    auto& from = *data.mutable_skel_animation();
    auto& to = *tail.mutable_skel_animation();
    CutKeys(cut_s, *from.mutable_blend_shape_weights(), *to.mutable_blend_shape_weights());
    CutKeys(cut_s, *from.mutable_translations(), *to.mutable_translations());
    CutKeys(cut_s, *from.mutable_rotations(), *to.mutable_rotations());
    CutKeys(cut_s, *from.mutable_scales(), *to.mutable_scales());
  }
  if (data.has_camera()) {
    auto& from = *data.mutable_camera();
    auto& to = *tail.mutable_camera();
    CutKeys(cut_s, *from.mutable_position(), *to.mutable_position());
    CutKeys(cut_s, *from.mutable_rotation(), *to.mutable_rotation());
    CutKeys(cut_s, *from.mutable_focal_length(), *to.mutable_focal_length());
    CutKeys(cut_s, *from.mutable_focus_distance(), *to.mutable_focus_distance());
  }
  CutAudio(cut_s, rate_hz, data, tail);
  return tail;
}

// Halves in time until every part fits.
absl::Status Split(AnimationData data, uint32_t rate_hz, size_t max_bytes,
                   std::vector<AnimationData>& parts) {
  if (data.ByteSizeLong() <= max_bytes) {
    parts.push_back(std::move(data));
    return absl::OkStatus();
  }
  const client::MessageTimes times = client::TimesOf(data, rate_hz);
  const double middle_s = times.earliest_s + (times.latest_s - times.earliest_s) / 2;
  // Nothing is left to cut: a single key, or codes that no clip has.
  if (times.empty() || !(times.latest_s - times.earliest_s > 1e-6) ||
      !(times.earliest_s < middle_s && middle_s < times.latest_s)) {
    return absl::InvalidArgumentError(
        absl::StrCat("what lies at code ", times.earliest_s, " takes ", data.ByteSizeLong(),
                     " bytes and cannot be cut into messages of ", max_bytes));
  }
  AnimationData tail = CutAt(middle_s, rate_hz, data);
  if (absl::Status s = Split(std::move(data), rate_hz, max_bytes, parts); !s.ok()) return s;
  return Split(std::move(tail), rate_hz, max_bytes, parts);
}

}  // namespace

absl::StatusOr<std::vector<AnimationData>> SplitMessage(AnimationData data, uint32_t audio_rate_hz,
                                                        size_t max_bytes) {
  std::vector<AnimationData> parts;
  if (absl::Status s = Split(std::move(data), audio_rate_hz, max_bytes, parts); !s.ok()) return s;
  return parts;
}

}  // namespace posewire::a2f_source
