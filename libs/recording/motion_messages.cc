#include "libs/recording/motion_messages.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/types/span.h"

namespace posewire::recording {

absl::Status PutMessages(const asset::Motion& motion,
                         absl::FunctionRef<absl::Status(const wire::MessageBytes&)> put) {
  if (absl::Status s = put(wire::SerializeHeader(*motion.header)); !s.ok()) return s;
  wire::DataChunk data;
  struct Cursor {
    const skel::KeyTrack& track;
    const std::vector<double>& time_codes_s;
    wire::KeyBlock& block;
    size_t next = 0;
  };
  std::vector<Cursor> cursors;
  for (size_t t = 0; t < motion.tracks.size(); ++t) {
    cursors.push_back({motion.tracks[t], motion.time_codes_s[t], data.pose[t]});
  }
  for (size_t t = 0; t < motion.camera.size(); ++t) {
    cursors.push_back({motion.camera[t], motion.camera_time_codes_s[t], data.camera[t]});
  }
  while (true) {
    double time_code_s = std::numeric_limits<double>::infinity();
    for (const Cursor& c : cursors) {
      if (c.next < c.time_codes_s.size())
        time_code_s = std::min(time_code_s, c.time_codes_s[c.next]);
    }
    if (time_code_s == std::numeric_limits<double>::infinity()) return absl::OkStatus();
    for (Cursor& c : cursors) {
      c.block = {c.track.width(), {}, {}};
      if (c.next == c.time_codes_s.size() || c.time_codes_s[c.next] != time_code_s) continue;
      ++c.next;
      std::vector<float> scratch(static_cast<size_t>(c.track.width()));
      const absl::Span<const float> key = c.track.Sample(time_code_s, absl::MakeSpan(scratch));
      c.block.time_codes_s = {time_code_s};
      c.block.values.assign(key.begin(), key.end());
    }
    if (absl::Status s = put(wire::SerializeData(data)); !s.ok()) return s;
  }
}

}  // namespace posewire::recording
