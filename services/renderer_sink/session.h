// One run of the sink: what comes from a pull goes to a consumer, until it is enough.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_SESSION_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_SESSION_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "libs/client/pull_client.h"
#include "libs/service/logger.h"
#include "services/renderer_sink/core/stream_stats.h"

namespace posewire::renderer_sink {

// What is done with the messages. One thread.
class Consumer {
 public:
  using Message = nvidia_ace::animation_data::v1::AnimationDataStream;

  virtual ~Consumer() = default;
  virtual absl::Status OnHeader(const Message& message) = 0;
  virtual absl::Status OnData(Message message, double receive_s) = 0;
  virtual absl::Status OnStatus(const Message& message) = 0;
  // Called several times a second.
  virtual absl::Status Tick(double now_s) = 0;
  virtual absl::Status Close() = 0;
};

struct SessionOptions {
  // Seconds of stream, from the first frame; 0: no limit. Also ends so long after the first frame
  // when no frames come any more.
  double duration_s = 0;
  // Ends when the server ends the pull. Otherwise a pull that ended in order (its stream was
  // removed) is opened again.
  bool until_end = false;
  // What comes is pushed: the events of one request follow those of another, and one whose source
  // was lost is followed by the next, too.
  bool pushed = false;
};

// The pull and the clock come in as functions, for tests.
struct SessionParts {
  // Opens a pull: gives its events as PullClient::Next does. Called again after a pull has ended.
  // Of pushes each request is a pull.
  std::function<std::function<std::optional<client::PullEvent>(double timeout_s)>()> open;
  std::function<double()> now_s;
  std::function<bool()> stopped;
  service::Logger log;
};

// OK: enough came, or it was told to stop, or the server ended the pull in order. An error: of the
// consumer, or of the server (ABORTED for a final Status ERROR). The consumer is closed in any
// case.
absl::Status RunSession(const SessionOptions& options, const SessionParts& parts,
                        Consumer& consumer, StreamStats& stats);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_SESSION_H_
