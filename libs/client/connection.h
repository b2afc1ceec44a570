// What push and pull clients have in common: where to connect, how to reconnect, and what to
// report.
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

// What happened to the connection. Reported on the thread that uses the client.
struct ConnectionEvent {
  enum Kind {
    kConnected,  // the server takes or sends messages
    kResumed,    // a push goes on; held_s, resent and lost_s say where
    kLost,       // the call broke; the next attempt starts in retry_in_s
    kGaveUp,
  };
  Kind kind = kConnected;
  std::string address = {}, stream_id = {};
  absl::Status why = {};
  // Nobody needs to read this one: the server was away already, or it is back and a kResumed says
  // how. So one event tells of a loss and one of the return.
  bool minor = false;
  double away_s = 0;  // kConnected, kResumed after a loss; kGaveUp
  double retry_in_s = 0;
  // kResumed: code up to which the server holds every track, how many messages were resent, and the
  // seconds after held_s that were no longer kept.
  double held_s = 0;
  // kResumed: the server did not know the request; held_s is where it would have been by now.
  bool unknown_to_server = false;
  int resent = 0;
  double lost_s = 0;
};

struct ConnectionOptions {
  std::string address = "127.0.0.1:51000";  // HOST:PORT, or any name that gRPC resolves
  ReconnectOptions reconnect = {};
  // Pings keep the connection alive and reveal a dead peer; 0: none, for servers that forbid them.
  double keep_alive_s = 10;
  size_t message_bytes = 4u << 20;
  rpc::TlsFiles tls = {};
  // Whether a client that has never been served ends when one side speaks TLS and the other plain
  // text; else it says so once and tries again.
  bool ends_on_mismatch = true;
  std::string token_file = {};  // its token is sent with every call; empty: none
  std::function<void(const ConnectionEvent&)> on_event = {};
  // Counts what these clients do; shared by those whose sums are wanted.
  std::shared_ptr<wire::Traffic> traffic = std::make_shared<wire::Traffic>();
};

// Seconds of the steady clock, used for receive times.
double SteadySeconds();
// Seconds since 1970 on the wall clock, for epochs; it may step.
double UnixSeconds();

// Fills `address`, `stream_id`, `minor` and `away_s` of the events of one client. One thread.
class ConnectionStory {
 public:
  ConnectionStory(std::string address, std::string stream_id)
      : address_(std::move(address)), stream_id_(std::move(stream_id)) {}
  // `resumes`: a kConnected that a kResumed follows, unless the call breaks first.
  ConnectionEvent Complete(ConnectionEvent event, double now_s, bool resumes = false);

 private:
  const std::string address_, stream_id_;
  std::optional<double> lost_s_;
};

// For a log: "lost the server (UNAVAILABLE: ...), next attempt in 0.2 s".
std::string Describe(const ConnectionEvent& event);

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_CONNECTION_H_
