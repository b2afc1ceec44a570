// Who may do what, by a file of tokens that is read again while the process runs.
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

// A thread looks at the file every second. What it holds counts for the calls that begin then;
// those under way stay. While it cannot be read as a whole, options.tokens_lost says whether the
// tokens before it hold or all calls are refused, and options.tokens_unusable is true. Thread-safe.
class TokenFile final : public stream::Authorizer {
 public:
  // Reads options.tokens. INVALID_ARGUMENT, with the file's name, for what TokenTable refuses; else
  // the errors of files::ReadWhole.
  static absl::StatusOr<std::shared_ptr<const TokenFile>> Open(const GrpcHostOptions& options,
                                                               const Logger& log);
  ~TokenFile() override;

  absl::StatusOr<std::string> Check(const stream::Caller& caller, absl::string_view stream_id,
                                    stream::Verb verb) const override;
  // Counted by names, over all tokens of one.
  absl::StatusOr<std::shared_ptr<const void>> Enter(const stream::Caller& caller,
                                                    stream::Verb verb) const override;

 private:
  TokenFile(const GrpcHostOptions& options, Logger log)
      : path_(options.tokens),
        deny_(options.tokens_lost == "deny"),
        unusable_(options.tokens_unusable),
        log_(std::move(log)) {}
  // Does nothing when the file says what it said before, or cannot be read for the same reason.
  absl::Status Read();
  void Watch();

  const std::string path_;
  const bool deny_;
  const std::shared_ptr<std::atomic<bool>> unusable_;
  const Logger log_;
  std::string seen_;  // what the last look came to; Open's thread, then the watching one
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;                        // guarded by mutex_
  std::shared_ptr<const TokenTable> table_;  // guarded by mutex_
  // How many calls are open, by name and verb; guarded by mutex_, the numbers by themselves.
  mutable std::map<std::pair<std::string, stream::Verb>, std::shared_ptr<std::atomic<int>>> open_;
  std::thread thread_;
};

// By options.tokens; where none is named everyone may do everything. Errors as of TokenFile.
absl::StatusOr<std::shared_ptr<const stream::Authorizer>> OpenAuthorizer(
    const GrpcHostOptions& options, const Logger& log);

// To be told when a call is let in that has a name.
void LogAdmitted(const Logger& log, absl::string_view what, const std::string& name,
                 absl::string_view stream_id, const std::string& peer);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_ACCESS_TOKEN_FILE_H_
