// Sends one request's animation data to a compositor, and continues after broken connections.
//
// Sent messages are stored for half a minute (ResumeBuffer). If a connection breaks, a new call
// sets x-posewire-resume with the same header, the server answers with the time code up to which it
// has everything, and all later messages are resent. The server drops duplicates, so more may be
// resent than is missing, but never less.
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
  std::string traceparent;  // traceparent (W3C Trace Context); see stream::CheckTraceparent
  // Sent messages are stored for resending: the last `keep_s` seconds or the last 8 MiB, whichever
  // is more. See ResumeBuffer.
  double keep_s = 30;
  // How long a resumed call waits for the server to report what it has received.
  double resume_wait_s = 3;
};

// Follows the stream rules for a push: header first, metadata x-stream-id if metadata can carry the
// id, and after a broken connection x-posewire-resume with the same header, then everything after
// the time code in the server's x-posewire-held-s. If the server does not know the request (it
// restarted), sends everything after the position that playback had reached when the connection
// broke.
//
// One thread, which the methods may block. Only Cancel may be called on other threads; it ends the
// blocked method with CANCELLED. The connection is opened when the first message is sent.
class PushClient {
 public:
  PushClient(PushOptions options, const wire::StreamHeader& header);
  // Cancels anything that has not ended.
  ~PushClient();

  // Sends one message, data or a status. Waits while the server does not read (back-pressure) and
  // during reconnections. Returns true if the message was accepted, and false if the server has
  // already answered (the request was stopped); Finish then returns the answer.
  //
  // If a server has no room and sends a retry delay (grpc-retry-pushback-ms), calls it again after
  // that, with all messages that it rejected. Other errors are final: INVALID_ARGUMENT, without a
  // call, for invalid ids, or metadata that is not printable ASCII; the status with which the
  // server ended the request; UNAVAILABLE after ReconnectOptions::give_up_s; ALREADY_EXISTS if the
  // request was over before it was resumed. RESOURCE_EXHAUSTED for a message over the limit, which
  // is not sent; the push continues.
  //
  // The bytes are stored and sent without a copy. A stream should end with a status, and may have
  // others before.
  absl::StatusOr<bool> Send(const wire::Message& message);

  // Half-closes and waits for the answer. If the connection broke after the half-close and the
  // server reports on resuming that the request is over, returns an INFO answer that says so.
  absl::StatusOr<wire::StatusChunk> Finish();

  void Cancel();

  struct Counters {
    int connections = 0;
    int resent_messages = 0;
    double lost_s = 0;  // seconds that were no longer stored when calls resumed
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
