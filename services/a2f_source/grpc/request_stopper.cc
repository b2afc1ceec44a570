#include "services/a2f_source/grpc/request_stopper.h"

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

constexpr std::chrono::seconds kStopTimeout{2};

// One call under way.
struct Pending {
  grpc::ClientContext context;
  cv1::StopRequestRequest request;
  cv1::StopRequestResponse response;
};

}  // namespace

struct RequestStopper::Impl {
  explicit Impl(const client::ConnectionOptions& options)
      : stub(cv1::ControlService::NewStub(client::MakeChannel(options))) {}

  std::unique_ptr<cv1::ControlService::Stub> stub;
  client::OpenCalls calls;
};

RequestStopper::RequestStopper(const client::ConnectionOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}

RequestStopper::~RequestStopper() { impl_->calls.CancelAll(); }

void RequestStopper::Stop(const std::string& stream_id, const std::string& request_id, Done done) {
  auto call = std::make_shared<Pending>();
  call->request.set_stream_id(stream_id);
  call->request.set_request_id(request_id);
  call->context.set_deadline(std::chrono::system_clock::now() + kStopTimeout);
  client::Metadata metadata;
  client::AddStreamId(stream_id, metadata);
  for (const auto& [key, value] : metadata) call->context.AddMetadata(key, value);
  if (!impl_->calls.Begin(&call->context))
    return done(absl::CancelledError("the source is stopping"));
  impl_->stub->async()->StopRequest(
      &call->context, &call->request, &call->response,
      [impl = impl_.get(), call, done = std::move(done)](const grpc::Status& status) {
        done(rpc::FromGrpc(status));
        impl->calls.End(&call->context);
      });
}

}  // namespace posewire::a2f_source
