#include "services/renderer_sink/view_command.h"

#include <cstdio>
#include <utility>

namespace posewire::renderer_sink {

int RunView(ViewOptions options, const service::GrpcHost* host, service::Process& process,
            const service::Logger& log) {
  auto server = ViewServer::Start(std::move(options), log);
  if (!server.ok()) return service::Fail(log, server.status());
  if (!ViewServer::HasPage()) {
    log.Warning("this build has no page: npm was not there, or reached no registry, as it was made",
                {{"mend", "install npm and build again"}});
  }
  const int port = (*server)->port();
  if (host != nullptr) {
    host->AnnounceReady(stdout, port);
  } else {
    std::fprintf(stdout, "{\"http_port\": %d}\n", port);
    std::fflush(stdout);
  }
  log.Info("the page is served", {{"address", "http://" + (*server)->address()}});
  process.WaitForStop();
  (*server)->Drain(1.0);
  return 0;
}

}  // namespace posewire::renderer_sink
