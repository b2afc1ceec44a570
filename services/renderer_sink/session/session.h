// One run of the sink: what comes from a pull, or is pushed, goes to a consumer, until it is
// enough. Recordings, lines, marionettes and pages all hang on this one loop.
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

// What is done with the messages. Each comes as what it says, and as its own bytes, which may be
// kept. One thread.
class Consumer {
 public:
  virtual ~Consumer() = default;
  virtual absl::Status OnHeader(const wire::StreamHeader& header,
                                const wire::MessageBytes& bytes) = 0;
  virtual absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                              double receive_s) = 0;
  virtual absl::Status OnStatus(const wire::StatusChunk& status,
                                const wire::MessageBytes& bytes) = 0;
  // A message that breaks the rules, and how; it has been counted and told.
  virtual absl::Status OnFaulty(const wire::MessageBytes&, const absl::Status&) {
    return absl::OkStatus();
  }
  // The connection broke; it is tried again.
  virtual void OnLost(const absl::Status&) {}
  // A pull, or a request that was pushed, is over: OK in order.
  virtual void OnEnd(const absl::Status&) {}
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

// As of PullClient::Next.
using NextEvent = std::function<bool(double timeout_s, client::PullEvent* event)>;

// The pull and the clock come in as functions, for tests.
struct SessionParts {
  // Opens a pull. Called again after a pull has ended. Of pushes each request is a pull.
  std::function<NextEvent()> open;
  std::function<double()> now_s;
  std::function<bool()> stopped;
  service::Logger log;
};

// OK: enough came, or it was told to stop, or the server ended the pull in order. An error: of the
// consumer, or of the server (ABORTED for a final Status ERROR). Messages that break the rules are
// counted, and told in the log, and end nothing. The consumer is closed in any case.
absl::Status RunSession(const SessionOptions& options, const SessionParts& parts,
                        Consumer& consumer, StreamStats& stats);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_SESSION_SESSION_H_
