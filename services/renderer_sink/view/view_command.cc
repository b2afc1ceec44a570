#include "services/renderer_sink/view/view_command.h"

#include <cstdio>
#include <utility>

#include "libs/service/access/token_file.h"
#include "services/renderer_sink/pull/push_host.h"
#include "services/renderer_sink/view/view_server.h"

namespace posewire::renderer_sink {

int RunView(const Config& config, const std::string& version, service::Process& process,
            const service::Logger& log) {
  auto authorizer = service::OpenAuthorizer(config.grpc, log);
  if (!authorizer.ok()) return service::FailToStart(log, authorizer.status());
  ViewOptions view = config.View(log, version);
  if (!config.grpc.tokens.empty()) view.login.authorizer = *authorizer;
  auto server = ViewServer::Start(std::move(view), log);
  if (!server.ok()) return service::FailToStart(log, server.status());
  PushHost host(config, (*server)->pushes(), log);
  if (absl::Status status = host.Start(*authorizer); !status.ok()) {
    return service::FailToStart(log, status);
  }
  if (!ViewServer::HasPage()) {
    log.Warning("this build has no page: npm was not there, or reached no registry, as it was made",
                {{"mend", "install npm and build again"}});
  }
  const int port = (*server)->port();
  if (host.grpc() != nullptr) {
    host.grpc()->AnnounceReady(stdout, port);
  } else {
    std::fprintf(stdout, "{\"http_port\": %d}\n", port);
    std::fflush(stdout);
  }
  log.Info("the page is served", {{"url", (*server)->url()}});
  process.WaitForStop();
  host.Close(/*enough=*/false);
  (*server)->Drain(1.0);
  return 0;
}

}  // namespace posewire::renderer_sink
