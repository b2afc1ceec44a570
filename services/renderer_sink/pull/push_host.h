// The gRPC server of a sink: AnimationDataService/Push, with health and reflection.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_PULL_PUSH_HOST_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_PULL_PUSH_HOST_H_

#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "libs/service/grpc_host.h"
#include "libs/service/logger.h"
#include "libs/service/stream/stream_service.h"
#include "services/renderer_sink/pull/pull_settings.h"
#include "services/renderer_sink/pushes/push_inbox.h"

namespace posewire::renderer_sink {

class PushHost {
 public:
  // `settings` and `pushes` must outlive this. Null: nothing is accepted.
  PushHost(const PullSettings& settings, ClosablePushes* pushes, service::Logger log)
      : settings_(settings), pushes_(pushes), log_(std::move(log)) {}

  // Listens, if configured, for clients that `authorizer` allows to push. Errors as in
  // GrpcHost::Start.
  absl::Status Start(std::shared_ptr<const stream::Authorizer> authorizer);
  // Null if it does not listen.
  service::GrpcHost* grpc() { return host_.get(); }
  // Answers the open pushes: the sink has `enough` of them, or was stopped, or failed.
  void Close(bool enough);

 private:
  const PullSettings& settings_;
  ClosablePushes* const pushes_;
  const service::Logger log_;
  std::optional<service::StreamService> service_;
  std::unique_ptr<service::GrpcHost> host_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_PULL_PUSH_HOST_H_
