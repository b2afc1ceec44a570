#include "services/a2f_source/pulls/pull_host.h"

#include <utility>

namespace posewire::a2f_source {

PullHost::PullHost(PullRegistry* room, std::shared_ptr<const stream::Authorizer> authorizer,
                   const service::Logger& log)
    : room_(room),
      service_({.pulls = room,
                .elsewhere =
                    "a2f_source serves only Pull; push to anim_graph, or to renderer_sink --listen",
                .authorizer = std::move(authorizer),
                .log = log}) {}

absl::StatusOr<std::unique_ptr<PullHost>> PullHost::Start(
    const service::GrpcHostOptions& options, const std::vector<grpc::Service*>& services,
    PullRegistry* room, std::shared_ptr<const stream::Authorizer> authorizer, service::Logger log) {
  std::unique_ptr<PullHost> made(new PullHost(room, std::move(authorizer), log));
  std::vector<grpc::Service*> all = services;
  all.push_back(made->service_.service());
  auto host = service::GrpcHost::Start(options, all, std::move(log));
  if (!host.ok()) return host.status();
  made->host_ = *std::move(host);
  return made;
}

}  // namespace posewire::a2f_source
