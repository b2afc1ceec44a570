// Permissions from a file of tokens, which is reloaded while the process runs.
#ifndef POSEWIRE_LIBS_SERVICE_ACCESS_TOKEN_FILE_H_
#define POSEWIRE_LIBS_SERVICE_ACCESS_TOKEN_FILE_H_

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "libs/service/access/token_table.h"
#include "libs/service/grpc_host.h"
#include "libs/service/logger.h"
#include "libs/stream/access.h"

namespace posewire::service {

// A thread checks the file every second. Its contents apply to calls that begin afterwards; calls
// in progress continue. While the file cannot be read completely, options.tokens_lost decides
// whether the previous tokens apply or all calls are rejected, and options.tokens_unusable is true.
// Thread-safe.
class TokenFile final : public stream::Authorizer {
 public:
  // Reads options.tokens. INVALID_ARGUMENT, with the file's name, if TokenTable rejects the
  // contents; otherwise the errors of files::ReadWhole.
  static absl::StatusOr<std::shared_ptr<const TokenFile>> Open(const GrpcHostOptions& options,
                                                               const Logger& log);
  ~TokenFile() override;

  absl::StatusOr<std::string> Check(const stream::Caller& caller, absl::string_view stream_id,
                                    stream::Permission permission) const override;
  // Counted per name, over all tokens of that name.
  absl::StatusOr<std::shared_ptr<const void>> Enter(const stream::Caller& caller,
                                                    stream::Permission permission) const override;

 private:
  TokenFile(const GrpcHostOptions& options, Logger log)
      : path_(options.tokens),
        deny_(options.tokens_lost == "deny"),
        unusable_(options.tokens_unusable),
        log_(std::move(log)) {}
  // Does nothing if the file has the same contents as before, or cannot be read for the same reason
  // as before.
  absl::Status Read();
  void Watch();

  const std::string path_;
  const bool deny_;
  const std::shared_ptr<std::atomic<bool>> unusable_;
  const Logger log_;
  std::string seen_;  // result of the last check; used by Open's thread, then by the watching
                      // thread
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;                        // guarded by mutex_
  std::shared_ptr<const TokenTable> table_;  // guarded by mutex_
  // Number of open calls, by name and permission. The map is guarded by mutex_; the numbers are
  // atomic.
  mutable std::map<std::pair<std::string, stream::Permission>, std::shared_ptr<std::atomic<int>>>
      open_;
  std::thread thread_;
};

// Returns the authorizer for options.tokens; if no file is named, every caller may do everything.
// Errors: see TokenFile.
absl::StatusOr<std::shared_ptr<const stream::Authorizer>> OpenAuthorizer(
    const GrpcHostOptions& options, const Logger& log);

// Logs that a call of a named caller was admitted.
void LogAdmitted(const Logger& log, absl::string_view what, const std::string& name,
                 absl::string_view stream_id, const std::string& peer);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_ACCESS_TOKEN_FILE_H_
