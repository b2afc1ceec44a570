// What push and pull clients have in common: where to connect, how to reconnect, and what to
// report.
#ifndef POSEWIRE_LIBS_CLIENT_CONNECTION_H_
#define POSEWIRE_LIBS_CLIENT_CONNECTION_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "libs/client/reconnector.h"
#include "libs/rpc/tls_files.h"

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
  absl::Status why = {};
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
  double keep_alive_timeout_s = 4;
  double connect_timeout_s = 2;
  size_t message_bytes = 4u << 20;
  rpc::TlsFiles tls = {};
  std::function<void(const ConnectionEvent&)> on_event = {};
};

// Seconds of the steady clock, used for receive times.
double SteadySeconds();
// Seconds since 1970 on the wall clock, for epochs; it may step.
double UnixSeconds();

// One line for a log: "lost the server (UNAVAILABLE: ...), next attempt in 0.2 s".
std::string Describe(const ConnectionEvent& event);

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_CONNECTION_H_
