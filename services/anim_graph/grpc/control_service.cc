#include "services/anim_graph/grpc/control_service.h"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "services/anim_graph/grpc/grpc_util.h"

namespace posewire::anim_graph {
namespace {

// Sends events one by one until the caller goes away. Keeps itself alive until gRPC is done.
class EventStream : public grpc::ServerWriteReactor<cv1::Event> {
 public:
  static EventStream* Start(Control& control, grpc::CallbackServerContext* context,
                            const cv1::WatchEventsRequest& request) {
    std::shared_ptr<EventStream> stream(new EventStream);
    stream->self_ = stream;
    auto watch = control.Watch(request.stream_id(), context->peer(),
                               [weak = std::weak_ptr<EventStream>(stream)] {
                                 if (auto s = weak.lock()) s->Pump();
                               });
    if (!watch.ok()) {
      stream->finished_ = true;
      stream->Finish(ToGrpc(watch.status()));
      return stream.get();
    }
    {
      std::lock_guard lock(stream->mutex_);
      stream->watch_ = *std::move(watch);
      stream->StartSendInitialMetadata();
    }
    // What came up before the watch was set woke nobody; nor does a hub that is closed already.
    stream->Pump();
    return stream.get();
  }

  void OnWriteDone(bool ok) override {
    {
      std::lock_guard lock(mutex_);
      writing_ = false;
    }
    if (ok) Pump();
  }
  void OnCancel() override {
    std::lock_guard lock(mutex_);
    watch_ = nullptr;
    if (std::exchange(finished_, true)) return;
    Finish(grpc::Status::CANCELLED);
  }
  void OnDone() override {
    const std::shared_ptr<EventStream> last = std::move(self_);
    std::lock_guard lock(mutex_);
    watch_ = nullptr;
  }

 private:
  void Pump() {
    std::lock_guard lock(mutex_);
    if (writing_ || finished_ || watch_ == nullptr) return;
    std::optional<cv1::Event> event = watch_->Take();
    if (!event) {
      if (!watch_->over()) return;
      finished_ = true;
      Finish({grpc::StatusCode::UNAVAILABLE, "the server is shutting down; connect again"});
      return;
    }
    event_ = *std::move(event);
    writing_ = true;
    StartWrite(&event_);
  }

  std::shared_ptr<EventStream> self_;  // until OnDone
  std::mutex mutex_;
  std::shared_ptr<EventHub::Watch> watch_;  // guarded by mutex_
  cv1::Event event_;                        // guarded by mutex_, or being written
  bool writing_ = false;                    // guarded by mutex_
  bool finished_ = false;                   // guarded by mutex_
};

}  // namespace

template <typename Request, typename Response>
grpc::ServerUnaryReactor* ControlService::Unary(grpc::CallbackServerContext* context,
                                                const Request* request, Response* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  control_->Call(context->peer(), *request, response,
                 [reactor](const absl::Status& status) { reactor->Finish(ToGrpc(status)); });
  return reactor;
}

grpc::ServerUnaryReactor* ControlService::SetGesture(grpc::CallbackServerContext* context,
                                                     const cv1::SetGestureRequest* request,
                                                     cv1::SetGestureResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::ListGestures(grpc::CallbackServerContext* context,
                                                       const cv1::ListGesturesRequest* request,
                                                       cv1::ListGesturesResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::StopRequest(grpc::CallbackServerContext* context,
                                                      const cv1::StopRequestRequest* request,
                                                      cv1::StopRequestResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::RegisterStream(grpc::CallbackServerContext* context,
                                                         const cv1::RegisterStreamRequest* request,
                                                         cv1::RegisterStreamResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::RemoveStream(grpc::CallbackServerContext* context,
                                                       const cv1::RemoveStreamRequest* request,
                                                       cv1::RemoveStreamResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::ListStreams(grpc::CallbackServerContext* context,
                                                      const cv1::ListStreamsRequest* request,
                                                      cv1::ListStreamsResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::ListGraphs(grpc::CallbackServerContext* context,
                                                     const cv1::ListGraphsRequest* request,
                                                     cv1::ListGraphsResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::ListVariables(grpc::CallbackServerContext* context,
                                                        const cv1::ListVariablesRequest* request,
                                                        cv1::ListVariablesResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::SetVariable(grpc::CallbackServerContext* context,
                                                      const cv1::SetVariableRequest* request,
                                                      cv1::SetVariableResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::FireEvent(grpc::CallbackServerContext* context,
                                                    const cv1::FireEventRequest* request,
                                                    cv1::FireEventResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::PlayArrangement(
    grpc::CallbackServerContext* context, const cv1::PlayArrangementRequest* request,
    cv1::PlayArrangementResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::SetUser(grpc::CallbackServerContext* context,
                                                  const cv1::SetUserRequest* request,
                                                  cv1::SetUserResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::RemoveUser(grpc::CallbackServerContext* context,
                                                     const cv1::RemoveUserRequest* request,
                                                     cv1::RemoveUserResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::PlaceAvatar(grpc::CallbackServerContext* context,
                                                      const cv1::PlaceAvatarRequest* request,
                                                      cv1::PlaceAvatarResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::GetSites(grpc::CallbackServerContext* context,
                                                   const cv1::GetSitesRequest* request,
                                                   cv1::GetSitesResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::PutClip(grpc::CallbackServerContext* context,
                                                  const cv1::PutClipRequest* request,
                                                  cv1::PutClipResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::ListClips(grpc::CallbackServerContext* context,
                                                    const cv1::ListClipsRequest* request,
                                                    cv1::ListClipsResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::RemoveClip(grpc::CallbackServerContext* context,
                                                     const cv1::RemoveClipRequest* request,
                                                     cv1::RemoveClipResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::PutArrangement(grpc::CallbackServerContext* context,
                                                         const cv1::PutArrangementRequest* request,
                                                         cv1::PutArrangementResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::ListArrangements(
    grpc::CallbackServerContext* context, const cv1::ListArrangementsRequest* request,
    cv1::ListArrangementsResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerUnaryReactor* ControlService::RemoveArrangement(
    grpc::CallbackServerContext* context, const cv1::RemoveArrangementRequest* request,
    cv1::RemoveArrangementResponse* response) {
  return Unary(context, request, response);
}
grpc::ServerWriteReactor<cv1::Event>* ControlService::WatchEvents(
    grpc::CallbackServerContext* context, const cv1::WatchEventsRequest* request) {
  return EventStream::Start(*control_, context, *request);
}

}  // namespace posewire::anim_graph
