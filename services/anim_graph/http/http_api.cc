#include "services/anim_graph/http/http_api.h"

#include <google/protobuf/struct.pb.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/service/access/token_table.h"
#include "libs/wire/text_check.h"
#include "services/anim_graph/http/call_json.h"
#include "services/anim_graph/http/endpoints.h"
#include "services/anim_graph/http/openapi.h"
#include "services/anim_graph/http/page.h"

namespace posewire::anim_graph {
namespace {

using service::HttpHandler;
using service::HttpReplier;
using service::HttpReply;
using service::HttpRequest;

// Returns the stream named by an autoscaler's event.
absl::StatusOr<std::string> CameraId(const std::string& body) {
  google::protobuf::Struct object;
  if (absl::Status s = ReadJson(body, &object); !s.ok()) return s;
  const auto event = object.fields().find("event");
  if (event != object.fields().end()) {
    const auto& fields = event->second.struct_value().fields();
    const auto id = fields.find("camera_id");
    if (id != fields.end() && id->second.kind_case() == google::protobuf::Value::kStringValue) {
      return id->second.string_value();
    }
  }
  return absl::InvalidArgumentError(R"(the body must be {"event": {"camera_id": "<stream_id>"}})");
}

absl::Status ReadBody(const Endpoint& endpoint, const HttpRequest& request,
                      google::protobuf::Message* message) {
  switch (endpoint.body) {
    case Endpoint::kIgnored:
      return absl::OkStatus();
    case Endpoint::kJson:
      return ReadJson(request.body, SubMessage(endpoint.body_field, message));
    case Endpoint::kBytes: {
      const auto* field = message->GetDescriptor()->FindFieldByName(endpoint.body_field);
      message->GetReflection()->SetString(message, field, request.body);
      return absl::OkStatus();
    }
    case Endpoint::kSdrEvent: {
      absl::StatusOr<std::string> id = CameraId(request.body);
      return id.ok() ? SetField("stream_id", *id, message) : id.status();
    }
  }
  return absl::OkStatus();
}

absl::Status CheckStreamIdHeader(const HttpRequest& request) {
  const absl::string_view header = request.Header("x-stream-id");
  const absl::string_view path = request.Path("stream_id");
  if (header.empty() || path.empty() || header == path) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the header x-stream-id is ", wire::Quoted(header),
                                                 ", the path's stream_id is ", wire::Quoted(path),
                                                 "; they must be equal"));
}

absl::StatusOr<std::shared_ptr<ControlCall>> ReadCall(const Endpoint& endpoint,
                                                      const HttpRequest& request) {
  if (absl::Status s = CheckStreamIdHeader(request); !s.ok()) return s;
  auto call = MakeControlCall(endpoint.call);
  if (!call.ok()) return call.status();
  google::protobuf::Message* message = (*call)->request.get();
  // Values in the path override those in the body.
  absl::Status status = ReadBody(endpoint, request, message);
  for (const auto& [name, text] : request.path) {
    const std::string field = FieldOf(endpoint, name);
    if (status.ok() && !field.empty()) status = SetField(field, text, message);
  }
  for (const auto& [name, text] : request.query) {
    for (const char* known : endpoint.query) {
      if (status.ok() && name == known) status = SetField(name, text, message);
    }
  }
  if (!status.ok()) return status;
  return call;
}

// {graph} must be "avatar", ACE's name for every graph, or the name of the current graph.
absl::Status CheckGraph(const Control& control, const HttpRequest& request) {
  const absl::string_view graph = request.Path("graph");
  if (graph.empty() || graph == "avatar") return absl::OkStatus();
  const std::string known = control.graph_name();
  if (graph == known) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat("there is no graph ", wire::Quoted(graph), "; known are avatar and ", known));
}

HttpHandler HandlerOf(const Endpoint& endpoint, Control* control,
                      std::shared_ptr<service::TaskThread> answers) {
  return [&endpoint, control, answers = std::move(answers)](const HttpRequest& request,
                                                            const HttpReplier& reply) {
    stream::Caller caller = service::CallerOf(request.peer, request.Header("authorization"));
    caller.authorization = std::string(request.Header("authorization"));
    if (const auto name = control->MayCall(endpoint.call, caller); !name.ok()) {
      control->LogRejection(caller.peer, name.status());
      return reply(HttpReply::Error(name.status()));
    }
    if (absl::Status s = CheckGraph(*control, request); !s.ok()) return reply(HttpReply::Error(s));
    auto call = ReadCall(endpoint, request);
    if (!call.ok()) return reply(HttpReply::Error(call.status()));
    ControlCall& c = **call;
    c.place = stream::Reservation(&control->parts().capacity->calls);
    if (absl::Status s = c.place.Take(); !s.ok()) {
      control->LogRejection(caller.peer, s);
      return reply(HttpReply::Error(s));
    }
    control->Call(c.method, caller, *c.request, c.response.get(),
                  [call = *std::move(call), answers, reply](const absl::Status& done) mutable {
                    answers->Post([call = std::move(call), reply, done] {
                      if (!done.ok()) return reply(HttpReply::Error(done));
                      reply({.body = WriteJson(*call->response)});
                    });
                  });
  };
}

HttpHandler Page(const char* file, const char* type) {
  return service::Fixed(
      type, std::string(PageFile(file)),
      {{"Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
       {"Referrer-Policy", "no-referrer"}});
}

}  // namespace

service::Reports HttpApi::Reports() const {
  return {.alive = [this] { return control_->parts().workers->CheckAlive(ReadClocks()); },
          .ready = [this] { return readiness_->Check(); },
          .metrics = [this] { return metrics_->Text(); }};
}

std::vector<service::HttpRoute> HttpApi::Routes(const service::HttpOptions& options,
                                                absl::string_view version) {
  std::vector<service::HttpRoute> routes;
  const service::Reports reports = Reports();
  for (const Endpoint& e : Endpoints()) {
    const bool ready = e.pattern == absl::string_view("/readiness");
    routes.push_back({e.method, e.pattern,
                      IsProbe(e) ? service::Probe(ready ? reports.ready : reports.alive)
                                 : HandlerOf(e, control_, answers_)});
    routes.back().when_full = IsProbe(e);
  }
  routes.push_back({"GET", "/ws", nullptr, &sockets_});
  routes.push_back(service::MetricsRoute(options, reports.metrics));
  routes.push_back(
      {"GET", "/openapi.json", service::Fixed("application/json", OpenApiDocument(version))});
  routes.push_back({"GET", "/", service::AtOnce([](const HttpRequest&) {
                      return HttpReply{.status = 307, .headers = {{"Location", "/docs"}}};
                    })});
  routes.push_back({"GET", "/docs", Page("docs.html", "text/html; charset=utf-8")});
  routes.push_back({"GET", "/docs.css", Page("docs.css", "text/css; charset=utf-8")});
  routes.push_back({"GET", "/docs.js", Page("docs.js", "text/javascript; charset=utf-8")});
  return routes;
}

absl::StatusOr<std::unique_ptr<HttpApi>> HttpApi::Start(
    const service::HttpOptions& options, Control* control, const Readiness* readiness,
    const Metrics* metrics, absl::string_view version, const service::Logger& log) {
  std::unique_ptr<HttpApi> api(new HttpApi(control, readiness, metrics, log));
  auto probes = service::StartProbes(options, api->Reports(), log);
  if (!probes.ok()) return probes.status();
  api->probes_ = *std::move(probes);
  if (options.listen.empty()) return api;
  auto host = service::HttpHost::Start(options, api->Routes(options, version), log);
  if (!host.ok()) return host.status();
  api->host_ = *std::move(host);
  return api;
}

}  // namespace posewire::anim_graph
