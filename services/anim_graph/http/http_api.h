// The control API over HTTP with ACE's paths, the page at /docs, the WebSocket at /ws, and the
// metrics at /metrics.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_HTTP_API_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_HTTP_API_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/service/http/http_host.h"
#include "libs/service/http/probes.h"
#include "libs/service/logger.h"
#include "libs/service/task_thread.h"
#include "services/anim_graph/http/endpoints.h"
#include "services/anim_graph/http/metrics.h"
#include "services/anim_graph/http/socket_api.h"
#include "services/anim_graph/runtime/control.h"
#include "services/anim_graph/runtime/readiness.h"

namespace posewire::anim_graph {

// Thread-safe, except Drain, which must be called at most once.
class HttpApi {
 public:
  // Serves what options.listen and options.probes are set for. `control`, `readiness` and `metrics`
  // must outlive the result. `version` is the program's version. Errors: see HttpHost.
  static absl::StatusOr<std::unique_ptr<HttpApi>> Start(
      const service::HttpOptions& options, Control* control, const Readiness* readiness,
      const Metrics* metrics, absl::string_view version, const service::Logger& log);

  // Return 0 for what is not served.
  int port() const { return host_ == nullptr ? 0 : host_->port(); }
  int probes_port() const { return probes_ == nullptr ? 0 : probes_->port(); }
  // The probes are served until the destructor.
  void Drain(double budget_s) {
    if (host_ != nullptr) host_->Drain(budget_s);
  }

 private:
  HttpApi(Control* control, const Readiness* readiness, const Metrics* metrics,
          const service::Logger& log)
      : control_(control),
        readiness_(readiness),
        metrics_(metrics),
        answers_(std::make_shared<service::TaskThread>(
            log, service::TaskThreadOptions{.what = "answer"})),
        sockets_(control, answers_) {}
  // They call no worker.
  service::Reports Reports() const;
  std::vector<service::HttpRoute> Routes(const service::HttpOptions& options,
                                         absl::string_view version);

  Control* const control_;
  const Readiness* const readiness_;
  const Metrics* const metrics_;
  // Shared with calls in progress, which may end after this is destroyed.
  const std::shared_ptr<service::TaskThread> answers_;
  SocketApi sockets_;
  std::unique_ptr<service::HttpHost> host_;    // null: none
  std::unique_ptr<service::HttpHost> probes_;  // null: none
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_HTTP_API_H_
