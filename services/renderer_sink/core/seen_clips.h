// Buffers which clips the frames of a live film are made from (wire::Contributions), by the film's
// time, until their pictures are drawn.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_SEEN_CLIPS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_SEEN_CLIPS_H_

#include <cstddef>
#include <cstdint>
#include <deque>

#include "libs/wire/chunk.h"
#include "libs/wire/contributions.h"

namespace posewire::renderer_sink {

// Times are seconds of the film. One thread.
class SeenClips {
 public:
  // Capacity of the buffer. Frames that do not fit are dropped and counted by left_out.
  static constexpr size_t kMostFrames = 2048, kMost_bytes = 4 << 20;

  // Returns true if the data includes contributions.
  static bool IsSaid(const wire::DataChunk& data);
  // Adds the contributions of the frame that is shown at `at_s`, or none if the data has none.
  // Returns false if the buffer is full.
  bool Add(double at_s, const wire::DataChunk& data);
  // Returns the contributions of the frame nearest to `at_s`, which must not decrease. Empty before
  // the first frame.
  const wire::Contributions& By(double at_s);
  // Number of frames dropped because the buffer was full.
  int64_t left_out() const { return left_out_; }

 private:
  struct Entry {
    double at_s = 0;
    wire::MetadataEntry said;  // empty: no contributions
  };
  std::deque<Entry> waiting_;
  size_t bytes_ = 0;
  int64_t left_out_ = 0;
  double shown_s_ = 0;
  wire::Contributions shown_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_SEEN_CLIPS_H_
