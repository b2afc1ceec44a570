#include "libs/client/call_slot.h"

#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/rpc/protocol_probe.h"

namespace posewire::client {

bool CallSlot::Set(std::unique_ptr<ByteCall> call) {
  std::unique_lock lock(mutex_);
  call_ = std::move(call);
  if (cancelled_) call_->Cancel();
  return !cancelled_;
}

void CallSlot::Clear() {
  std::unique_ptr<ByteCall> call;
  {
    std::unique_lock lock(mutex_);
    call = std::move(call_);
  }
  // Destroyed outside the lock: it waits for gRPC.
}

void CallSlot::Cancel() {
  std::unique_lock lock(mutex_);
  cancelled_ = true;
  if (call_) call_->Cancel();
  wake_.notify_all();
}

bool CallSlot::cancelled() const {
  std::unique_lock lock(mutex_);
  return cancelled_;
}

bool CallSlot::Sleep(double seconds) {
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return cancelled_; });
}

bool IsConnectionLoss(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    // Proxies turn broken connections into CANCELLED. Calling again is safe: a request that the
    // server has ended answers a resume with ALREADY_EXISTS.
    case absl::StatusCode::kCancelled:
      return true;
    case absl::StatusCode::kInternal:
      return absl::StrContains(status.message(), "RST_STREAM");
    case absl::StatusCode::kUnknown:
      return absl::StrContains(status.message(), "Stream removed");
    default:
      return false;
  }
}

absl::Status NeverReaches(const ConnectionOptions& options, const absl::Status& why) {
  const std::string mismatch = rpc::ProtocolMismatch(options.address, options.tls.any(), why);
  return mismatch.empty() ? absl::OkStatus() : absl::UnavailableError(mismatch);
}

absl::Status GaveUp(const ConnectionOptions& options, const absl::Status& why) {
  const double waited_s = options.reconnect.give_up_s;
  if (absl::IsResourceExhausted(why)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the server at ", options.address, " had no room for ", waited_s, " s: ", why.message()));
  }
  return absl::UnavailableError(
      absl::StrCat("no server at ", options.address, " for ", waited_s, " s: ", why.message()));
}

}  // namespace posewire::client
