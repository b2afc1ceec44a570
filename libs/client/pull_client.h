// Receives an avatar's animation data from a compositor, and goes on over broken connections.
#ifndef POSEWIRE_LIBS_CLIENT_PULL_CLIENT_H_
#define POSEWIRE_LIBS_CLIENT_PULL_CLIENT_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "libs/client/connection.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "nvidia_ace.animation_id.v1.pb.h"
#include "nvidia_ace.status.v1.pb.h"

namespace posewire::client {

struct PullOptions {
  ConnectionOptions connection;
  // stream_id is needed; request_id makes the pull a window on that request.
  nvidia_ace::animation_id::v1::AnimationIds ids;
  std::string rig;  // x-posewire-rig; empty: not sent
  // Messages that are taken from the network ahead of Next; then the server feels back-pressure.
  int read_ahead = 256;
};

struct PullEvent {
  enum Kind {
    kHeader,  // a connection's first message
    kData,
    kStatus,  // a word of the server in mid-stream
    kLost,    // the connection broke; `why` says how, the next attempt starts in retry_in_s
    kEnd,     // the server has ended the pull, or an error is final; nothing comes after it
  };
  Kind kind = kData;
  // kHeader, kData, kStatus: with every field that the server sent, known or not.
  nvidia_ace::animation_data::v1::AnimationDataStream message;
  double receive_time_s = 0;  // SteadySeconds
  int connection = 0;         // counts from 1
  // kData, first after a reconnection: time, by epoch + code, from the last data message before it
  // to this one. Negative when the server's time went back.
  std::optional<double> hole_s;
  absl::Status why;       // kLost, kEnd; OK: the server ended the pull in order
  double retry_in_s = 0;  // kLost
  // kLost, kEnd: the last Status message of the connection, if there was one.
  std::optional<nvidia_ace::status::v1::Status> last_status;
};

// Lost servers are called again, and so are draining ones (UNAVAILABLE) and ones that found this
// client too slow (RESOURCE_EXHAUSTED after data had come). kEnd with an error: the server refused
// (INVALID_ARGUMENT, NOT_FOUND ...; ids and rigs that cannot be are refused without a call), sent
// something that is no message of this protocol (INTERNAL), or was not there for
// ReconnectOptions::give_up_s.
//
// Next blocks one thread; only Cancel may come from any other.
class PullClient {
 public:
  explicit PullClient(PullOptions options);
  ~PullClient();

  // The next event; nothing when none comes in `timeout_s` (negative: waits for ever). After
  // Cancel, and after kEnd: kEnd with CANCELLED, or the same kEnd again.
  std::optional<PullEvent> Next(double timeout_s);

  void Cancel();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_PULL_CLIENT_H_
