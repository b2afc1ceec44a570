#include "services/a2f_source/serve/run_serve.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "libs/service/access/token_file.h"
#include "services/a2f_source/grpc/a2f_services.h"
#include "services/a2f_source/grpc/activity_tempo.h"
#include "services/a2f_source/grpc/control_calls.h"
#include "services/a2f_source/grpc/source_service.h"
#include "services/a2f_source/pulls/pull_host.h"
#include "services/a2f_source/pulls/served_sink.h"
#include "services/a2f_source/request/sinks.h"

namespace posewire::a2f_source {
namespace {

constexpr char kLivePrebuffer_s[] = "0.03";

using OnConnection = std::function<void(const client::ConnectionEvent&)>;

std::shared_ptr<PushSink> MakePush(client::PushOptions push, const SayText& text,
                                   const OnConnection& on_connection) {
  push.policy = text.policy;
  push.traceparent = text.traceparent;
  // What is held before it plays is delay.
  if (text.live && push.prebuffer_s.empty()) push.prebuffer_s = kLivePrebuffer_s;
  push.connection.on_event = [told = std::move(push.connection.on_event),
                              on_connection](const client::ConnectionEvent& event) {
    if (told) told(event);
    on_connection(event);
  };
  return std::make_shared<PushSink>(std::move(push));
}

SpeakerOutput MakeOutput(const ServeSettings& settings, PullRoom* room, const SayText& text,
                         const OnConnection& on_connection) {
  std::shared_ptr<PushSink> push;
  if (!settings.pulled_only) push = MakePush(settings.push, text, on_connection);
  auto served = std::make_shared<ServedSink>(
      room, push,
      ServedSinkOptions{.wait_for_pull = settings.pulled_only,
                        .wait_s = settings.speaker.first_contact_s,
                        .lead_s = settings.pulled_only ? 0 : settings.speaker.lead_s / 2});
  return {served, [push, served] {
            if (push != nullptr) push->Cancel();
            served->Cancel();
          }};
}

}  // namespace

int RunServe(const ServeSettings& settings, service::Process& process, const service::Logger& log) {
  const auto authorizer = service::OpenAuthorizer(settings.grpc, log);
  if (!authorizer.ok()) return service::FailToStart(log, authorizer.status());
  PullRoom room(log);
  room.AddStream(settings.defaults.text.ids.stream_id);
  ControlCalls control(settings.push.connection);
  const ActivityTempo tempo(settings.push.connection);
  SpeakerParts parts;
  parts.make_source = settings.make_source;
  if (!settings.pulled_only) {
    parts.speed_of = [&tempo](const SayText& text) {
      return tempo.Of(text.ids.stream_id, text.ids.target_id, text.speed);
    };
  }
  parts.make_output = [&](const SayText& text, const OnConnection& told) {
    return MakeOutput(settings, &room, text, told);
  };
  parts.stop_request = [&control](const RunIds& ids,
                                  std::function<void(const absl::Status&)> done) {
    control.Stop(ids.stream_id, ids.request_id, std::move(done));
  };
  if (!settings.pulled_only) {
    parts.carry_out = [&control](const RunIds& ids, const speech::TextMark& mark,
                                 std::function<void(const absl::Status&)> done) {
      const bool gesture = mark.kind == speech::TextMark::kGesture;
      control.SetVariable(ids.stream_id, ids.target_id,
                          gesture ? "gesture_state" : "facial_gesture_state", mark.name,
                          std::move(done));
    };
  }
  parts.log = log;
  Speaker speaker(settings.speaker, std::move(parts));
  SourceService service(&speaker, settings.voices.get(), settings.defaults, settings.streams,
                        *authorizer, log);
  A2fServices sounds(settings.sounds,
                     {.network = speech::SpeechNetwork::Builtin(),
                      .make_output =
                          [&](const std::string& traceparent, const OnConnection& told) {
                            SayText text = settings.defaults.text;
                            text.traceparent = traceparent;
                            return MakeOutput(settings, &room, text, told);
                          },
                      .authorizer = *authorizer,
                      .log = log});
  std::vector<grpc::Service*> services = sounds.services();
  services.push_back(&service);
  auto host = PullHost::Start(settings.grpc, services, &room, *authorizer, log);
  if (!host.ok()) return service::FailToStart(log, host.status());
  (*host)->grpc().AnnounceReady();
  process.WaitForStop();
  (*host)->grpc().Drain([&](double budget_s) {
    const double end_s = client::SteadySeconds() + budget_s;
    sounds.Close(std::min(1.0, budget_s));
    speaker.Close(end_s - client::SteadySeconds());
    service.Close(end_s - client::SteadySeconds());
    room.Drain(end_s - client::SteadySeconds());
  });
  return 0;
}

}  // namespace posewire::a2f_source
