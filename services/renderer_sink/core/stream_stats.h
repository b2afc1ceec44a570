// Statistics of a pull: frames, gaps, lateness.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_STREAM_STATS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_STREAM_STATS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "libs/wire/chunk.h"
#include "libs/wire/traffic.h"
#include "services/renderer_sink/core/lateness.h"
#include "services/renderer_sink/core/time_code_shifter.h"

namespace posewire::renderer_sink {

// A frame is a time code with any data; a message may have several, or a part of one. A gap is a
// step between frames of more than one and a half frame periods; the period is the smallest step so
// far. One thread.
class StreamStats {
 public:
  // `pushed`: each header begins a request, and the time between two requests is not a gap.
  // `traffic` is updated too, and must outlive this.
  explicit StreamStats(bool pushed = false, wire::Traffic* traffic = nullptr)
      : pushed_(pushed), traffic_(traffic) {
    newest_s_.fill(-1);
  }

  void OnHeader(const wire::StreamHeader& header);
  // Returns the position of the message's first frame on the time line that begins at 0; nothing
  // for a message without time codes.
  std::optional<TimeCodeShifter::Place> OnData(const wire::DataChunk& data, double receive_s);
  void OnFaulty();

  int64_t frames() const { return frames_; }
  int64_t frames_without_pose() const { return without_pose_; }
  int64_t gaps() const { return gaps_; }
  double gap_s() const { return gap_s_; }
  // Messages with keys that do not come after earlier keys of their track.
  int64_t repeated() const { return repeated_; }
  // Jumps of time codes that were closed (TimeCodeShifter).
  int64_t jumps() const { return jumps_; }
  // Messages that violate the protocol.
  int64_t faulty() const { return faulty_; }
  // Returns true once a header, or a message that violates the protocol, has arrived.
  bool began() const { return headers_ > 0 || faulty_ > 0; }
  int reconnections() const { return pushed_ || headers_ == 0 ? 0 : headers_ - 1; }
  double audio_s() const { return audio_s_; }
  // From the beginning of the first frame to the end of the last.
  double seconds() const;
  const Lateness& lateness() const { return lateness_; }

  // "90 frames, 3.00 s, audio 3.00 s, gaps 0 (0.00 s), late 0, without pose 0, reconnections 0,
  // latency ms: p50 0.2, p90 0.4, p99 1.1, max 1.2". Late: by more than `late_s`. For pushes:
  // "requests 3" instead of reconnections. If there were any, before the latency: "repeated time
  // codes 2, jumps 1 (400.00 s left out), faulty messages 3".
  std::string Summary(double late_s) const;

 private:
  bool IsRepeated(const wire::DataChunk& data, const TimeCodeShifter::Place& place);
  void OnFrame(double time_code_s, bool behind_hole);

  const bool pushed_;
  wire::Traffic* const traffic_;
  TimeCodeShifter shifter_;
  Lateness lateness_;
  int audio_rate_hz_ = 0;
  double epoch_s_ = 0;
  int headers_ = 0;
  int64_t frames_ = 0;
  int64_t without_pose_ = 0;
  int64_t gaps_ = 0;
  int64_t repeated_ = 0;
  int64_t faulty_ = 0;
  int64_t jumps_ = 0;
  double jumped_s_ = 0;
  // Newest time code of each track.
  std::array<double, size_t{wire::kPoseTracks} + size_t{wire::kCameraTracks}> newest_s_;
  double gap_s_ = 0;
  double audio_s_ = 0;
  double last_code_s_ = 0;
  double period_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_STREAM_STATS_H_
