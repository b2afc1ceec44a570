// The control API without a transport. gRPC, HTTP and WebSocket all call it.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_CONTROL_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_CONTROL_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/stream/busy.h"
#include "posewire.control.v1.pb.h"
#include "services/anim_graph/runtime/admission.h"
#include "services/anim_graph/runtime/clip_intake.h"
#include "services/anim_graph/runtime/event_hub.h"
#include "services/anim_graph/runtime/graph_store.h"
#include "services/anim_graph/runtime/stream_lists.h"

namespace posewire::anim_graph {

namespace cv1 = posewire::control::v1;

// Executes calls of posewire.control.v1. A call about one stream runs on that stream's worker, or
// at the peer that serves the stream; clips are read on their own thread, and lists of all streams
// are made by StreamLists. Thread-safe.
class Control {
 public:
  // Called once, on any thread, when `response` is filled. `response` and `request` must live until
  // then.
  using Done = absl::AnyInvocable<void(const absl::Status&)>;

  // All pointers must outlive this.
  Control(const CallParts& parts, GraphStore* graphs, EventHub* events)
      : parts_(parts),
        graphs_(graphs),
        events_(events),
        lists_(parts.workers, parts.log),
        intake_(graphs, parts.log) {}

  // The name of the current graph.
  std::string graph_name() const { return graphs_->asset()->name(); }

  // Calls a method by its name in posewire.control.v1.ControlService ("SetVariable"). UNIMPLEMENTED
  // for an unknown method, and for WatchEvents, which has no single response.
  void Call(absl::string_view method, const stream::Caller& caller,
            const google::protobuf::Message& request, google::protobuf::Message* response,
            Done done);

  // The same with typed messages.
  template <typename Request, typename Response>
  void Call(const stream::Caller& caller, const Request& request, Response* response, Done done) {
    auto name = MayCall(Request::descriptor()->name(), caller);
    absl::Status s = name.status();
    if (s.ok()) s = CheckTexts(request);
    if (!s.ok()) {
      LogRejection(caller.peer, s);
      return done(s);
    }
    Do(request, response, caller,
       [this, &request, name = *std::move(name), peer = caller.peer,
        done = std::move(done)](const absl::Status& status) mutable {
         LogRejection(peer, status);
         LogCall(name, peer, request, status);
         done(status);
       });
  }

  // Returns the caller's name, or the reason why it may not call this method on any stream.
  // `method` may end in "Request".
  absl::StatusOr<std::string> MayCall(absl::string_view method,
                                      const stream::Caller& caller) const {
    return parts_.authorizer->Check(caller, "", PermissionOf(method));
  }

  // Logs a rejection that was caused by a limit or by missing permission; ignores others.
  void LogRejection(const std::string& peer, const absl::Status& status) const;

  // Watches the events of one stream, or of all if `stream_id` is empty; see EventHub.
  // Calls `done` once, like Admit.
  using Watching = absl::StatusOr<std::shared_ptr<EventHub::Watch>>;
  void Watch(const std::string& stream_id, const stream::Caller& caller, std::function<void()> wake,
             absl::AnyInvocable<void(Watching)> done);

  // Ends all calls of a stream whose lease was lost.
  void EndStream(const StreamDirectory::LostLease& lost);

  // Rejects clips that are waiting to be read, from now on. Everything else continues.
  void CloseIntake() { intake_.Close(); }

  const CallParts& parts() const { return parts_; }

 private:
  using Action = absl::AnyInvocable<absl::Status(Engine&, Now)>;

  void Do(const cv1::SetGestureRequest&, cv1::SetGestureResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::ListGesturesRequest&, cv1::ListGesturesResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::StopRequestRequest&, cv1::StopRequestResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::RegisterStreamRequest&, cv1::RegisterStreamResponse*,
          const stream::Caller& caller, Done);
  void Do(const cv1::RemoveStreamRequest&, cv1::RemoveStreamResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::MoveStreamsRequest&, cv1::MoveStreamsResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::ListStreamsRequest&, cv1::ListStreamsResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::ListGraphsRequest&, cv1::ListGraphsResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::ListVariablesRequest&, cv1::ListVariablesResponse*,
          const stream::Caller& caller, Done);
  void Do(const cv1::SetVariableRequest&, cv1::SetVariableResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::FireEventRequest&, cv1::FireEventResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::PlayArrangementRequest&, cv1::PlayArrangementResponse*,
          const stream::Caller& caller, Done);
  void Do(const cv1::SetUserRequest&, cv1::SetUserResponse*, const stream::Caller& caller, Done);
  void Do(const cv1::RemoveUserRequest&, cv1::RemoveUserResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::SetPropRequest&, cv1::SetPropResponse*, const stream::Caller& caller, Done);
  void Do(const cv1::MovePropRequest&, cv1::MovePropResponse*, const stream::Caller& caller, Done);
  void Do(const cv1::RemovePropRequest&, cv1::RemovePropResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::AttachPropRequest&, cv1::AttachPropResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::DetachPropRequest&, cv1::DetachPropResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::ListPropsRequest&, cv1::ListPropsResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::PlaceAvatarRequest&, cv1::PlaceAvatarResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::GetSitesRequest&, cv1::GetSitesResponse*, const stream::Caller& caller, Done);
  void Do(const cv1::PutClipRequest&, cv1::PutClipResponse*, const stream::Caller& caller, Done);
  void Do(const cv1::ListClipsRequest&, cv1::ListClipsResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::RemoveClipRequest&, cv1::RemoveClipResponse*, const stream::Caller& caller,
          Done);
  void Do(const cv1::PutArrangementRequest&, cv1::PutArrangementResponse*,
          const stream::Caller& caller, Done);
  void Do(const cv1::ListArrangementsRequest&, cv1::ListArrangementsResponse*,
          const stream::Caller& caller, Done);
  void Do(const cv1::RemoveArrangementRequest&, cv1::RemoveArrangementResponse*,
          const stream::Caller& caller, Done);

  void ListOthers(const stream::Caller& caller, cv1::ListStreamsResponse* response, Done done);
  // INVALID_ARGUMENT if a string (id, name or value) has more than 1024 bytes.
  static absl::Status CheckTexts(const google::protobuf::Message& request);
  static stream::Permission PermissionOf(absl::string_view method);
  // Logs calls by callers with names, except reads, SetUser and MoveProp, which may be called many
  // times a second.
  void LogCall(const std::string& name, const std::string& peer,
               const google::protobuf::Message& request, const absl::Status& status) const;
  // Checks the stream id and the caller, then runs `action` on the stream's worker. If a peer
  // serves the stream, the call is made there instead.
  template <typename Request>
  void OnStream(const Request& request, google::protobuf::Message* response,
                const stream::Caller& caller, Done done, Action action) {
    OnStream(request.stream_id(), request, response, caller, std::move(done), std::move(action));
  }
  void OnStream(const std::string& stream_id, const google::protobuf::Message& request,
                google::protobuf::Message* response, const stream::Caller& caller, Done done,
                Action action);
  void Subscribe(const std::string& stream_id, const stream::Caller& caller,
                 const absl::StatusOr<Admitted>& admitted, std::function<void()> wake,
                 absl::AnyInvocable<void(Watching)> done);
  static void DescribeVariables(const graph::GraphAsset& plan,
                                const std::vector<std::string>* values,
                                google::protobuf::RepeatedPtrField<cv1::VariableInfo>* out);

  const CallParts parts_;
  GraphStore* const graphs_;
  EventHub* const events_;
  StreamLists lists_;
  ClipIntake intake_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RUNTIME_CONTROL_H_
