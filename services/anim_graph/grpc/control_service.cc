#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "services/anim_graph/grpc/grpc_util.h"
#include "services/anim_graph/grpc/services.h"

namespace posewire::anim_graph {
namespace {

namespace pb = posewire::control::v1;

const char* StateName(PlayState state) {
  switch (state) {
    case PlayState::kQueued:
      return "queued";
    case PlayState::kPlaying:
      return "playing";
    case PlayState::kStarved:
      return "starved";
    case PlayState::kBlendingOut:
      return "blending out";
    case PlayState::kOver:
      return "over";
  }
  return "";
}

void Fill(const Engine::StreamInfo& from, pb::ListStreamsResponse::Stream* to) {
  to->set_stream_id(from.stream_id);
  to->set_registered(from.registered);
  for (const auto& a : from.avatars) {
    auto* avatar = to->add_avatars();
    avatar->set_target_object_id(a.target_object_id);
    avatar->set_tick(static_cast<uint64_t>(std::max<int64_t>(0, a.tick)));
    avatar->set_pulls(static_cast<uint32_t>(a.pulls));
    for (const auto& r : a.requests) {
      auto* request = avatar->add_requests();
      request->set_request_id(r.request_id);
      request->set_source_service_id(r.source_service_id);
      request->set_state(StateName(r.state));
      request->set_position_s(r.position_s);
      request->set_buffered_s(r.buffered_s);
    }
  }
}

grpc::ServerUnaryReactor* Done(grpc::CallbackServerContext* context, const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(ToGrpc(status));
  return reactor;
}

}  // namespace

grpc::ServerUnaryReactor* ControlService::OnStream(grpc::CallbackServerContext* context,
                                                   const std::string& stream_id, Action action) {
  if (absl::Status s = wire::CheckId("stream_id", stream_id); !s.ok()) return Done(context, s);
  const CallContext caller{"", {"", stream_id, ""}, context->peer()};
  if (absl::Status s = Admit(parts_, caller, Verb::kControl); !s.ok()) return Done(context, s);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  parts_.workers->For(stream_id).Post(
      [reactor, action = std::move(action)](Engine& engine, Now now) mutable {
        reactor->Finish(ToGrpc(action(engine, now)));
      });
  return reactor;
}

grpc::ServerUnaryReactor* ControlService::SetGesture(grpc::CallbackServerContext* context,
                                                     const pb::SetGestureRequest* request,
                                                     pb::SetGestureResponse* response) {
  return OnStream(context, request->stream_id(), [request, response](Engine& engine, Now now) {
    auto taken = engine.SetGesture(request->stream_id(), request->target_object_id(),
                                   request->gesture(), now);
    if (taken.ok()) response->set_avatars(static_cast<uint32_t>(taken->avatars));
    return taken.status();
  });
}

grpc::ServerUnaryReactor* ControlService::ListGestures(grpc::CallbackServerContext* context,
                                                       const pb::ListGesturesRequest*,
                                                       pb::ListGesturesResponse* response) {
  for (const auto& clip : gestures_->clips()) {
    auto* gesture = response->add_gestures();
    gesture->set_name(clip->name());
    gesture->set_duration_s(clip->duration_s());
  }
  return Done(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* ControlService::StopRequest(grpc::CallbackServerContext* context,
                                                      const pb::StopRequestRequest* request,
                                                      pb::StopRequestResponse*) {
  return OnStream(context, request->stream_id(), [request](Engine& engine, Now now) {
    return engine.StopRequest(request->stream_id(), request->request_id(), now);
  });
}

grpc::ServerUnaryReactor* ControlService::RegisterStream(grpc::CallbackServerContext* context,
                                                         const pb::RegisterStreamRequest* request,
                                                         pb::RegisterStreamResponse*) {
  if (!request->target_object_id().empty()) {
    absl::Status s = wire::CheckId("target_object_id", request->target_object_id());
    if (!s.ok()) return Done(context, s);
  }
  return OnStream(context, request->stream_id(), [request](Engine& engine, Now now) {
    return engine.RegisterStream(request->stream_id(), request->target_object_id(), now);
  });
}

grpc::ServerUnaryReactor* ControlService::RemoveStream(grpc::CallbackServerContext* context,
                                                       const pb::RemoveStreamRequest* request,
                                                       pb::RemoveStreamResponse*) {
  return OnStream(context, request->stream_id(), [request](Engine& engine, Now now) {
    return engine.RemoveStream(request->stream_id(), now);
  });
}

// Every worker adds its streams; the last one answers.
grpc::ServerUnaryReactor* ControlService::ListStreams(grpc::CallbackServerContext* context,
                                                      const pb::ListStreamsRequest*,
                                                      pb::ListStreamsResponse* response) {
  struct Gathering {
    std::mutex mutex;
    size_t left = 0;
  };
  const CallContext caller{"", {}, context->peer()};
  if (absl::Status s = parts_.authorizer->Check(caller, Verb::kControl); !s.ok()) {
    return Done(context, s);
  }
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const std::vector<Worker*> workers = parts_.workers->all();
  auto gathering = std::make_shared<Gathering>();
  gathering->left = workers.size();
  for (Worker* worker : workers) {
    worker->Post([reactor, response, gathering](Engine& engine, Now) {
      bool last = false;
      {
        std::lock_guard lock(gathering->mutex);
        for (const auto& info : engine.Streams()) Fill(info, response->add_streams());
        last = --gathering->left == 0;
      }
      if (last) reactor->Finish(grpc::Status::OK);
    });
  }
  return reactor;
}

}  // namespace posewire::anim_graph
