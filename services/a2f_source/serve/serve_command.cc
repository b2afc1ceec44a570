#include "services/a2f_source/serve/serve_command.h"

#include <utility>

#include "services/a2f_source/grpc/request_stopper.h"
#include "services/a2f_source/grpc/source_service.h"
#include "services/a2f_source/sinks.h"

namespace posewire::a2f_source {
namespace {

using OnConnection = std::function<void(const client::ConnectionEvent&)>;

SpeakerOutput MakeOutput(client::PushOptions push, const SayText& text,
                         const OnConnection& on_connection) {
  push.policy = text.policy;
  push.connection.on_event = [told = std::move(push.connection.on_event),
                              on_connection](const client::ConnectionEvent& event) {
    if (told) told(event);
    on_connection(event);
  };
  auto sink = std::make_shared<PushSink>(std::move(push));
  return {sink, [sink] { sink->Cancel(); }};
}

}  // namespace

int RunServe(const ServeSettings& settings, service::Process& process, const service::Logger& log) {
  RequestStopper stopper(settings.push.connection);
  SpeakerParts parts;
  parts.make_source = settings.make_source;
  parts.make_output = [push = settings.push](const SayText& text, const OnConnection& told) {
    return MakeOutput(push, text, told);
  };
  parts.stop_request = [&stopper](const RunIds& ids,
                                  std::function<void(const absl::Status&)> done) {
    stopper.Stop(ids.stream_id, ids.request_id, std::move(done));
  };
  parts.log = log;
  Speaker speaker(settings.speaker, std::move(parts));
  SourceService service(&speaker, settings.defaults);
  auto host = service::GrpcHost::Start(settings.grpc, {&service}, log);
  if (!host.ok()) return service::Fail(log, host.status());
  (*host)->AnnounceReady();
  process.WaitForStop();
  (*host)->Drain([&](double budget_s) { speaker.Close(budget_s); });
  return 0;
}

}  // namespace posewire::a2f_source
