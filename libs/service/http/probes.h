// What every program answers over HTTP: whether it is alive, and its metrics.
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

// GET /liveness, /healthz and /health: 200 with {"status":"ok"} while `alive` is OK, else its
// error; and GET /metrics. All are answered when all places for connections are taken. Both
// functions come on any thread. The metrics of `options.replies` follow those that are given.
std::vector<HttpRoute> ProbeRoutes(const HttpOptions& options, std::function<absl::Status()> alive,
                                   std::function<std::string()> metrics);
// GET /metrics alone.
HttpRoute MetricsRoute(const HttpOptions& options, std::function<std::string()> metrics);

// These routes alone, with ProcessMetrics and `more` (any thread), for programs that serve nothing
// else by HTTP; null when `options` listens nowhere. Writes {"http_port": 8030} to `ready`. Errors:
// those of HttpHost::Start.
absl::StatusOr<std::unique_ptr<HttpHost>> ServeProbes(const HttpOptions& options, const Logger& log,
                                                      std::FILE* ready,
                                                      std::function<std::vector<Metric>()> more);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_PROBES_H_
