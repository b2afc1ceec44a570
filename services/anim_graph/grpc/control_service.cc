#include "services/anim_graph/grpc/control_service.h"

#include <google/protobuf/message.h>

#include <optional>
#include <utility>

#include "libs/rpc/grpc_status.h"
#include "libs/stream/busy.h"
#include "posewire.control.v1.grpc.pb.h"
#include "services/anim_graph/grpc/grpc_util.h"

namespace posewire::anim_graph {

namespace pb = google::protobuf;

using Bytes = grpc::SerializationTraits<pb::Message>;
using RawCall = service::UnaryCall<grpc::ByteBuffer, grpc::ByteBuffer>;

// The generated service registers calls with typed functions, one per method. This one uses the
// method's index in the descriptor, which is also gRPC's method number.
class ControlService::RawService final : public cv1::ControlService::Service {
 public:
  RawService() {
    for (int i = 0; i < methods().method_count(); ++i) MarkMethodRaw(i);
  }
  static const pb::ServiceDescriptor& methods() {
    return *cv1::Event::descriptor()->file()->FindServiceByName("ControlService");
  }
  using grpc::Service::RequestAsyncServerStreaming;
  using grpc::Service::RequestAsyncUnary;
};

namespace {

std::unique_ptr<pb::Message> NewMessage(const pb::Descriptor* type) {
  return std::unique_ptr<pb::Message>(
      pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

// Sends events one by one until the client disconnects.
class EventStream final : public service::StreamCall {
 public:
  struct Port {
    Control* control;
    service::CallCount* calls;
    // Registers with gRPC for the next call.
    std::function<void(grpc::ServerContext*, cv1::WatchEventsRequest*,
                       grpc::ServerAsyncWriter<cv1::Event>*, void* tag)>
        ask;
  };
  static void Await(const Port& port) {
    const auto call = std::make_shared<EventStream>(port);
    call->AwaitArrival(&call->done_, port.calls);
    port.ask(&call->context_, &call->request_, &call->stream_, call->arrived_.tag());
  }
  explicit EventStream(const Port& port) : port_(port) {}

 private:
  void OnArrived(bool ok) {
    const Port port = port_;
    if (!Arrived(ok)) return;
    Await(port);
    port.control->Watch(
        request_.stream_id(), CallerOf(context_),
        [weak = weak_from_this(), this] {
          if (const auto held = weak.lock()) Pump();
        },
        [held = shared_from_this(), this](Control::Watching watch) { Open(std::move(watch)); });
  }
  void Open(Control::Watching watch) {
    {
      std::lock_guard lock(mutex_);
      if (!watch.ok()) return FinishCall(watch.status());
      watch_ = *std::move(watch);
      if (Begin()) stream_.SendInitialMetadata(sent_.tag());
    }
    // Events published before watch_ was set woke nothing, and neither does a hub that is already
    // closed.
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
      if (const auto why = watch_->over()) FinishCall(*why);
      return;
    }
    if (!Begin()) return;
    writing_ = true;
    stream_.Write(*event, written_.tag());
  }
  void Fail(const absl::Status& status) override {
    std::lock_guard lock(mutex_);
    FinishCall(status);
  }
  void FinishCall(const absl::Status& status) {
    if (std::exchange(finished_, true) || !Begin()) return;
    if (stream::IsBusy(status)) service::AddRetryHint(&context_);
    stream_.Finish(rpc::ToGrpc(status), answered_.tag());
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

ControlService::ControlService(Control* control, service::TaskThread* answers)
    : service_(std::make_unique<RawService>()), control_(control), answers_(answers) {}
ControlService::~ControlService() = default;

grpc::Service* ControlService::service() { return service_.get(); }

void ControlService::Serve(grpc::ServerCompletionQueue* queue, service::CallCount* calls) {
  RawService* const service = service_.get();
  for (int i = 0; i < RawService::methods().method_count(); ++i) {
    const pb::MethodDescriptor* const method = RawService::methods().method(i);
    if (method->server_streaming()) {
      EventStream::Await(
          {control_, calls, [=](auto* context, auto* request, auto* writer, void* tag) {
             service->RequestAsyncServerStreaming(i, context, request, writer, queue, queue, tag);
           }});
      continue;
    }
    RawCall::Await(std::make_shared<const RawCall::Port>(RawCall::Port{
        calls,
        [=](auto* context, auto* request, auto* writer, void* tag) {
          service->RequestAsyncUnary(i, context, request, writer, queue, queue, tag);
        },
        [this, method](const auto& context, auto& request, auto* response, auto done) {
          answers_->Post(
              [this, method, caller = CallerOf(context), &request, response,
               done = std::move(done)] { Answer(method, caller, &request, response, done); });
        }}));
  }
}

void ControlService::Answer(const pb::MethodDescriptor* method, const stream::Caller& caller,
                            grpc::ByteBuffer* request, grpc::ByteBuffer* response,
                            const std::function<void(const grpc::Status&)>& done) {
  const std::shared_ptr<pb::Message> in = NewMessage(method->input_type());
  const std::shared_ptr<pb::Message> out = NewMessage(method->output_type());
  // The bytes are released once parsed, so that a waiting call holds its request only once.
  if (!Bytes::Deserialize(request, in.get()).ok()) {
    return done({grpc::StatusCode::INTERNAL, "Unable to parse request"});
  }
  control_->Call(
      method->name(), caller, *in, out.get(),
      [in, out, response, done](const absl::Status& status) {
        bool is_owner = false;
        done(status.ok() ? Bytes::Serialize(*out, response, &is_owner) : rpc::ToGrpc(status));
      });
}

}  // namespace posewire::anim_graph
