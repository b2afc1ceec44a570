#include "services/a2f_source/grpc/request_stopper.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <utility>

#include "libs/client/channel.h"
#include "posewire.control.v1.grpc.pb.h"

namespace posewire::a2f_source {
namespace {

namespace cv1 = posewire::control::v1;

constexpr std::chrono::seconds kTimeout{2};

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

  bool Begin(Pending* call) {
    std::lock_guard lock(mutex);
    if (stopping) return false;
    pending.insert(call);
    return true;
  }
  void End(Pending* call) {
    std::lock_guard lock(mutex);
    pending.erase(call);
    idle.notify_all();
  }

  std::unique_ptr<cv1::ControlService::Stub> stub;
  std::mutex mutex;
  std::condition_variable idle;
  bool stopping = false;       // guarded by mutex
  std::set<Pending*> pending;  // guarded by mutex
};

RequestStopper::RequestStopper(const client::ConnectionOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}

RequestStopper::~RequestStopper() {
  std::unique_lock lock(impl_->mutex);
  impl_->stopping = true;
  for (Pending* call : impl_->pending) call->context.TryCancel();
  impl_->idle.wait(lock, [this] { return impl_->pending.empty(); });
}

void RequestStopper::Stop(const std::string& stream_id, const std::string& request_id, Done done) {
  auto call = std::make_shared<Pending>();
  call->request.set_stream_id(stream_id);
  call->request.set_request_id(request_id);
  call->context.set_deadline(std::chrono::system_clock::now() + kTimeout);
  if (!impl_->Begin(call.get())) return done(absl::CancelledError("the source is stopping"));
  impl_->stub->async()->StopRequest(
      &call->context, &call->request, &call->response,
      [impl = impl_.get(), call, done = std::move(done)](const grpc::Status& status) {
        done(absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                          status.error_message()));
        impl->End(call.get());
      });
}

}  // namespace posewire::a2f_source
