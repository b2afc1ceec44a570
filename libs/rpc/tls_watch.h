// Reloads certificates while a server runs.
#ifndef POSEWIRE_LIBS_RPC_TLS_WATCH_H_
#define POSEWIRE_LIBS_RPC_TLS_WATCH_H_

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "libs/rpc/tls_files.h"

namespace posewire::rpc {

// One thread at a time. Never blocks on a file.
class TlsWatch {
 public:
  using Clock = std::chrono::steady_clock;

  explicit TlsWatch(TlsFiles files) : files_(std::move(files)) {}

  // Call for each new connection. Checks the files if the last check was a second ago or more.
  // Returns the certificates if they are new, including at the first call, and nothing if they are
  // unchanged. Returns an error of ReadTlsFiles once; the previous certificates then remain valid.
  absl::StatusOr<std::optional<TlsTexts>> Look(Clock::time_point now);

  const TlsFiles& files() const { return files_; }

 private:
  const TlsFiles files_;
  Clock::time_point looked_{};
  TlsTexts last_;
  std::string last_fault_;
};

}  // namespace posewire::rpc

#endif  // POSEWIRE_LIBS_RPC_TLS_WATCH_H_
