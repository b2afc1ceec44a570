// HTTP routes that every program has: liveness and metrics; and a port for these alone.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_PROBES_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_PROBES_H_

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/service/http/http_host.h"
#include "libs/service/metrics/metrics_text.h"

namespace posewire::service {

// What a process reports of itself. Called on any thread.
struct Reports {
  std::function<absl::Status()> alive = absl::OkStatus;
  std::function<absl::Status()> ready = absl::OkStatus;
  std::function<std::string()> metrics;
};

// Answers 200 with {"status":"ok"} while `check` returns OK, else its error.
HttpHandler Probe(std::function<absl::Status()> check);

// GET /liveness, /healthz and /health, which report `alive`; and GET /metrics. All are answered
// even when all places for connections are taken. The metrics of `options.replies` are appended.
std::vector<HttpRoute> ProbeRoutes(const HttpOptions& options, const Reports& reports);
// Only GET /metrics.
HttpRoute MetricsRoute(const HttpOptions& options, std::function<std::string()> metrics);

// Serves GET /healthz, /readyz and /metrics at options.probes, and 404 for any other path. Speaks
// plain text on any network, and asks for no certificate, token or host name: nothing that it
// serves names a stream or a person. Returns null if options.probes is empty. Errors: those of
// HttpHost::Start.
absl::StatusOr<std::unique_ptr<HttpHost>> StartProbes(const HttpOptions& options,
                                                      const Reports& reports, const Logger& log);

// Writes {"http_port": 8030, "probes_port": 8031} as one line, flushed, without a port that is 0;
// nothing if both are.
void AnnouncePorts(std::FILE* ready, int http_port, int probes_port);

struct ProbeHosts {
  std::unique_ptr<HttpHost> http, probes;  // null: not served
};

// For programs without other HTTP routes: serves ProbeRoutes at options.listen and StartProbes,
// with ProcessMetrics and `more` (called on any thread), and announces their ports to `ready`.
// Errors: those of HttpHost::Start.
absl::StatusOr<ProbeHosts> ServeProbes(const HttpOptions& options, const Logger& log,
                                       std::FILE* ready, std::function<std::vector<Metric>()> more);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_PROBES_H_
