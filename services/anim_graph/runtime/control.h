// The control API, apart from any transport: gRPC, HTTP and WebSocket all end here.
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

// One call of posewire.control.v1, as its messages. What concerns a stream is carried out by that
// stream's worker; clips are read on a thread of their own, and lists of all streams are answered
// from one. Thread-safe.
class Control {
 public:
  // Called once, on any thread, when `response` is filled; it and `request` must live until then.
  using Done = absl::AnyInvocable<void(const absl::Status&)>;

  // All must outlive this.
  Control(const CallParts& parts, GraphStore* graphs, EventHub* events)
      : parts_(parts),
        graphs_(graphs),
        events_(events),
        lists_(parts.workers, parts.log),
        intake_(graphs, parts.log) {}

  // By the method's name in posewire.control.v1.ControlService ("SetVariable"). UNIMPLEMENTED for
  // one that is not known; WatchEvents is no call of this kind.
  void Call(absl::string_view method, const std::string& peer,
            const google::protobuf::Message& request, google::protobuf::Message* response,
            Done done);

  // The same for callers who hold typed messages.
  template <typename Request, typename Response>
  void Call(const std::string& peer, const Request& request, Response* response, Done done) {
    absl::Status s = CheckTexts(request);
    if (s.ok()) s = AdmitTo("", peer);
    if (!s.ok()) return done(s);
    Do(request, response, peer,
       [this, peer, done = std::move(done)](const absl::Status& status) mutable {
         LogRefusal(peer, status);
         done(status);
       });
  }

  // Nothing, unless a limit was why.
  void LogRefusal(const std::string& peer, const absl::Status& status) const {
    if (!stream::IsBusy(status)) return;
    parts_.log.Warning("control call refused", {{"why", status.message()}, {"peer", peer}});
  }

  // Events of one stream or all; see EventHub.
  absl::StatusOr<std::shared_ptr<EventHub::Watch>> Watch(const std::string& stream_id,
                                                         const std::string& peer,
                                                         std::function<void()> wake);

  // Clips that wait to be read are refused from now on; all else goes on.
  void CloseIntake() { intake_.Close(); }

  const CallParts& parts() const { return parts_; }

 private:
  using Action = absl::AnyInvocable<absl::Status(Engine&, Now)>;

  void Do(const cv1::SetGestureRequest&, cv1::SetGestureResponse*, const std::string& peer, Done);
  void Do(const cv1::ListGesturesRequest&, cv1::ListGesturesResponse*, const std::string& peer,
          Done);
  void Do(const cv1::StopRequestRequest&, cv1::StopRequestResponse*, const std::string& peer, Done);
  void Do(const cv1::RegisterStreamRequest&, cv1::RegisterStreamResponse*, const std::string& peer,
          Done);
  void Do(const cv1::RemoveStreamRequest&, cv1::RemoveStreamResponse*, const std::string& peer,
          Done);
  void Do(const cv1::ListStreamsRequest&, cv1::ListStreamsResponse*, const std::string& peer, Done);
  void Do(const cv1::ListGraphsRequest&, cv1::ListGraphsResponse*, const std::string& peer, Done);
  void Do(const cv1::ListVariablesRequest&, cv1::ListVariablesResponse*, const std::string& peer,
          Done);
  void Do(const cv1::SetVariableRequest&, cv1::SetVariableResponse*, const std::string& peer, Done);
  void Do(const cv1::FireEventRequest&, cv1::FireEventResponse*, const std::string& peer, Done);
  void Do(const cv1::PlayArrangementRequest&, cv1::PlayArrangementResponse*,
          const std::string& peer, Done);
  void Do(const cv1::SetUserRequest&, cv1::SetUserResponse*, const std::string& peer, Done);
  void Do(const cv1::RemoveUserRequest&, cv1::RemoveUserResponse*, const std::string& peer, Done);
  void Do(const cv1::PlaceAvatarRequest&, cv1::PlaceAvatarResponse*, const std::string& peer, Done);
  void Do(const cv1::GetSitesRequest&, cv1::GetSitesResponse*, const std::string& peer, Done);
  void Do(const cv1::PutClipRequest&, cv1::PutClipResponse*, const std::string& peer, Done);
  void Do(const cv1::ListClipsRequest&, cv1::ListClipsResponse*, const std::string& peer, Done);
  void Do(const cv1::RemoveClipRequest&, cv1::RemoveClipResponse*, const std::string& peer, Done);
  void Do(const cv1::PutArrangementRequest&, cv1::PutArrangementResponse*, const std::string& peer,
          Done);
  void Do(const cv1::ListArrangementsRequest&, cv1::ListArrangementsResponse*,
          const std::string& peer, Done);
  void Do(const cv1::RemoveArrangementRequest&, cv1::RemoveArrangementResponse*,
          const std::string& peer, Done);

  // INVALID_ARGUMENT for a text of more than 1024 bytes: ids, names and values.
  static absl::Status CheckTexts(const google::protobuf::Message& request);
  absl::Status AdmitTo(const std::string& stream_id, const std::string& peer) const;
  // Checks the id and the caller, then runs `action` on the stream's worker.
  void OnStream(const std::string& stream_id, const std::string& peer, Done done, Action action);
  static void DescribeVariables(const graph::GraphPlan& plan,
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
