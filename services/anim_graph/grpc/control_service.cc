#include "services/anim_graph/grpc/control_service.h"

#include <memory>
#include <optional>
#include <utility>

#include "libs/rpc/grpc_status.h"
#include "libs/service/queue_calls.h"
#include "libs/stream/busy.h"
#include "services/anim_graph/grpc/grpc_util.h"

namespace posewire::anim_graph {
namespace {

using Async = posewire::control::v1::ControlService::AsyncService;

// Sends events one by one until the caller goes away.
class EventStream final : public service::StreamCall {
 public:
  struct Port {
    Control* control;
    Async* service;
    grpc::ServerCompletionQueue* queue;
    service::CallCount* calls;
  };
  static void Await(const Port& port) {
    const auto call = std::make_shared<EventStream>(port);
    call->AwaitArrival(&call->done_, port.calls);
    port.service->RequestWatchEvents(&call->context_, &call->request_, &call->stream_, port.queue,
                                     port.queue, call->arrived_.tag());
  }
  explicit EventStream(const Port& port) : port_(port) {}

 private:
  void OnArrived(bool ok) {
    const Port port = port_;
    if (!Arrived(ok)) return;
    Await(port);
    const std::weak_ptr<StreamCall> weak = weak_from_this();
    auto watch = port.control->Watch(request_.stream_id(), CallerOf(context_), [weak, this] {
      if (const auto held = weak.lock()) Pump();
    });
    {
      std::lock_guard lock(mutex_);
      if (!watch.ok()) {
        if (stream::IsBusy(watch.status())) service::AddRetryHint(&context_);
        return FinishCall(rpc::ToGrpc(watch.status()));
      }
      watch_ = *std::move(watch);
      if (Begin()) stream_.SendInitialMetadata(sent_.tag());
    }
    // What came up before the watch was set woke nobody; nor does a hub that is closed already.
    Pump();
  }
  void OnWritten(bool ok) {
    const auto last = ReleaseEvent();
    {
      std::lock_guard lock(mutex_);
      writing_ = false;
    }
    if (ok) Pump();
  }
  void OnSent(bool) { const auto last = ReleaseEvent(); }
  void OnDone(bool) {
    const auto last = ReleaseEvent(/*over=*/true);
    std::shared_ptr<EventHub::Watch> watch;
    std::lock_guard lock(mutex_);
    watch = std::move(watch_);
  }

  void Pump() {
    std::lock_guard lock(mutex_);
    if (writing_ || finished_ || watch_ == nullptr) return;
    std::optional<cv1::Event> event = watch_->Take();
    if (!event) {
      if (watch_->over()) {
        FinishCall({grpc::StatusCode::UNAVAILABLE, "the server is shutting down; connect again"});
      }
      return;
    }
    if (!Begin()) return;
    writing_ = true;
    stream_.Write(*event, written_.tag());
  }
  void Fail(const absl::Status& status) override {
    std::lock_guard lock(mutex_);
    FinishCall(rpc::ToGrpc(status));
  }
  void FinishCall(const grpc::Status& status) {
    if (std::exchange(finished_, true) || !Begin()) return;
    stream_.Finish(status, answered_.tag());
  }

  const Port port_;
  cv1::WatchEventsRequest request_;
  grpc::ServerAsyncWriter<cv1::Event> stream_{&context_};
  std::shared_ptr<EventHub::Watch> watch_;  // guarded by mutex_
  bool writing_ = false;                    // guarded by mutex_
  bool finished_ = false;                   // guarded by mutex_
  service::EventOf<EventStream, &EventStream::OnArrived> arrived_{this};
  service::EventOf<EventStream, &EventStream::OnSent> sent_{this};
  service::EventOf<EventStream, &EventStream::OnWritten> written_{this};
  service::EventOf<EventStream, &EventStream::OnSent> answered_{this};
  service::EventOf<EventStream, &EventStream::OnDone> done_{this};
};

}  // namespace

void ControlService::Serve(grpc::ServerCompletionQueue* queue, service::CallCount* calls) {
  const auto serve = [this, queue, calls](auto... ask) {
    const auto handle = [this](const grpc::ServerContext& context, const auto& request,
                               auto* response, std::function<void(const grpc::Status&)> done) {
      answers_->Post(
          [this, caller = CallerOf(context), &request, response, done = std::move(done)] {
            control_->Call(caller, request, response,
                           [done](const absl::Status& status) { done(rpc::ToGrpc(status)); });
          });
    };
    (service::ServeUnary(&service_, queue, calls, ask, handle), ...);
  };
  serve(&Async::RequestSetGesture, &Async::RequestListGestures, &Async::RequestStopRequest,
        &Async::RequestRegisterStream, &Async::RequestRemoveStream, &Async::RequestListStreams,
        &Async::RequestListGraphs, &Async::RequestListVariables, &Async::RequestSetVariable,
        &Async::RequestFireEvent, &Async::RequestPlayArrangement, &Async::RequestSetUser,
        &Async::RequestRemoveUser, &Async::RequestPlaceAvatar, &Async::RequestGetSites,
        &Async::RequestSetProp, &Async::RequestMoveProp, &Async::RequestRemoveProp,
        &Async::RequestListProps, &Async::RequestAttachProp, &Async::RequestDetachProp,
        &Async::RequestPutClip, &Async::RequestListClips, &Async::RequestRemoveClip,
        &Async::RequestPutArrangement, &Async::RequestListArrangements,
        &Async::RequestRemoveArrangement);
  EventStream::Await({control_, &service_, queue, calls});
}

}  // namespace posewire::anim_graph
