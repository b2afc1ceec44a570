// The gRPC server of a source: AnimationDataService/Pull, with health and reflection.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_PULLS_PULL_HOST_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_PULLS_PULL_HOST_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/service/grpc_host.h"
#include "libs/service/logger.h"
#include "libs/service/stream/stream_service.h"
#include "services/a2f_source/pulls/pull_registry.h"

namespace posewire::a2f_source {

// One thread. The destructor cancels open calls and waits for them.
class PullHost {
 public:
  // Errors as in GrpcHost::Start. Also serves `services`. These and `room` must outlive this.
  static absl::StatusOr<std::unique_ptr<PullHost>> Start(
      const service::GrpcHostOptions& options, const std::vector<grpc::Service*>& services,
      PullRegistry* room, std::shared_ptr<const stream::Authorizer> authorizer,
      service::Logger log);

  PullRegistry& room() { return *room_; }
  service::GrpcHost& grpc() { return *host_; }
  // Call when the source is finished: every pull ends in order, or is cut off after 5 s.
  void Close() { room_->Close(kClose_s); }

 private:
  static constexpr double kClose_s = 5;
  PullHost(PullRegistry* room, std::shared_ptr<const stream::Authorizer> authorizer,
           const service::Logger& log);

  PullRegistry* const room_;
  service::StreamService service_;
  std::unique_ptr<service::GrpcHost> host_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_PULLS_PULL_HOST_H_
