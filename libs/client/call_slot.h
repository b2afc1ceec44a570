// The current call of a client, shared with the thread that may cancel it. Includes gRPC.
#ifndef POSEWIRE_LIBS_CLIENT_CALL_SLOT_H_
#define POSEWIRE_LIBS_CLIENT_CALL_SLOT_H_

#include <condition_variable>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "libs/client/byte_call.h"
#include "libs/client/connection.h"

namespace posewire::client {

// One thread sets, uses and clears the call; any thread cancels.
class CallSlot {
 public:
  ~CallSlot() { Clear(); }

  // False if the client was cancelled; the call is then cancelled too.
  bool Set(std::unique_ptr<ByteCall> call);
  void Clear();
  // For the client's own thread. Null if there is none.
  ByteCall* get() const { return call_.get(); }

  void Cancel();
  bool cancelled() const;
  // Waits for a back-off delay. False if cancelled.
  bool Sleep(double seconds);

 private:
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool cancelled_ = false;
  std::unique_ptr<ByteCall> call_;
};

// Whether a call with this status lost its server, as opposed to being answered by it.
bool IsConnectionLoss(const absl::Status& status);

// UNAVAILABLE when a call that never reached its server cannot, because one speaks TLS and the
// other plain text; else OK. Blocks for up to half a second (libs/rpc/protocol_probe.h).
absl::Status NeverReaches(const ConnectionOptions& options, const absl::Status& why);

// What is said after ReconnectOptions::give_up_s: RESOURCE_EXHAUSTED where the server was there and
// had no room, else UNAVAILABLE.
absl::Status GaveUp(const ConnectionOptions& options, const absl::Status& why);

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_CALL_SLOT_H_
