// Calls that are served from a grpc::ServerCompletionQueue: the queue's events, and base classes
// for unary and streaming calls. For service shells that use gRPC.
//
// The thread that polls a queue calls Happened for each event:
//
//   void* tag = nullptr;
//   bool ok = false;
//   while (queue.Next(&tag, &ok)) static_cast<QueueEvent*>(tag)->Happened(ok);
#ifndef POSEWIRE_LIBS_SERVICE_QUEUE_CALLS_H_
#define POSEWIRE_LIBS_SERVICE_QUEUE_CALLS_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "libs/rpc/grpc_status.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/logger.h"

namespace posewire::service {

// If a read of a client's messages found nothing, and no connection loss is reported within this
// time, the client has half-closed.
inline constexpr std::chrono::milliseconds kLossIsKnown{20};

// An operation on the queue has completed. `ok` is gRPC's: false if the operation failed.
class QueueEvent {
 public:
  virtual void Happened(bool ok) = 0;
  void* tag() { return this; }

 protected:
  ~QueueEvent() = default;
};

class StreamCall;

// Calls a method of its owner, within Contained if the owner has that, which ends the call if the
// method throws.
template <typename Owner, void (Owner::*kMethod)(bool ok)>
class EventOf final : public QueueEvent {
 public:
  explicit EventOf(Owner* owner) : owner_(owner) {}
  void Happened(bool ok) override {
    if constexpr (requires { owner_->Contained([] {}); }) {
      owner_->Contained([&] { (owner_->*kMethod)(ok); });
    } else {
      (owner_->*kMethod)(ok);
    }
  }

 private:
  Owner* const owner_;
};

// The number of a server's calls in progress, and the log for their exceptions. A queue may be shut
// down when it is zero; until then calls still use the queue. Thread-safe, except LogTo.
class CallCount {
 public:
  // Call before the first call arrives.
  void LogTo(Logger log) { log_ = std::move(log); }
  const Logger& log() const { return log_; }
  void Add(int n) { calls_ += n; }
  int calls() const { return calls_; }

 private:
  Logger log_;
  std::atomic<int> calls_{0};
};

// The lifetime of a streaming call. The call keeps itself alive until it is over and all its
// operations have completed. Operations are started with `mutex_` held, on any thread; events
// arrive on the queue's thread.
class StreamCall : public std::enable_shared_from_this<StreamCall> {
 public:
  virtual ~StreamCall() {
    if (arrived_) count_->Add(-1);
  }
  StreamCall(const StreamCall&) = delete;
  StreamCall& operator=(const StreamCall&) = delete;

  // Runs a part of the call. If it throws, logs the exception and fails the call.
  void Contained(absl::FunctionRef<void()> part) {
    const auto held = weak_from_this().lock();
    const absl::Status thrown = CatchExceptions(count_->log(), "gRPC stream", part);
    if (thrown.ok()) return;
    if (!CatchExceptions(count_->log(), "gRPC stream", [&] { Fail(thrown); }).ok())
      context_.TryCancel();
  }

  // Returns true after the event that reports the call's end.
  bool Over() {
    std::lock_guard lock(mutex_);
    return over_;
  }

 protected:
  StreamCall() = default;

  // Ends the call with this error, from within one of its events.
  virtual void Fail(const absl::Status&) { context_.TryCancel(); }

  // Call before registering for the call. `done` is the event that always reports its end.
  void AwaitArrival(QueueEvent* done, CallCount* count) {
    self_ = shared_from_this();
    count_ = count;
    context_.AsyncNotifyWhenDone(done->tag());
  }
  // Call in the arrival event. Returns false if no call arrived; this object is then deleted.
  bool Arrived(bool ok) {
    arrived_ = ok;
    pending_ = 1;  // for `done`
    if (ok) {
      count_->Add(1);
    } else {
      self_.reset();
    }
    return ok;
  }
  // Requires mutex_; call before starting an operation. Returns false if the call is over.
  bool Begin() {
    if (over_) return false;
    ++pending_;
    return true;
  }
  // Call first in the event of each operation. Since it may be the last operation, the call lives
  // until the result is destroyed.
  [[nodiscard]] std::shared_ptr<StreamCall> ReleaseEvent(bool over = false) {
    std::lock_guard lock(mutex_);
    over_ = over_ || over;
    return --pending_ == 0 && over_ ? std::move(self_) : nullptr;
  }

  grpc::ServerContext context_;
  std::mutex mutex_;

 private:
  CallCount* count_ = nullptr;
  bool arrived_ = false;
  std::shared_ptr<StreamCall> self_;
  int pending_ = 0;    // guarded by mutex_
  bool over_ = false;  // guarded by mutex_
};

// A call with one message and one response. When it arrives, it registers for the next one.
template <typename Request, typename Response>
class UnaryCall {
 public:
  using Done = std::function<void(const grpc::Status&)>;
  struct Port {
    CallCount* count;
    // Registers with gRPC for the next call.
    std::function<void(grpc::ServerContext*, Request*, grpc::ServerAsyncResponseWriter<Response>*,
                       void* tag)>
        ask;
    // Runs on the queue's thread and must not block it. Calls `done` once, on any thread.
    // Exceptions are logged and become the response; if `done` is dropped, the response is
    // INTERNAL. May move from the request.
    std::function<void(const grpc::ServerContext&, Request&, Response*, Done done)> serve;
  };

  static void Await(std::shared_ptr<const Port> port) {
    auto* call = new UnaryCall(std::move(port));
    call->port_->ask(&call->context_, &call->request_, &call->writer_, call->arrived_.tag());
  }

 private:
  class Answer {
   public:
    explicit Answer(UnaryCall* call) : call_(call) {}
    ~Answer() { Give({grpc::StatusCode::INTERNAL, "the server gave no answer"}); }
    // Only the first status counts.
    void Give(const grpc::Status& status) {
      if (UnaryCall* const call = call_.exchange(nullptr)) call->Finish(status);
    }

   private:
    std::atomic<UnaryCall*> call_;
  };

  explicit UnaryCall(std::shared_ptr<const Port> port) : port_(std::move(port)) {}

  void OnArrived(bool ok) {
    if (!ok) {
      delete this;
      return;
    }
    port_->count->Add(1);
    Await(port_);
    const auto answer = std::make_shared<Answer>(this);
    const absl::Status thrown = CatchExceptions(port_->count->log(), "gRPC call", [&] {
      port_->serve(context_, request_, &response_,
                   [answer](const grpc::Status& status) { answer->Give(status); });
    });
    if (!thrown.ok()) answer->Give(rpc::ToGrpc(thrown));
  }
  void Finish(const grpc::Status& status) {
    if (status.ok()) {
      // Destroyed on this thread: it may be large, and the queue's thread serves other calls.
      const Response response = std::move(response_);
      writer_.Finish(response, status, finished_.tag());
    } else {
      writer_.FinishWithError(status, finished_.tag());
    }
  }
  void OnFinished(bool) {
    CallCount* const count = port_->count;
    delete this;
    count->Add(-1);
  }

  const std::shared_ptr<const Port> port_;
  grpc::ServerContext context_;
  Request request_;
  Response response_;
  grpc::ServerAsyncResponseWriter<Response> writer_{&context_};
  EventOf<UnaryCall, &UnaryCall::OnArrived> arrived_{this};
  EventOf<UnaryCall, &UnaryCall::OnFinished> finished_{this};
};

// Serves a method of a generated AsyncService, given as &AsyncService::RequestNAME.
template <typename Service, typename Base, typename Request, typename Response>
void ServeUnary(Service* service, grpc::ServerCompletionQueue* queue, CallCount* count,
                void (Base::*ask)(grpc::ServerContext*, Request*,
                                  grpc::ServerAsyncResponseWriter<Response>*,
                                  grpc::CompletionQueue*, grpc::ServerCompletionQueue*, void*),
                decltype(UnaryCall<Request, Response>::Port::serve) serve) {
  using Call = UnaryCall<Request, Response>;
  Call::Await(std::make_shared<const typename Call::Port>(typename Call::Port{
      count,
      [=](grpc::ServerContext* context, Request* request,
          grpc::ServerAsyncResponseWriter<Response>* writer,
          void* tag) { (service->*ask)(context, request, writer, queue, queue, tag); },
      std::move(serve)}));
}

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_QUEUE_CALLS_H_
