// Encodes the offsets of one frame for the page of `renderer_sink view`: only points that move, in
// few bytes. docs/view.md describes the format.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_OFFSET_FRAME_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_OFFSET_FRAME_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "libs/skel/math.h"
#include "services/renderer_sink/core/view_frame.h"

namespace posewire::renderer_sink {

// One entry per point; all spans have the same length.
struct PointOffsets {
  absl::Span<const skel::Vec3> offsets;  // metres, before skinning
  absl::Span<const skel::Vec3> turns;    // added to the normals, also before skinning
};

// Writes a sequence of messages. One thread.
class OffsetFrameWriter {
 public:
  // Points that move less than this are skipped unless their normals turn; of more than
  // kMostPoints, those that change least are skipped. A message has 9 bytes for each point sent and
  // one bit for every point.
  static constexpr float kLeast_m = 2e-5f, kLeastTurn = 0.02f;
  static constexpr size_t kMostPoints = 28000;
  // Characters with more points have no offsets in the page.
  static constexpr size_t kMostOfCharacter = size_t{1} << 18;

  std::shared_ptr<const std::string> Write(const PointOffsets& points, const ViewFrameTag& tag,
                                           double time_code_s);

 private:
  std::vector<size_t> moved_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_OFFSET_FRAME_H_
