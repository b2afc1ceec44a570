// Finds out which protocol a server speaks, for an error that says which setting is wrong: gRPC
// says "Socket closed" alike when a call in plain text meets a TLS server, and when a network is
// bad.
#ifndef POSEWIRE_LIBS_RPC_PROTOCOL_PROBE_H_
#define POSEWIRE_LIBS_RPC_PROTOCOL_PROBE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posewire::rpc {

enum class Protocol { kUnknown, kTls, kHttp2, kHttp1 };

// Connects to HOST:PORT, [V6]:PORT or unix:PATH, begins a TLS handshake and judges the first bytes
// that come back, before any certificate is asked for. kUnknown when none come in time, and for
// addresses of other forms. Blocks for at most `timeout_s`, and while the system looks up the name.
// Any thread.
Protocol ProbeProtocol(absl::string_view address, double timeout_s);

// Why a call that failed with `status` can never reach the server at `address`, and which setting
// changes that; empty when the protocol is right or not known. `by_tls`: how it was called. Probes
// only after a failure that a wrong protocol may have, for at most 0.5 s.
std::string ProtocolMismatch(absl::string_view address, bool by_tls, const absl::Status& status);

}  // namespace posewire::rpc

#endif  // POSEWIRE_LIBS_RPC_PROTOCOL_PROBE_H_
