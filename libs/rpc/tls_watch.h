// Certificates that are read again while a server runs.
#ifndef POSEWIRE_LIBS_RPC_TLS_WATCH_H_
#define POSEWIRE_LIBS_RPC_TLS_WATCH_H_

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "libs/rpc/tls_files.h"

namespace posewire::rpc {

// One thread at a time. Never waits for a file.
class TlsWatch {
 public:
  using Clock = std::chrono::steady_clock;

  explicit TlsWatch(TlsFiles files) : files_(std::move(files)) {}

  // To be called for each connection that begins; looks at the files when the last look is a second
  // ago. Returns the certificates if they are new, at the first call too; nothing if they are not.
  // The errors of ReadTlsFiles, each once: the certificates before hold.
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
