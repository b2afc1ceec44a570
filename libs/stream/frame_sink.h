// Where the messages of one pull go.
#ifndef POSEWIRE_LIBS_STREAM_FRAME_SINK_H_
#define POSEWIRE_LIBS_STREAM_FRAME_SINK_H_

#include <cstddef>

#include "absl/status/status.h"
#include "libs/wire/frame_writer.h"

namespace posewire::stream {

// Called by whoever makes the messages, on its thread.
class FrameSink {
 public:
  enum class Offered { kTaken, kFull };
  virtual ~FrameSink() = default;
  // kFull: the consumer is hopelessly slow, and the pull is to be ended.
  virtual Offered Offer(const wire::EncodedFrame& frame, double now_s) = 0;
  // The last call. What was offered is still written first, unless `status` is RESOURCE_EXHAUSTED.
  virtual void Finish(const absl::Status& status) = 0;
};

// The sink of a pull whose maker looks how far behind its consumer is. Thread-safe. Once the call
// is over it takes what it is offered, and does nothing.
class PullStream : public FrameSink {
 public:
  // Messages that wait to be written.
  virtual size_t waiting() const = 0;
};

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_FRAME_SINK_H_
