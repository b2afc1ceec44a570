// A streaming call used from a thread of its own: reads and writes block until gRPC has done them.
// gRPC's callbacks only wake that thread.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_WAITING_CALL_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_WAITING_CALL_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/rpc/grpc_status.h"
#include "libs/rpc/reactor_order.h"
#include "libs/service/stream/stream_bytes.h"
#include "libs/stream/busy.h"

namespace posewire::a2f_source {

// `Reactor` is a ServerReadReactor or a ServerBidiReactor of bytes. One thread calls Read and
// Finish, and Finish last; Stop and Cut may be called from any. Lives until gRPC is done with it
// and all other owners have released it.
template <typename Reactor>
class WaitingCall : public Reactor {
 public:
  explicit WaitingCall(grpc::CallbackServerContext* context) : context_(context) {}

  // Keeps itself alive until the call is over.
  void Keep(std::shared_ptr<WaitingCall> self) { self_ = std::move(self); }

  // Reads the next message. Returns false at the half-close. DEADLINE_EXCEEDED if none came within
  // `patience_s`, CANCELLED if the client has gone or the call was stopped. After an error, only
  // Finish may be called.
  absl::StatusOr<bool> Read(grpc::ByteBuffer& message, double patience_s) {
    std::unique_lock lock(mutex_);
    if (!why_.ok()) return Stopped();
    read_.reset();
    POSEWIRE_BEFORE_START();
    this->StartRead(&in_);
    const bool woken = changed_.wait_for(lock, std::chrono::duration<double>(patience_s),
                                         [this] { return read_ || !why_.ok(); });
    if (!woken) return absl::DeadlineExceededError("");
    if (!read_) return Stopped();
    // A broken connection may look like a half-close until the call is over.
    if (!*read_ && context_->IsCancelled()) return Gone();
    message.Swap(&in_);
    return *read_;
  }

  void Finish(const absl::Status& status) {
    std::lock_guard lock(mutex_);
    if (stream::IsBusy(status)) service::AddRetryHint(context_);
    POSEWIRE_BEFORE_START();
    Reactor::Finish(rpc::ToGrpc(status));
  }

  // Ends current and future waits. The first reason counts.
  void Stop(const absl::Status& why) {
    std::lock_guard lock(mutex_);
    if (why_.ok()) why_ = why;
    changed_.notify_all();
  }
  // Stops the call and cuts the client off. No wait continues.
  void Cut(const absl::Status& why) {
    Stop(why);
    std::lock_guard lock(mutex_);
    if (!over_) context_->TryCancel();
  }
  // Waits this long. Returns false if it is stopped before.
  bool Sleep(double seconds) {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                              [this] { return !why_.ok(); });
  }
  // OK unless the call was stopped.
  absl::Status why() const {
    std::lock_guard lock(mutex_);
    return why_;
  }
  grpc::CallbackServerContext* context() const { return context_; }

 protected:
  static absl::Status Stopped() { return absl::CancelledError("the call was stopped"); }
  static absl::Status Gone() { return absl::CancelledError("the client has gone"); }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  absl::Status why_;  // guarded by mutex_

 private:
  void OnReadDone(bool ok) override {
    POSEWIRE_ENTER_CALLBACK();
    std::lock_guard lock(mutex_);
    read_ = ok;
    changed_.notify_all();
  }
  void OnCancel() override {
    POSEWIRE_ENTER_CALLBACK();
    Stop(Gone());
  }
  void OnDone() override {
    POSEWIRE_ENTER_CALLBACK();
    const std::shared_ptr<WaitingCall> last = std::move(self_);
    std::lock_guard lock(mutex_);
    over_ = true;
  }

  grpc::CallbackServerContext* const context_;
  std::shared_ptr<WaitingCall> self_;
  grpc::ByteBuffer in_;       // owned by gRPC during a read
  std::optional<bool> read_;  // guarded by mutex_: result of the read
  bool over_ = false;         // guarded by mutex_: the context is gone
};

using WaitingPush = WaitingCall<grpc::ServerReadReactor<grpc::ByteBuffer>>;
using WaitingDuplex = WaitingCall<grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>>;

// A call that also sends messages to its client.
class WritingCall final : public WaitingDuplex {
 public:
  using WaitingDuplex::WaitingDuplex;

  // Writes a message and waits until gRPC has room for more. Stop does not end that wait, which
  // would cut the message off, but Cut does. Errors as in Read; a client that does not read for
  // `patience_s` is cut off.
  absl::Status Write(const grpc::ByteBuffer& message, double patience_s) {
    std::unique_lock lock(mutex_);
    if (!why_.ok()) return Stopped();
    written_.reset();
    out_ = message;
    POSEWIRE_BEFORE_START();
    StartWrite(&out_);
    const auto done = [this] { return written_.has_value(); };
    if (changed_.wait_for(lock, std::chrono::duration<double>(patience_s), done)) {
      return *written_ ? absl::OkStatus() : Gone();
    }
    context()->TryCancel();
    changed_.wait(lock, done);
    return absl::DeadlineExceededError("");
  }

 private:
  void OnWriteDone(bool ok) override {
    POSEWIRE_ENTER_CALLBACK();
    std::lock_guard lock(mutex_);
    written_ = ok;
    changed_.notify_all();
  }

  grpc::ByteBuffer out_;         // owned by gRPC during a write
  std::optional<bool> written_;  // guarded by mutex_: result of the write
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_WAITING_CALL_H_
