// Receives an avatar's animation data from a server, and reconnects after broken connections.
//
// The client is lenient (wire::ClientLimits): a message that breaks the rules is reported as a
// separate event with its bytes, and the next message is read as if it had not come.
#ifndef POSEWIRE_LIBS_CLIENT_PULL_CLIENT_H_
#define POSEWIRE_LIBS_CLIENT_PULL_CLIENT_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "libs/client/connection.h"
#include "libs/wire/chunk.h"
#include "libs/wire/message.h"
#include "libs/wire/sparse_pose.h"

namespace posewire::client {

struct PullOptions {
  ConnectionOptions connection;
  // stream_id is required; with a request_id, the pull is a window on that request.
  wire::StreamIds ids;
  std::string rig;             // x-posewire-rig; empty: not sent
  bool contributions = false;  // x-posewire-contributions: 1
  // x-posewire-sparse. Frames are completed: poses are within the tolerance of sparse_pose.h.
  wire::PoseForm form = wire::PoseForm::kComplete;
  // Messages read from the network ahead of Next, at most 8 MiB; beyond that the server feels
  // back-pressure.
  int read_ahead = 256;
};

struct PullEvent {
  enum Kind {
    kHeader,  // a connection's first message; a second header counts as a new connection's
    kData,
    kStatus,  // a status of the server, usually in mid-stream
    kFaulty,  // a message that breaks the rules; see `why`
    kLost,    // the connection broke; see `why`, the next attempt is in retry_in_s
    kEnd,     // the server has ended the pull, or an error is final; the last event
  };
  Kind kind = kData;
  // kHeader, kData, kStatus: the message as sent (completed if frames are sparse), and decoded.
  // kFaulty: only the bytes.
  wire::Message message;
  double receive_time_s = 0;  // SteadySeconds
  int connection = 0;         // counts from 1
  // kData, the first after a reconnection: the time, by epoch + time code, from the last data
  // message before it to this one. Negative if the server's time went back.
  std::optional<double> gap_s;
  // kFaulty, kLost, kEnd: the reason; OK if the server ended the pull normally. kHeader: not OK for
  // a second one.
  absl::Status why;
  double retry_in_s = 0;  // kLost
  // kLost, kEnd: the last Status message of the connection, if there was one.
  std::optional<wire::StatusChunk> last_status;
};

// Reconnects after lost connections, and to servers that drain (UNAVAILABLE), that found this
// client too slow (RESOURCE_EXHAUSTED after data had come), or that had no room and sent a retry
// delay (grpc-retry-pushback-ms). kEnd with an error: the server rejected the pull
// (INVALID_ARGUMENT, NOT_FOUND ...; invalid ids and rigs are rejected without a call), sent a
// message over ConnectionOptions::message_bytes (RESOURCE_EXHAUSTED), or was unreachable for
// ReconnectOptions::give_up_s.
//
// Next blocks one thread; only Cancel may be called on any other.
class PullClient {
 public:
  explicit PullClient(PullOptions options);
  ~PullClient();

  // Waits for the next event. Returns false if none comes within `timeout_s` (negative: no limit).
  // After Cancel returns kEnd with CANCELLED, and after kEnd the same kEnd again. The memory of
  // `event` is reused: a steady stream into one event allocates only the bytes of each message.
  bool Next(double timeout_s, PullEvent* event);

  void Cancel();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_PULL_CLIENT_H_
