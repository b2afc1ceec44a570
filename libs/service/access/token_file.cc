#include "libs/service/access/token_file.h"

#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "libs/files/read.h"
#include "libs/service/catch_exceptions.h"
#include "libs/stream/busy.h"

namespace posewire::service {
namespace {

constexpr std::chrono::seconds kLookEvery{1};
constexpr size_t kMostBytes = 1 << 20;
constexpr size_t kMostCounted = 4 * kMostTokens;

}  // namespace

absl::StatusOr<std::shared_ptr<const TokenFile>> TokenFile::Open(const GrpcHostOptions& options,
                                                                 const Logger& log) {
  std::shared_ptr<TokenFile> file(new TokenFile(options, log));
  if (absl::Status s = file->Read(); !s.ok()) return s;
  file->thread_ = std::thread(
      [of = file.get()] { CatchExceptionsInLoop(of->log_, "token file", [of] { of->Watch(); }); });
  return file;
}

TokenFile::~TokenFile() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

absl::Status TokenFile::Read() {
  const auto text = files::ReadWhole(path_, kMostBytes);
  // Hash of the contents or of the error, so that each is reported once. The text itself is not
  // stored.
  const stream::TokenHash hash = HashOf(text.ok() ? *text : text.status().message());
  std::string seen(hash.begin(), hash.end());
  if (seen == seen_) return absl::OkStatus();
  seen_ = std::move(seen);
  absl::StatusOr<TokenTable> table =
      text.ok() ? TokenTable::Parse(*text) : absl::StatusOr<TokenTable>(text.status());
  if (!table.ok()) {
    *unusable_ = true;
    if (!text.ok()) return text.status();
    return absl::InvalidArgumentError(absl::StrCat(path_, ": ", table.status().message()));
  }
  log_.Info("tokens read", {{"file", path_}, {"tokens", table->size()}});
  auto shared = std::make_shared<const TokenTable>(*std::move(table));
  std::lock_guard lock(mutex_);
  table_.swap(shared);
  *unusable_ = false;
  return absl::OkStatus();
}

void TokenFile::Watch() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kLookEvery, [this] { return stop_; })) {
    lock.unlock();
    if (const absl::Status s = Read(); !s.ok()) {
      log_.Error(deny_ ? "the token file cannot be used; calls that need a token are refused"
                       : "the token file cannot be used; the previous tokens stay valid",
                 {{"why", s.message()}});
    }
    lock.lock();
  }
}

absl::StatusOr<std::string> TokenFile::Check(const stream::Caller& caller,
                                             absl::string_view stream_id,
                                             stream::Permission permission) const {
  if (deny_ && *unusable_) {
    return absl::UnavailableError(
        "this server cannot read its tokens, and refuses all calls that need one; its log says "
        "why");
  }
  std::shared_ptr<const TokenTable> table;
  {
    std::lock_guard lock(mutex_);
    table = table_;
  }
  return table->Check(caller, stream_id, permission, absl::Now());
}

absl::StatusOr<std::shared_ptr<const void>> TokenFile::Enter(const stream::Caller& caller,
                                                             stream::Permission permission) const {
  std::lock_guard lock(mutex_);
  const std::optional<TokenTable::Quota> quota = table_->QuotaOf(caller, permission);
  if (!quota) return std::shared_ptr<const void>();
  if (open_.size() >= kMostCounted) {  // names that are no longer in the file
    std::erase_if(open_, [](const auto& entry) { return *entry.second == 0; });
  }
  auto& count = open_[{quota->name, permission}];
  if (count == nullptr) count = std::make_shared<std::atomic<int>>(0);
  if (*count >= quota->most) {
    const char* const calls = permission == stream::Permission::kPush ? "pushes" : "pulls";
    return stream::BusyError(absl::StrCat(
        "the token of ", quota->name, " may have ", quota->most, " open ", calls, " (", calls,
        "= in the file of --tokens), and has ", count->load(), "; try again later"));
  }
  ++*count;
  return std::shared_ptr<const void>(count.get(), [count](const void*) { --*count; });
}

absl::StatusOr<std::shared_ptr<const stream::Authorizer>> OpenAuthorizer(
    const GrpcHostOptions& options, const Logger& log) {
  if (options.tokens.empty()) return std::make_shared<const stream::AllowAll>();
  if (options.allow_plaintext) {
    log.Warning("with --allow-plaintext tokens may cross the network as plain text");
  }
  return TokenFile::Open(options, log);
}

void LogAdmitted(const Logger& log, absl::string_view what, const std::string& name,
                 absl::string_view stream_id, const std::string& peer) {
  if (name.empty()) return;
  log.Info("admitted", {{"token", name}, {"to", what}, {"stream_id", stream_id}, {"peer", peer}});
}

}  // namespace posewire::service
