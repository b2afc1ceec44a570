// Options and events that push and pull clients share: where to connect, how to reconnect, and
// connection reports.
#ifndef POSEWIRE_LIBS_CLIENT_CONNECTION_H_
#define POSEWIRE_LIBS_CLIENT_CONNECTION_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "libs/client/reconnector.h"
#include "libs/rpc/tls_files.h"
#include "libs/wire/traffic.h"

namespace posewire::client {

// A change of the connection. Reported on the thread that uses the client.
struct ConnectionEvent {
  enum Kind {
    kConnected,  // the server receives or sends messages
    kResumed,    // a push continues; see received_until_s, resent and lost_s
    kLost,       // the call broke; the next attempt is in retry_in_s
    kGaveUp,
  };
  Kind kind = kConnected;
  std::string address = {}, stream_id = {};
  absl::Status why = {};
  // This event can be omitted from a log: either the server was already away, or it is back and a
  // kResumed event follows. The remaining events are one per loss and one per return.
  bool minor = false;
  double away_s = 0;  // kConnected, kResumed after a loss; kGaveUp: duration of the loss
  double retry_in_s = 0;
  // kResumed: time code up to which the server has every track, how many messages were resent, and
  // the seconds after received_until_s that were no longer stored.
  double received_until_s = 0;
  // kResumed: the server did not know the request; received_until_s is the position that it would
  // have reached by now.
  bool unknown_to_server = false;
  int resent = 0;
  double lost_s = 0;
};

struct ConnectionOptions {
  std::string address = "127.0.0.1:51000";  // HOST:PORT, or any name that gRPC resolves
  ReconnectOptions reconnect = {};
  // Interval of pings, which keep the connection alive and reveal a dead peer. 0: none, for servers
  // that forbid them.
  double keep_alive_s = 10;
  size_t message_bytes = 4u << 20;
  rpc::TlsFiles tls = {};
  // If one side uses TLS and the other plain text: whether a client that has never been served
  // ends, or reports it once and retries.
  bool ends_on_mismatch = true;
  std::string token_file = {};  // its token is sent with every call; empty: none
  std::function<void(const ConnectionEvent&)> on_event = {};
  // Counts messages of all clients that share it.
  std::shared_ptr<wire::Traffic> traffic = std::make_shared<wire::Traffic>();
};

// Seconds of the steady clock, used for receive times.
double SteadySeconds();
// Seconds since 1970 on the wall clock, for epochs. It may jump.
double UnixSeconds();

// Fills `address`, `stream_id`, `minor` and `away_s` in the events of one client. One thread.
class ConnectionStory {
 public:
  ConnectionStory(std::string address, std::string stream_id)
      : address_(std::move(address)), stream_id_(std::move(stream_id)) {}
  // `resumes`: this kConnected is followed by a kResumed, unless the call breaks first.
  ConnectionEvent Complete(ConnectionEvent event, double now_s, bool resumes = false);

 private:
  const std::string address_, stream_id_;
  std::optional<double> lost_s_;
};

// Text for a log: "lost the server (UNAVAILABLE: ...), next attempt in 0.2 s".
std::string Describe(const ConnectionEvent& event);

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_CONNECTION_H_
