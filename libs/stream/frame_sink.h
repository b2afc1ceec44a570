// Interface to one pull, which receives messages.
#ifndef POSEWIRE_LIBS_STREAM_FRAME_SINK_H_
#define POSEWIRE_LIBS_STREAM_FRAME_SINK_H_

#include <cstddef>

#include "absl/status/status.h"
#include "libs/wire/frame_writer.h"

namespace posewire::stream {

// Called by the producer of the messages, on its thread.
class FrameSink {
 public:
  enum class Offered { kTaken, kBehind, kFull };
  virtual ~FrameSink() = default;
  // kBehind: taken, but the next pose offered must be complete (EncodedFrame::is_sparse). kFull:
  // the consumer is too slow, and the pull must be ended.
  virtual Offered Offer(const wire::EncodedFrame& frame, double now_s) = 0;
  // The last call. Messages offered before are still written, unless `status` is
  // RESOURCE_EXHAUSTED.
  virtual void Finish(const absl::Status& status) = 0;
};

// The sink of a pull whose producer checks how far its consumer has fallen back. Thread-safe. After
// the call is over, it accepts offers and ignores them.
class PullStream : public FrameSink {
 public:
  // Number of messages that wait to be written.
  virtual size_t waiting() const = 0;
};

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_FRAME_SINK_H_
