// HTTP routes that every program has: liveness and metrics.
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

// GET /liveness, /healthz and /health: 200 with {"status":"ok"} while `alive` returns OK, else its
// error; and GET /metrics. All are answered even when all places for connections are taken. Both
// functions are called on any thread. The metrics of `options.replies` are appended.
std::vector<HttpRoute> ProbeRoutes(const HttpOptions& options, std::function<absl::Status()> alive,
                                   std::function<std::string()> metrics);
// Only GET /metrics.
HttpRoute MetricsRoute(const HttpOptions& options, std::function<std::string()> metrics);

// Serves only these routes, with ProcessMetrics and `more` (called on any thread), for programs
// without other HTTP routes. Returns null if `options` has no address. Writes {"http_port": 8030}
// to `ready`. Errors: those of HttpHost::Start.
absl::StatusOr<std::unique_ptr<HttpHost>> ServeProbes(const HttpOptions& options, const Logger& log,
                                                      std::FILE* ready,
                                                      std::function<std::vector<Metric>()> more);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_PROBES_H_
