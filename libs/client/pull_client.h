// Receives an avatar's animation data from a server, and continues over broken connections.
//
// A client is lenient (wire::ClientLimits): a message that breaks the rules is a separate event
// with its bytes, and the next one is read as if it had not come.
#ifndef POSEWIRE_LIBS_CLIENT_PULL_CLIENT_H_
#define POSEWIRE_LIBS_CLIENT_PULL_CLIENT_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "libs/client/connection.h"
#include "libs/wire/chunk.h"
#include "libs/wire/message.h"

namespace posewire::client {

struct PullOptions {
  ConnectionOptions connection;
  // stream_id is required; request_id makes the pull a window on that request.
  wire::StreamIds ids;
  std::string rig;             // x-posewire-rig; empty: not sent
  bool contributions = false;  // x-posewire-contributions: 1
  // Messages read from the network ahead of Next, but no more than 8 MiB; beyond that the server
  // feels back-pressure.
  int read_ahead = 256;
};

struct PullEvent {
  enum Kind {
    kHeader,  // a connection's first message; a second one is as that of a new connection
    kData,
    kStatus,  // a word of the server, mostly in mid-stream
    kFaulty,  // a message that breaks the rules; `why` says how
    kLost,    // the connection broke; `why` says how, the next attempt starts in retry_in_s
    kEnd,     // the server has ended the pull, or an error is final; nothing comes after it
  };
  Kind kind = kData;
  // kHeader, kData, kStatus: as the server sent it, and decoded. kFaulty: only the bytes.
  wire::Message message;
  double receive_time_s = 0;  // SteadySeconds
  int connection = 0;         // counts from 1
  // kData, first after a reconnection: time, by epoch + code, from the last data message before it
  // to this one. Negative if the server's time went back.
  std::optional<double> hole_s;
  // kFaulty, kLost, kEnd; OK: the server ended the pull in order. kHeader: not OK for a second one.
  absl::Status why;
  double retry_in_s = 0;  // kLost
  // kLost, kEnd: the last Status message of the connection, if there was one.
  std::optional<wire::StatusChunk> last_status;
};

// Lost servers are called again, and so are draining ones (UNAVAILABLE) and ones that found this
// client too slow (RESOURCE_EXHAUSTED after data had come) or had no room and said when to try
// again (grpc-retry-pushback-ms). kEnd with an error: the server refused
// (INVALID_ARGUMENT, NOT_FOUND ...; impossible ids and rigs are refused without a call), sent a
// message over ConnectionOptions::message_bytes (RESOURCE_EXHAUSTED), or was not there for
// ReconnectOptions::give_up_s.
//
// Next blocks one thread; only Cancel may come from any other.
class PullClient {
 public:
  explicit PullClient(PullOptions options);
  ~PullClient();

  // The next event; false if none comes in `timeout_s` (negative: waits for ever). After Cancel,
  // and after kEnd: kEnd with CANCELLED, or the same kEnd again. The memory of `event` is reused: a
  // steady stream into one event allocates only the bytes of each message.
  bool Next(double timeout_s, PullEvent* event);

  void Cancel();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_PULL_CLIENT_H_
