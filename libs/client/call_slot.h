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

// One thread sets, uses and clears the call; any thread may cancel it.
class CallSlot {
 public:
  ~CallSlot() { Clear(); }

  // Returns false if the client was cancelled; the call is then cancelled too.
  bool Set(std::unique_ptr<ByteCall> call);
  void Clear();
  // Returns the current call, or null. Call on the client's own thread.
  ByteCall* get() const { return call_.get(); }

  void Cancel();
  bool cancelled() const;
  // Waits for a back-off delay. Returns false if cancelled.
  bool Sleep(double seconds);

 private:
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool cancelled_ = false;
  std::unique_ptr<ByteCall> call_;
};

// Returns whether this status means that the connection was lost, rather than an answer of the
// server.
bool IsConnectionLoss(const absl::Status& status);

// Returns UNAVAILABLE if a call that never reached its server cannot do so, because one side uses
// TLS and the other plain text; otherwise OK. Blocks for up to half a second
// (libs/rpc/protocol_probe.h).
absl::Status NeverReaches(const ConnectionOptions& options, const absl::Status& why);

// Returns the error after ReconnectOptions::give_up_s: RESOURCE_EXHAUSTED if the server was
// reachable and had no room, otherwise UNAVAILABLE.
absl::Status GaveUp(const ConnectionOptions& options, const absl::Status& why);

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_CALL_SLOT_H_
