// What a pull brought: frames, holes, lateness.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_STREAM_STATS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_STREAM_STATS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "nvidia_ace.animation_data.v1.pb.h"
#include "services/renderer_sink/core/lateness.h"
#include "services/renderer_sink/core/rebaser.h"

namespace posewire::renderer_sink {

// A frame is a data message with a time code. A gap is a step from frame to frame of more than one
// and a half frame periods; the period is the smallest step so far. One thread.
class StreamStats {
 public:
  void OnHeader(const nvidia_ace::animation_data::v1::AnimationDataStreamHeader& header);
  // The frame's place on the line that starts at 0; nothing for a message without codes.
  std::optional<Rebaser::Place> OnData(const nvidia_ace::animation_data::v1::AnimationData& data,
                                       double receive_s);

  int64_t frames() const { return frames_; }
  int64_t frames_without_pose() const { return without_pose_; }
  int64_t gaps() const { return gaps_; }
  double gap_s() const { return gap_s_; }
  // Frames that did not come after the one before them.
  int64_t repeated() const { return repeated_; }
  int reconnections() const { return headers_ > 0 ? headers_ - 1 : 0; }
  double audio_s() const { return audio_s_; }
  // From the first frame to the end of the last.
  double seconds() const;
  const Lateness& lateness() const { return lateness_; }

  // "90 frames, 3.00 s, audio 3.00 s, gaps 0 (0.00 s), late 0, without pose 0, reconnections 0,
  // latency ms: p50 0.2, p90 0.4, p99 1.1, max 1.2". Late: by more than `late_s`.
  std::string Summary(double late_s) const;

 private:
  Rebaser rebaser_;
  Lateness lateness_;
  uint32_t audio_rate_hz_ = 0;
  double epoch_s_ = 0;
  int headers_ = 0;
  int64_t frames_ = 0;
  int64_t without_pose_ = 0;
  int64_t gaps_ = 0;
  int64_t repeated_ = 0;
  double gap_s_ = 0;
  double audio_s_ = 0;
  double last_code_s_ = 0;
  double period_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_STREAM_STATS_H_
