#include "services/anim_graph/grpc/grpc_api.h"

#include <deque>
#include <utility>
#include <vector>

#include "libs/client/channel.h"
#include "libs/service/task_thread.h"
#include "services/anim_graph/grpc/animation_controller_service.h"
#include "services/anim_graph/grpc/control_service.h"
#include "services/anim_graph/grpc/pull_call.h"
#include "services/anim_graph/grpc/push_call.h"
#include "services/anim_graph/grpc/queue_waiter.h"
#include "services/anim_graph/grpc/worker_endpoint.h"

namespace posewire::anim_graph {

struct GrpcApi::Impl {
  Impl(Control* of, Relay* relay_of, const client::ConnectionOptions& a2f)
      : control(of),
        relay(relay_of),
        answers(of->parts().log, {.what = "answer"}),
        control_service(of, &answers),
        controller(of, a2f) {}

  void AwaitPushesAndPulls(const WorkerEndpoint& endpoint);

  Control* const control;
  Relay* const relay;
  service::TaskThread answers;
  AnimationDataAsync animation;
  ControlService control_service;
  AnimationControllerService controller;
  std::deque<service::TcpCork> corks;
  std::deque<WorkerEndpoint> endpoints;
  std::deque<PullPort> ports;
  std::unique_ptr<service::GrpcHost> host;
};

// Registers on each queue, so that calls are spread over them.
void GrpcApi::Impl::AwaitPushesAndPulls(const WorkerEndpoint& endpoint) {
  grpc::ServerCompletionQueue* const queue = endpoint.queue;
  PushCall::Await(&endpoint, &animation);
  const auto pull = [&](auto* service, const char* method) {
    const auto ask = [service, queue](grpc::ServerContext* context, grpc::ByteBuffer* request,
                                      grpc::ServerAsyncWriter<grpc::ByteBuffer>* writer,
                                      void* tag) {
      service->RequestPullAnimationDataStream(context, request, writer, queue, queue, tag);
    };
    PullCall::Await(&ports.emplace_back(PullPort{&endpoint, method, ask}));
  };
  pull(&animation, client::kPullMethod);
  pull(controller.service(), AnimationControllerService::kPullMethod);
}

GrpcApi::GrpcApi(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

absl::StatusOr<std::unique_ptr<GrpcApi>> GrpcApi::Start(const service::GrpcHostOptions& options,
                                                        Control* control, Relay* relay,
                                                        const client::ConnectionOptions& a2f,
                                                        service::Logger log) {
  auto impl = std::make_unique<Impl>(control, relay, a2f);
  const CallParts& parts = control->parts();
  const std::vector<Worker*> workers = parts.workers->all();
  auto host = service::GrpcHost::Start(
      options, {&impl->animation, impl->control_service.service(), impl->controller.service()},
      std::move(log), static_cast<int>(workers.size()));
  if (!host.ok()) return host.status();
  impl->host = *std::move(host);
  auto queues = impl->host->TakeQueues();
  if (relay != nullptr) relay->Serve(queues.front().get(), impl->host->calls());
  impl->control_service.Serve(queues.front().get(), impl->host->calls());
  impl->controller.Serve(queues.front().get(), impl->host->calls());
  for (size_t i = 0; i < workers.size(); ++i) {
    impl->endpoints.push_back(WorkerEndpoint{&parts,
                                             workers[i],
                                             queues[i].get(),
                                             impl->host->calls(),
                                             &impl->host->connections(),
                                             &impl->corks.emplace_back(),
                                             &impl->endpoints,
                                             relay,
                                             {}});
  }
  for (const WorkerEndpoint& endpoint : impl->endpoints) impl->AwaitPushesAndPulls(endpoint);
  for (size_t i = 0; i < workers.size(); ++i) {
    workers[i]->Start(std::make_unique<QueueWaiter>(std::move(queues[i]), &impl->corks[i]));
  }
  return std::unique_ptr<GrpcApi>(new GrpcApi(std::move(impl)));
}

GrpcApi::~GrpcApi() {
  if (impl_->relay != nullptr) impl_->relay->Close();
  // The workers finish the last calls and drain their queues while the server still exists.
  impl_->host->Shutdown();
  impl_->control->parts().workers->Stop();
}

service::GrpcHost& GrpcApi::host() { return *impl_->host; }

}  // namespace posewire::anim_graph
