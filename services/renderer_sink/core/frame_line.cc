#include "services/renderer_sink/core/frame_line.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "libs/program/terminal_text.h"
#include "libs/wire/message.h"

namespace posewire::renderer_sink {
namespace {

// For within quotes.
std::string Escaped(absl::string_view text) {
  return program::TerminalText(absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}));
}

void AppendCount(const wire::KeyBlock& keys, int floats, const char* what, std::string& line) {
  if (keys.empty()) return;
  absl::StrAppendFormat(&line, ", %d %s", keys.width / floats, what);
  if (keys.time_codes_s.size() > 1)
    absl::StrAppendFormat(&line, " x %d keys", keys.time_codes_s.size());
}

void AppendPose(const wire::DataChunk& data, const wire::StreamHeader& header, std::string& line) {
  AppendCount(data.pose[wire::kRotations], 4, "rotations", line);
  AppendCount(data.pose[wire::kTranslations], 3, "translations", line);
  AppendCount(data.pose[wire::kScales], 3, "scales", line);
  const wire::KeyBlock& weights = data.pose[wire::kWeights];
  AppendCount(weights, 1, "weights", line);
  if (weights.empty() || header.shapes.size() != static_cast<size_t>(weights.width)) return;
  const auto key = weights.key(0);
  const auto top = std::max_element(key.begin(), key.end());
  absl::StrAppendFormat(&line, " (%s %.2f)",
                        Escaped(header.shapes[static_cast<size_t>(top - key.begin())]), *top);
}

void AppendAudio(const std::vector<int16_t>& samples, std::string& line) {
  int peak = 0;
  for (const int16_t sample : samples) peak = std::max(peak, std::abs(static_cast<int>(sample)));
  absl::StrAppendFormat(&line, ", audio %d samples (peak %.2f)", samples.size(), peak / 32768.0);
}

}  // namespace

std::string FrameLine(const wire::StreamHeader& header) {
  std::string line = absl::StrFormat("header: stream \"%s\"", Escaped(header.ids.stream_id));
  if (!header.ids.request_id.empty()) {
    absl::StrAppend(&line, ", request \"", Escaped(header.ids.request_id), "\"");
  }
  absl::StrAppendFormat(&line, ", %d joints, %d shapes", header.joints.size(),
                        header.shapes.size());
  if (header.audio_rate_hz) absl::StrAppendFormat(&line, ", audio %d Hz", *header.audio_rate_hz);
  absl::StrAppendFormat(&line, ", epoch %.3f", header.epoch_s);
  return line;
}

std::string FrameLine(const wire::DataChunk& data, const wire::StreamHeader& header) {
  const wire::ChunkTimes times = wire::TimesOf(data, 0);
  const double time_code_s =
      std::isfinite(times.first_pose_s) ? times.first_pose_s : times.earliest_s;
  std::string line = times.empty() ? "no time code" : absl::StrFormat("%.4f s", time_code_s);
  const size_t start = line.size();
  AppendPose(data, header, line);
  if (data.audio) AppendAudio(data.audio->samples, line);
  const bool camera = std::any_of(std::begin(data.camera), std::end(data.camera),
                                  [](const wire::KeyBlock& keys) { return !keys.empty(); });
  if (camera) absl::StrAppend(&line, ", camera");
  std::set<std::string> keys;
  for (const wire::MetadataEntry& entry : data.metadata) keys.insert(Escaped(entry.key));
  for (const std::string& key : keys) absl::StrAppend(&line, ", metadata \"", key, "\"");
  if (line.size() == start) return line + ": empty";
  line[start] = ':';
  return line;
}

std::string FrameLine(const wire::StatusChunk& status) {
  return absl::StrCat("status ", wire::CodeName(status.code), ": ", Escaped(status.message));
}

std::string FaultyLine(size_t bytes, const absl::Status& why) {
  const absl::string_view text = why.message();
  return absl::StrCat("faulty message of ", bytes, " bytes: ", Escaped(text));
}

}  // namespace posewire::renderer_sink
