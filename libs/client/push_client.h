// Sends one request's animation data to a compositor, and carries it over broken connections.
//
// Sent messages are kept for half a minute (ResumeBuffer). When a connection breaks, a new call
// sets x-posewire-resume with the same header, the server answers with the code up to which it
// holds everything, and everything after that is resent. The server drops duplicates, so more may
// be resent than is missing, but never less.
#ifndef POSEWIRE_LIBS_CLIENT_PUSH_CLIENT_H_
#define POSEWIRE_LIBS_CLIENT_PUSH_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/client/connection.h"
#include "libs/wire/chunk.h"
#include "libs/wire/message.h"

namespace posewire::client {

struct PushOptions {
  ConnectionOptions connection;
  // Metadata of the call; empty: not sent.
  std::string mode;         // x-posewire-mode: stall, live
  std::string prebuffer_s;  // x-posewire-prebuffer-s
  std::string policy;       // x-posewire-policy: queue, interrupt
  std::string traceparent;  // traceparent, of W3C Trace Context; as of stream::CheckTraceparent
  // How much is kept for resending after a broken connection, and 8 MiB in any case; see
  // ResumeBuffer.
  double keep_s = 30;
  // How long a resumed call waits for the server to say what it holds.
  double resume_wait_s = 3;
};

// Follows the stream rules for a push: header first, metadata x-stream-id if metadata can carry the
// id, and after a broken connection the mark x-posewire-resume with the same header, then
// everything after the code in the server's x-posewire-held-s. A server that does not know the
// request (it restarted) gets everything after the point that playback had reached when the
// connection broke.
//
// Its methods block one thread; only Cancel may come from any other, and ends them with CANCELLED.
// A connection is made when the first message is sent.
class PushClient {
 public:
  PushClient(PushOptions options, const wire::StreamHeader& header);
  // Cancels anything that has not ended.
  ~PushClient();

  // Sends one message, data or a status, waiting while the server does not read (back-pressure) and
  // during reconnections. INVALID_ARGUMENT, without a call: ids that no stream may have, or
  // metadata that is not printable ASCII. True: accepted. False: the server has already answered
  // (the request was stopped); Finish returns the answer. A server that has no room and says when
  // to try again (grpc-retry-pushback-ms) is called again then, with all of what it refused.
  // Other errors are final: the status with which the server ended the request; UNAVAILABLE after
  // ReconnectOptions::give_up_s; ALREADY_EXISTS if the request was over by the time it was resumed;
  // RESOURCE_EXHAUSTED for a message over the limit, which is not sent and ends nothing. The bytes
  // are kept and sent as they are, not copied. A stream should end with a status, and may have
  // others in between.
  absl::StatusOr<bool> Send(const wire::Message& message);

  // Half-closes and waits for the answer. If the connection broke after the half-close and the
  // server says on resuming that the request is over, the answer is INFO and says so.
  absl::StatusOr<wire::StatusChunk> Finish();

  void Cancel();

  struct Counters {
    int connections = 0;
    int resent_messages = 0;
    double lost_s = 0;
    uint64_t messages = 0;
    uint64_t bytes = 0;
  };
  const Counters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_PUSH_CLIENT_H_
