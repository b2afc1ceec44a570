#include "services/renderer_sink/view/source_routes.h"

#include <utility>

namespace posewire::renderer_sink {
namespace {

using service::HttpReply;
using service::HttpRequest;

// The source tries to reach its compositor for a few seconds before it reports an error; the host's
// own limit is longer than this.
constexpr double kTimeout_s = 8;

service::HttpHandler Forward(JsonCalls* source, Login* login, const char* method) {
  return [source, login, method](const HttpRequest& request, const service::HttpReplier& reply) {
    JsonCalls::MayCall may_call;
    if (login != nullptr) {
      auto visitor = login->Enter(request);
      if (!visitor.ok()) return reply(HttpReply::Error(visitor.status()));
      may_call = login->MayCall(*std::move(visitor), method);
    }
    source->Call(
        method, request.body.empty() ? "{}" : request.body,
        [reply](absl::StatusOr<std::string> json) {
          // The text was stopped, which is not a failure.
          if (absl::IsCancelled(json.status())) {
            return reply(HttpReply::Error(409, json.status().message()));
          }
          if (!json.ok()) return reply(HttpReply::Error(json.status()));
          reply({.body = *std::move(json), .headers = {{"Cache-Control", "no-store"}}});
        },
        may_call);
  };
}

}  // namespace

std::unique_ptr<JsonCalls> CallSource(const client::ConnectionOptions& connection,
                                      const service::Logger& log) {
  return std::make_unique<JsonCalls>(JsonCallOptions{.connection = connection,
                                                     .service = "posewire.source.v1.SourceService",
                                                     .timeout_s = kTimeout_s,
                                                     .server = "the source",
                                                     .log = log});
}

std::vector<service::HttpRoute> SourceRoutes(JsonCalls* source, Login* login) {
  return {{"POST", "/source/say", Forward(source, login, "Say")},
          {"POST", "/source/stop", Forward(source, login, "Stop")},
          {"POST", "/source/texts", Forward(source, login, "ListTexts")},
          {"GET", "/source/voices", Forward(source, login, "ListVoices")}};
}

}  // namespace posewire::renderer_sink
