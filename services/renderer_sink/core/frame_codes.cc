#include "services/renderer_sink/core/frame_codes.h"

#include <algorithm>

#include "absl/types/span.h"

namespace posewire::renderer_sink {

absl::InlinedVector<double, 16> FrameCodes(const wire::DataChunk& data) {
  absl::InlinedVector<double, 16> time_codes_s;
  for (const absl::Span<const wire::KeyBlock> blocks :
       {absl::MakeConstSpan(data.pose), absl::MakeConstSpan(data.camera)}) {
    for (const wire::KeyBlock& keys : blocks) {
      time_codes_s.insert(time_codes_s.end(), keys.time_codes_s.begin(), keys.time_codes_s.end());
    }
  }
  std::sort(time_codes_s.begin(), time_codes_s.end());
  const auto same = [](double a, double b) { return b - a < kSameCode_s; };
  time_codes_s.erase(std::unique(time_codes_s.begin(), time_codes_s.end(), same),
                     time_codes_s.end());
  if (time_codes_s.empty() && data.audio) time_codes_s.push_back(data.audio->time_code_s);
  return time_codes_s;
}

}  // namespace posewire::renderer_sink
