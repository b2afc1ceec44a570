// Calls that are served from a grpc::ServerCompletionQueue: what its events are, and what calls of
// one answer and calls that stream have in common. For shells that speak gRPC.
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
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "libs/rpc/grpc_status.h"
#include "libs/service/contain.h"
#include "libs/service/logger.h"

namespace posewire::service {

// Something that was asked of the queue has come back. `ok` is gRPC's: false when it came to
// nothing.
class QueueEvent {
 public:
  virtual void Happened(bool ok) = 0;
  void* tag() { return this; }

 protected:
  ~QueueEvent() = default;
};

class StreamCall;

// Calls a method of its owner; what that throws ends the call, if the owner is one that streams.
template <typename Owner, void (Owner::*kMethod)(bool ok)>
class EventOf final : public QueueEvent {
 public:
  explicit EventOf(Owner* owner) : owner_(owner) {}
  void Happened(bool ok) override {
    if constexpr (std::is_base_of_v<StreamCall, Owner>) {
      owner_->Contained([&] { (owner_->*kMethod)(ok); });
    } else {
      (owner_->*kMethod)(ok);
    }
  }

 private:
  Owner* const owner_;
};

// How many calls of a server are under way, and where their faults are logged. A queue may be shut
// down when there are none: until then they still ask things of it. Thread-safe, but for LogTo.
class CallCount {
 public:
  // Before the first call.
  void LogTo(Logger log) { log_ = std::move(log); }
  const Logger& log() const { return log_; }
  void Add(int n) { calls_ += n; }
  int calls() const { return calls_; }

 private:
  Logger log_;
  std::atomic<int> calls_{0};
};

// The life of a streaming call. It keeps itself alive until it is over and all that it asked of the
// queue has come back. Its operations are started with `mutex_` held, on any thread; its events
// come on the queue's thread.
class StreamCall : public std::enable_shared_from_this<StreamCall> {
 public:
  virtual ~StreamCall() {
    if (arrived_) count_->Add(-1);
  }
  StreamCall(const StreamCall&) = delete;
  StreamCall& operator=(const StreamCall&) = delete;

  // Does a part of the call. When that throws, the fault is logged and the call is failed.
  void Contained(absl::FunctionRef<void()> part) {
    const auto held = weak_from_this().lock();
    const absl::Status thrown = Contain(count_->log(), "gRPC stream", part);
    if (thrown.ok()) return;
    if (!Contain(count_->log(), "gRPC stream", [&] { Fail(thrown); }).ok()) context_.TryCancel();
  }

 protected:
  StreamCall() = default;

  // Ends the call with this error, from within one of its events.
  virtual void Fail(const absl::Status&) { context_.TryCancel(); }

  // Before the call is asked for: `done` is the event that tells of its end, come what may.
  void AwaitArrival(QueueEvent* done, CallCount* count) {
    self_ = shared_from_this();
    count_ = count;
    context_.AsyncNotifyWhenDone(done->tag());
  }
  // In the event of its coming. False: it never came, and is deleted by now.
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
  // With mutex_ held: an operation is to be started. False once the call is over.
  bool Begin() {
    if (over_) return false;
    ++pending_;
    return true;
  }
  // First in the event of each operation, whose last it may be: the call lives on until what is
  // returned is gone.
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

// A call of one message and one answer. Asks for its successor when it has come.
template <typename Request, typename Response>
class UnaryCall {
 public:
  using Done = std::function<void(const grpc::Status&)>;
  struct Port {
    CallCount* count;
    // Asks the service for the next call.
    std::function<void(grpc::ServerContext*, Request*, grpc::ServerAsyncResponseWriter<Response>*,
                       void* tag)>
        ask;
    // On the queue's thread, which it must not hold up. Calls `done` once, on any thread. What it
    // throws is logged and answered; a `done` that is dropped answers INTERNAL. It may take what it
    // wants out of the request.
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
    // The first one counts.
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
    const absl::Status thrown = Contain(port_->count->log(), "gRPC call", [&] {
      port_->serve(context_, request_, &response_,
                   [answer](const grpc::Status& status) { answer->Give(status); });
    });
    if (!thrown.ok()) answer->Give(rpc::ToGrpc(thrown));
  }
  void Finish(const grpc::Status& status) {
    if (status.ok()) {
      // Goes on this thread: it may be large, and the queue's has others to serve.
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
