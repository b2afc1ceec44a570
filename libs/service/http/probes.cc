#include "libs/service/http/probes.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/service/http/http_router.h"
#include "libs/service/metrics/process_metrics.h"

namespace posewire::service {

HttpRoute MetricsRoute(const HttpOptions& options, std::function<std::string()> metrics) {
  HttpRoute route{"GET", "/metrics",
                  AtOnce([metrics = std::move(metrics), replies = options.replies,
                          unusable = options.tokens_unusable](const HttpRequest&) {
                    std::vector<Metric> more = {replies->Told()};
                    if (unusable != nullptr) {
                      more.push_back({"posewire_tokens_unusable",
                                      "1 while the file of --tokens cannot be used.",
                                      Metric::Kind::kGauge,
                                      {{*unusable ? 1.0 : 0.0}}});
                    }
                    return HttpReply{.content_type = kMetricsContentType,
                                     .body = absl::StrCat(metrics(), MetricsText(more))};
                  })};
  route.when_full = true;
  return route;
}

std::vector<HttpRoute> ProbeRoutes(const HttpOptions& options, std::function<absl::Status()> alive,
                                   std::function<std::string()> metrics) {
  const HttpHandler health =
      AtOnce([alive = std::move(alive)](const HttpRequest&) -> absl::StatusOr<HttpReply> {
        if (absl::Status s = alive(); !s.ok()) return s;
        return HttpReply{.body = R"({"status":"ok"})"};
      });
  std::vector<HttpRoute> routes;
  for (const char* path : {"/liveness", "/healthz", "/health"}) {
    routes.push_back({"GET", path, health});
    routes.back().when_full = true;
  }
  routes.push_back(MetricsRoute(options, std::move(metrics)));
  return routes;
}

absl::StatusOr<std::unique_ptr<HttpHost>> ServeProbes(const HttpOptions& options, const Logger& log,
                                                      std::FILE* ready,
                                                      std::function<std::vector<Metric>()> more) {
  if (options.listen.empty()) return nullptr;
  auto host = HttpHost::Start(
      options,
      ProbeRoutes(
          options, [] { return absl::OkStatus(); },
          [log, more = std::move(more)] { return ProcessMetricsText(log.counts(), more()); }),
      log);
  if (!host.ok()) return host.status();
  std::fprintf(ready, "{\"http_port\": %d}\n", (*host)->port());
  std::fflush(ready);
  return host;
}

}  // namespace posewire::service
