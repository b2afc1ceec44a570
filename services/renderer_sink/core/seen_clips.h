// What the frames of a live film are made of (wire::Contributions), on the film's line: they come
// before their pictures are drawn.
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
  // What waits at once, as it came; what comes when there is no room is left out, and left_out
  // counts it.
  static constexpr size_t kMostFrames = 2048, kMost_bytes = 4 << 20;

  // Whether it says what its frame is made of.
  static bool IsSaid(const wire::DataChunk& data);
  // What the data says of the frame that is shown at `at_s`: of one that says nothing, none. False:
  // no room.
  bool Add(double at_s, const wire::DataChunk& data);
  // Those of the frame nearest to `at_s`, which rises from call to call; of times before the first
  // one, and before any has come: none.
  const wire::Contributions& By(double at_s);
  // Frames for which there was no room.
  int64_t left_out() const { return left_out_; }

 private:
  struct Entry {
    double at_s = 0;
    wire::MetadataEntry said;  // empty: nothing
  };
  std::deque<Entry> waiting_;
  size_t bytes_ = 0;
  int64_t left_out_ = 0;
  double shown_s_ = 0;
  wire::Contributions shown_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_SEEN_CLIPS_H_
