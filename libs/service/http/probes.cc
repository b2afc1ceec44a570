#include "libs/service/http/probes.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

HttpHandler Probe(std::function<absl::Status()> check) {
  return AtOnce([check = std::move(check)](const HttpRequest&) -> absl::StatusOr<HttpReply> {
    if (absl::Status s = check(); !s.ok()) return s;
    return HttpReply{.body = R"({"status":"ok"})"};
  });
}

namespace {

// The probes at these paths, and the metrics.
std::vector<HttpRoute> RoutesOf(const HttpOptions& options, const Reports& reports,
                                const std::vector<std::pair<const char*, HttpHandler>>& at) {
  std::vector<HttpRoute> routes;
  for (const auto& [path, probe] : at) {
    routes.push_back({"GET", path, probe});
    routes.back().when_full = true;
  }
  routes.push_back(MetricsRoute(options, reports.metrics));
  return routes;
}

}  // namespace

std::vector<HttpRoute> ProbeRoutes(const HttpOptions& options, const Reports& reports) {
  const HttpHandler health = Probe(reports.alive);
  return RoutesOf(options, reports,
                  {{"/liveness", health}, {"/healthz", health}, {"/health", health}});
}

absl::StatusOr<std::unique_ptr<HttpHost>> StartProbes(const HttpOptions& options,
                                                      const Reports& reports, const Logger& log) {
  if (options.probes.empty()) return nullptr;
  HttpOptions open = options;
  open.listen = options.probes;
  open.allow_plaintext = true;
  open.tls = {};
  open.allowed_hosts = {"*"};
  open.allowed_origins = {};
  open.threads = 1;
  return HttpHost::Start(
      open,
      RoutesOf(options, reports,
               {{"/healthz", Probe(reports.alive)}, {"/readyz", Probe(reports.ready)}}),
      log);
}

void AnnouncePorts(std::FILE* ready, int http_port, int probes_port) {
  std::vector<std::string> fields;
  if (http_port != 0) fields.push_back(absl::StrCat("\"http_port\": ", http_port));
  if (probes_port != 0) fields.push_back(absl::StrCat("\"probes_port\": ", probes_port));
  if (fields.empty()) return;
  std::fprintf(ready, "{%s}\n", absl::StrJoin(fields, ", ").c_str());
  std::fflush(ready);
}

absl::StatusOr<ProbeHosts> ServeProbes(const HttpOptions& options, const Logger& log,
                                       std::FILE* ready,
                                       std::function<std::vector<Metric>()> more) {
  const Reports reports{.metrics = [log, more = std::move(more)] {
    return ProcessMetricsText(log.counts(), more());
  }};
  ProbeHosts hosts;
  if (!options.listen.empty()) {
    auto host = HttpHost::Start(options, ProbeRoutes(options, reports), log);
    if (!host.ok()) return host.status();
    hosts.http = *std::move(host);
  }
  auto probes = StartProbes(options, reports, log);
  if (!probes.ok()) return probes.status();
  hosts.probes = *std::move(probes);
  const auto port = [](const auto& host) { return host == nullptr ? 0 : host->port(); };
  AnnouncePorts(ready, port(hosts.http), port(hosts.probes));
  return hosts;
}

}  // namespace posewire::service
