#include "services/a2f_source/grpc/control_calls.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <utility>

#include "libs/client/call_metadata.h"
#include "libs/client/channel.h"
#include "libs/client/open_calls.h"
#include "libs/rpc/grpc_status.h"
#include "posewire.control.v1.grpc.pb.h"

namespace posewire::a2f_source {
namespace {

namespace cv1 = posewire::control::v1;

constexpr std::chrono::seconds kTimeout{2};

// One open call.
template <typename Request, typename Response>
struct Pending {
  grpc::ClientContext context;
  Request request;
  Response response;
};

}  // namespace

struct ControlCalls::Impl {
  explicit Impl(const client::ConnectionOptions& options)
      : stub(cv1::ControlService::NewStub(client::MakeChannel(options))) {}

  // `start` is one of the stub's asynchronous methods.
  template <typename Call, typename Start>
  void Begin(std::shared_ptr<Call> call, const std::string& stream_id, Done done, Start start) {
    call->context.set_deadline(std::chrono::system_clock::now() + kTimeout);
    client::Metadata metadata;
    client::AddStreamId(stream_id, metadata);
    for (const auto& [key, value] : metadata) call->context.AddMetadata(key, value);
    if (!calls.Begin(&call->context)) return done(absl::CancelledError("the source is stopping"));
    start(*call, [this, call, done = std::move(done)](const grpc::Status& status) mutable {
      done(rpc::FromGrpc(status));
      grpc::ClientContext* const context = &call->context;
      calls.End(context, std::move(call));
    });
  }

  std::unique_ptr<cv1::ControlService::Stub> stub;
  client::OpenCalls calls;
};

ControlCalls::ControlCalls(const client::ConnectionOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}

ControlCalls::~ControlCalls() { impl_->calls.CancelAll(); }

void ControlCalls::Stop(const std::string& stream_id, const std::string& request_id, Done done) {
  using Call = Pending<cv1::StopRequestRequest, cv1::StopRequestResponse>;
  auto call = std::make_shared<Call>();
  call->request.set_stream_id(stream_id);
  call->request.set_request_id(request_id);
  impl_->Begin(call, stream_id, std::move(done), [this](Call& c, auto on_done) {
    impl_->stub->async()->StopRequest(&c.context, &c.request, &c.response, std::move(on_done));
  });
}

void ControlCalls::SetVariable(const std::string& stream_id, const std::string& target_id,
                               const std::string& name, const std::string& value, Done done) {
  using Call = Pending<cv1::SetVariableRequest, cv1::SetVariableResponse>;
  auto call = std::make_shared<Call>();
  call->request.set_stream_id(stream_id);
  call->request.set_target_object_id(target_id);
  call->request.set_name(name);
  call->request.set_value(value);
  impl_->Begin(call, stream_id, std::move(done), [this](Call& c, auto on_done) {
    impl_->stub->async()->SetVariable(&c.context, &c.request, &c.response, std::move(on_done));
  });
}

}  // namespace posewire::a2f_source
