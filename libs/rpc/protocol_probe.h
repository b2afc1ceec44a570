// Detects which protocol a server uses, for errors that name the wrong setting. gRPC reports
// "Socket closed" both when a plain-text call reaches a TLS server and when the network is bad.
#ifndef POSEWIRE_LIBS_RPC_PROTOCOL_PROBE_H_
#define POSEWIRE_LIBS_RPC_PROTOCOL_PROBE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posewire::rpc {

enum class Protocol { kUnknown, kTls, kHttp2, kHttp1 };

// Connects to HOST:PORT, [V6]:PORT or unix:PATH, begins a TLS handshake, and examines the first
// bytes of the answer, which come before any certificate is requested. kUnknown if none arrive in
// time, and for addresses of other forms. Blocks for at most `timeout_s`, plus the time to look up
// the name. Any thread.
Protocol ProbeProtocol(absl::string_view address, double timeout_s);

// Explains why a call that failed with `status` can never reach the server at `address`, and which
// setting to change. Empty if the protocol is right or unknown. `by_tls`: the call used TLS. Probes
// only after failures that a wrong protocol can cause, for at most 0.5 s.
std::string ProtocolMismatch(absl::string_view address, bool by_tls, const absl::Status& status);

}  // namespace posewire::rpc

#endif  // POSEWIRE_LIBS_RPC_PROTOCOL_PROBE_H_
