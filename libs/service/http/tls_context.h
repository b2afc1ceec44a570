// The certificates with which an HTTP server uses TLS. Internal to libs/service.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_TLS_CONTEXT_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_TLS_CONTEXT_H_

#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <memory>

#include "absl/status/statusor.h"
#include "libs/rpc/tls_watch.h"
#include "libs/service/logger.h"

namespace posewire::service::internal {

// Reloads the files when they have changed, so that they can be renewed while connections exist. If
// new files are invalid, the previous ones are kept, and the log reports why. One thread at a time.
class TlsContext {
 public:
  using Clock = std::chrono::steady_clock;

  // Errors: those of CheckTlsFiles. `files` must have a certificate.
  static absl::StatusOr<std::unique_ptr<TlsContext>> Open(rpc::TlsFiles files, Logger log);

  // Returns the context for a connection that begins at `now`. Checks the files if the last check
  // was a second ago or more.
  boost::asio::ssl::context& At(Clock::time_point now);

 private:
  TlsContext(rpc::TlsFiles files, Logger log) : watch_(std::move(files)), log_(std::move(log)) {}
  absl::Status Look(Clock::time_point now);
  absl::Status Make(const rpc::TlsTexts& texts);

  rpc::TlsWatch watch_;
  const Logger log_;
  std::unique_ptr<boost::asio::ssl::context> context_;
};

}  // namespace posewire::service::internal

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_TLS_CONTEXT_H_
