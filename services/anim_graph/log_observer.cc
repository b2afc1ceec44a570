#include "services/anim_graph/log_observer.h"

#include <vector>

#include "libs/stream/trace.h"

namespace posewire::anim_graph {
namespace {

using service::LogField;

struct Line {
  service::LogLevel level;
  const char* text;
};

Line LineOf(EngineEvent::Kind kind) {
  using service::LogLevel;
  switch (kind) {
    case EngineEvent::kAvatarMade:
      return {LogLevel::kInfo, "avatar made"};
    case EngineEvent::kAvatarRemoved:
      return {LogLevel::kInfo, "avatar removed"};
    case EngineEvent::kRequestStarted:
      return {LogLevel::kInfo, "request started"};
    case EngineEvent::kRequestEnded:
      return {LogLevel::kInfo, "request ended"};
    case EngineEvent::kUnderrun:
      return {LogLevel::kWarning, "underrun: the source is late, the request holds"};
    case EngineEvent::kResumed:
      return {LogLevel::kInfo, "request goes on"};
    case EngineEvent::kGap:
      return {LogLevel::kWarning, "the process was stalled"};
    case EngineEvent::kPullOverdue:
      return {LogLevel::kWarning, "pull ended: too slow"};
    case EngineEvent::kSourceSilent:
      return {LogLevel::kWarning, "push ended: the source was silent"};
    case EngineEvent::kSourceLost:
      return {LogLevel::kWarning, "source lost: what is buffered plays"};
    case EngineEvent::kRequestInterrupted:
      return {LogLevel::kInfo, "request interrupted"};
    case EngineEvent::kPushRejected:
    case EngineEvent::kRequestRejected:
      return {LogLevel::kWarning, "push refused"};
    case EngineEvent::kPropAttached:
      return {LogLevel::kDebug, "prop attached"};
    case EngineEvent::kPropDetached:
      return {LogLevel::kDebug, "prop detached"};
    case EngineEvent::kPropFailed:
      return {LogLevel::kDebug, "prop action failed"};
    case EngineEvent::kGraphTold:
      return {LogLevel::kDebug, "graph"};
  }
  return {LogLevel::kInfo, ""};
}

}  // namespace

void LogObserver::On(const EngineEvent& event) {
  const Line line = LineOf(event.kind);
  if (!log_.Enabled(line.level)) return;
  std::vector<LogField> fields = {{"stream_id", event.stream_id},
                                  {"target_object_id", event.target_object_id},
                                  {"request_id", event.request_id},
                                  {"detail", event.detail}};
  if (!event.peer.empty()) fields.emplace_back("peer", event.peer);
  if (!event.traceparent.empty()) {
    fields.emplace_back("trace_id", stream::TraceIdOf(event.traceparent));
  }
  log_.Write(line.level, line.text, fields.data(), fields.size());
}

}  // namespace posewire::anim_graph
