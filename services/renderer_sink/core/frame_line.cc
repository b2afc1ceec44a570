#include "services/renderer_sink/core/frame_line.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/client/message_times.h"

namespace posewire::renderer_sink {
namespace {

using nvidia_ace::animation_data::v1::AnimationData;
using nvidia_ace::animation_data::v1::AnimationDataStream;
using nvidia_ace::animation_data::v1::AnimationDataStreamHeader;
using nvidia_ace::animation_data::v1::SkelAnimation;

std::string Escaped(const std::string& text) { return absl::Utf8SafeCEscape(text); }

std::string HeaderLine(const AnimationDataStreamHeader& header) {
  std::string line =
      absl::StrFormat("header: stream \"%s\"", Escaped(header.animation_ids().stream_id()));
  if (!header.animation_ids().request_id().empty()) {
    absl::StrAppend(&line, ", request \"", Escaped(header.animation_ids().request_id()), "\"");
  }
  absl::StrAppendFormat(&line, ", %d joints, %d shapes",
                        header.skel_animation_header().joints_size(),
                        header.skel_animation_header().blend_shapes_size());
  if (const uint32_t rate_hz = client::AudioRate(header); rate_hz > 0) {
    absl::StrAppendFormat(&line, ", audio %d Hz", rate_hz);
  }
  absl::StrAppendFormat(&line, ", epoch %.3f", header.start_time_code_since_epoch());
  return line;
}

template <typename Keys>
void AppendCount(const Keys& keys, const char* what, std::string& line) {
  if (keys.empty()) return;
  absl::StrAppendFormat(&line, ", %d %s", keys.Get(0).values_size(), what);
  if (keys.size() > 1) absl::StrAppendFormat(&line, " x %d keys", keys.size());
}

void AppendPose(const SkelAnimation& pose, const AnimationDataStreamHeader& header,
                std::string& line) {
  AppendCount(pose.rotations(), "rotations", line);
  AppendCount(pose.translations(), "translations", line);
  AppendCount(pose.scales(), "scales", line);
  AppendCount(pose.blend_shape_weights(), "weights", line);
  if (pose.blend_shape_weights().empty()) return;
  const auto& weights = pose.blend_shape_weights(0).values();
  const auto& names = header.skel_animation_header().blend_shapes();
  if (weights.empty() || names.size() != weights.size()) return;
  const auto top = std::max_element(weights.begin(), weights.end());
  absl::StrAppendFormat(&line, " (%s %.2f)",
                        Escaped(names.Get(static_cast<int>(top - weights.begin()))), *top);
}

void AppendAudio(const std::string& pcm, std::string& line) {
  int peak = 0;
  for (size_t i = 0; i + 1 < pcm.size(); i += 2) {
    const auto low = static_cast<uint8_t>(pcm[i]);
    const auto high = static_cast<uint8_t>(pcm[i + 1]);
    const auto sample = static_cast<int16_t>(static_cast<uint16_t>(high << 8 | low));
    peak = std::max(peak, std::abs(static_cast<int>(sample)));
  }
  absl::StrAppendFormat(&line, ", audio %d samples (peak %.2f)", pcm.size() / 2, peak / 32768.0);
}

std::string DataLine(const AnimationData& data, const AnimationDataStreamHeader& header) {
  const client::MessageTimes times = client::TimesOf(data, 0);
  const double code_s = std::isfinite(times.first_pose_s) ? times.first_pose_s : times.earliest_s;
  std::string line = times.empty() ? "no code" : absl::StrFormat("%.4f s", code_s);
  const size_t start = line.size();
  AppendPose(data.skel_animation(), header, line);
  if (data.has_audio()) AppendAudio(data.audio().audio_buffer(), line);
  if (data.has_camera()) absl::StrAppend(&line, ", camera");
  // In order, whatever order the map has.
  std::set<std::string> keys;
  for (const auto& [key, value] : data.metadata()) keys.insert(Escaped(key));
  for (const std::string& key : keys) absl::StrAppend(&line, ", metadata \"", key, "\"");
  if (line.size() == start) return line + ": empty";
  line[start] = ':';
  return line;
}

}  // namespace

std::string FrameLine(const AnimationDataStream& message, const AnimationDataStreamHeader& header) {
  switch (message.stream_part_case()) {
    case AnimationDataStream::kAnimationDataStreamHeader:
      return HeaderLine(message.animation_data_stream_header());
    case AnimationDataStream::kAnimationData:
      return DataLine(message.animation_data(), header);
    case AnimationDataStream::kStatus:
      return absl::StrCat("status ",
                          nvidia_ace::status::v1::Status::Code_Name(message.status().code()), ": ",
                          Escaped(message.status().message()));
    case AnimationDataStream::STREAM_PART_NOT_SET:
      break;
  }
  return "empty message";
}

}  // namespace posewire::renderer_sink
