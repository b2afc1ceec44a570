#include "services/renderer_sink/core/frame_codes.h"

#include <algorithm>

#include "absl/types/span.h"

namespace posewire::renderer_sink {

absl::InlinedVector<double, 16> FrameCodes(const wire::DataChunk& data) {
  absl::InlinedVector<double, 16> codes_s;
  for (const absl::Span<const wire::KeyBlock> blocks :
       {absl::MakeConstSpan(data.pose), absl::MakeConstSpan(data.camera)}) {
    for (const wire::KeyBlock& keys : blocks) {
      codes_s.insert(codes_s.end(), keys.codes_s.begin(), keys.codes_s.end());
    }
  }
  std::sort(codes_s.begin(), codes_s.end());
  const auto same = [](double a, double b) { return b - a < kSameCode_s; };
  codes_s.erase(std::unique(codes_s.begin(), codes_s.end(), same), codes_s.end());
  if (codes_s.empty() && data.audio) codes_s.push_back(data.audio->code_s);
  return codes_s;
}

}  // namespace posewire::renderer_sink
