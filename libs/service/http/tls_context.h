// The certificates by which an HTTP server speaks TLS. Internal to libs/service.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_TLS_CONTEXT_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_TLS_CONTEXT_H_

#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <memory>

#include "absl/status/statusor.h"
#include "libs/rpc/tls_watch.h"
#include "libs/service/logger.h"

namespace posewire::service::internal {

// Reads the files again when they have changed, so that they may be renewed while connections stay.
// While what is there does not fit, what was there before holds, and the log says why. Of one
// thread at a time.
class TlsContext {
 public:
  using Clock = std::chrono::steady_clock;

  // Errors: those of CheckTlsFiles. `files` has a certificate.
  static absl::StatusOr<std::unique_ptr<TlsContext>> Open(rpc::TlsFiles files, Logger log);

  // For a connection that begins at `now`. Looks at the files when the last look is a second ago.
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
