// One run of the sink: passes the events of a pull, or of pushes, to a consumer, until it has
// enough. All commands that receive a stream use this one loop.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_SESSION_SESSION_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_SESSION_SESSION_H_

#include <functional>

#include "absl/status/status.h"
#include "libs/client/pull_client.h"
#include "libs/service/logger.h"
#include "libs/wire/chunk.h"
#include "libs/wire/message.h"
#include "services/renderer_sink/core/stream_stats.h"

namespace posewire::renderer_sink {

// Processes the messages. Each is passed parsed and as its bytes, which may be kept. One thread.
class Consumer {
 public:
  virtual ~Consumer() = default;
  virtual absl::Status OnHeader(const wire::StreamHeader& header,
                                const wire::MessageBytes& bytes) = 0;
  virtual absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                              double receive_s) = 0;
  virtual absl::Status OnStatus(const wire::StatusChunk& status,
                                const wire::MessageBytes& bytes) = 0;
  // A message that violates the protocol, and how. It has been counted and logged.
  virtual absl::Status OnFaulty(const wire::MessageBytes&, const absl::Status&) {
    return absl::OkStatus();
  }
  // The connection broke; it is retried.
  virtual void OnLost(const absl::Status&) {}
  // A pull, or a pushed request, has ended: OK if in order.
  virtual void OnEnd(const absl::Status&) {}
  // Called several times a second.
  virtual absl::Status Tick(double now_s) = 0;
  virtual absl::Status Close() = 0;
};

struct SessionOptions {
  // Seconds of stream, from the first frame; 0: no limit. Also ends this long after the first frame
  // if no more frames arrive.
  double duration_s = 0;
  // Ends when the server ends the pull. Otherwise a pull that ended in order (its stream was
  // removed) is opened again.
  bool until_end = false;
  // Events are pushed: those of one request follow those of another, and a request whose source was
  // lost is followed by the next, too.
  bool pushed = false;
};

// See PullClient::Next.
using NextEvent = std::function<bool(double timeout_s, client::PullEvent* event)>;

// The pull and the clock, as functions so that tests can replace them.
struct SessionParts {
  // Opens a pull. Called again after a pull has ended. Each pushed request counts as a pull.
  std::function<NextEvent()> open;
  std::function<double()> now_s;
  std::function<bool()> stopped;
  service::Logger log;
};

// Returns OK if enough was received, or it was stopped, or the server ended the pull in order.
// Otherwise an error of the consumer, or of the server (ABORTED for a final status ERROR). Messages
// that violate the protocol are counted and logged, and do not end the run. The consumer is always
// closed.
absl::Status RunSession(const SessionOptions& options, const SessionParts& parts,
                        Consumer& consumer, StreamStats& stats);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_SESSION_SESSION_H_
