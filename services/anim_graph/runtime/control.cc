#include "services/anim_graph/runtime/control.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/names/known_names.h"
#include "libs/service/access/token_file.h"
#include "libs/service/catch_exceptions.h"
#include "libs/wire/frame_reader.h"
#include "services/anim_graph/runtime/control_values.h"

namespace posewire::anim_graph {
namespace {

// Limit on joint and site names in one call: more than any rig has.
constexpr size_t kMostNames = 4096;
constexpr size_t kMostTextBytes = 1024;

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

void FillStream(const Engine::StreamInfo& from, cv1::ListStreamsResponse::Stream* to) {
  to->set_stream_id(from.stream_id);
  to->set_registered(from.registered);
  for (const auto& a : from.avatars) {
    auto* avatar = to->add_avatars();
    avatar->set_target_object_id(a.target_object_id);
    avatar->set_tick(static_cast<uint64_t>(std::max<int64_t>(0, a.tick)));
    avatar->set_pulls(static_cast<uint32_t>(a.pulls));
    avatar->set_x_m(a.place.x_m);
    avatar->set_z_m(a.place.z_m);
    avatar->set_turn_deg(a.place.turn_deg);
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

StreamUser ToUser(const cv1::User& from) {
  StreamUser user;
  user.name = from.name();
  if (from.has_hold_s()) user.hold_s = from.hold_s();
  graph::UserInput& in = user.input;
  in.has_head = from.has_head();
  in.has_left_hand = from.has_left_hand();
  in.has_right_hand = from.has_right_hand();
  in.has_gaze = from.has_gaze();
  in.speaks = from.speaks();
  in.head = ToVec3(from.head());
  in.left_hand = ToVec3(from.left_hand());
  in.right_hand = ToVec3(from.right_hand());
  if (from.has_hips()) in.hips = ToVec3(from.hips());
  if (from.has_left_foot()) in.left_foot = ToVec3(from.left_foot());
  if (from.has_right_foot()) in.right_foot = ToVec3(from.right_foot());
  in.gaze = ToVec3(from.gaze());
  user.mood = from.mood().name();
  if (from.mood().has_arousal()) in.arousal = static_cast<float>(from.mood().arousal());
  if (from.mood().has_valence()) in.valence = static_cast<float>(from.mood().valence());
  // One more than allowed, so that the error can report it.
  for (const cv1::UserPoint& point : from.points()) {
    if (user.points.size() > StreamUser::kMostPoints) break;
    user.points.push_back({point.name(), ToVec3(point.position())});
  }
  in.head_rotation = ToQuat(from.head_rotation());
  in.left_hand_rotation = ToQuat(from.left_hand_rotation());
  in.right_hand_rotation = ToQuat(from.right_hand_rotation());
  return user;
}

absl::Status CheckTarget(const std::string& target) {
  return target.empty() ? absl::OkStatus() : wire::CheckId("target_object_id", target);
}

}  // namespace

absl::Status Control::CheckTexts(const google::protobuf::Message& request) {
  using google::protobuf::FieldDescriptor;
  const google::protobuf::Descriptor& type = *request.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (field.type() != FieldDescriptor::TYPE_STRING || field.is_repeated()) continue;
    std::string scratch;
    const size_t bytes =
        request.GetReflection()->GetStringReference(request, &field, &scratch).size();
    if (bytes <= kMostTextBytes) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(field.name(), " is ", bytes, " bytes long; at most ", kMostTextBytes));
  }
  return absl::OkStatus();
}

stream::Permission Control::PermissionOf(absl::string_view method) {
  if (absl::StartsWith(method, "List") || absl::StartsWith(method, "Get")) {
    return stream::Permission::kWatch;
  }
  for (const char* clips : {"Put", "RemoveClip", "RemoveArrangement"}) {
    if (absl::StartsWith(method, clips)) return stream::Permission::kClips;
  }
  return stream::Permission::kControl;
}

void Control::LogRejection(const std::string& peer, const absl::Status& status) const {
  if (!stream::IsBusy(status) && !absl::IsUnauthenticated(status) &&
      !absl::IsPermissionDenied(status)) {
    return;
  }
  parts_.log.Warning("control call refused", {{"why", status.message()}, {"peer", peer}});
}

void Control::LogCall(const std::string& name, const std::string& peer,
                      const google::protobuf::Message& request, const absl::Status& status) const {
  const google::protobuf::Descriptor& type = *request.GetDescriptor();
  if (name.empty() || PermissionOf(type.name()) == stream::Permission::kWatch ||
      &type == cv1::SetUserRequest::descriptor() || &type == cv1::MovePropRequest::descriptor()) {
    return;
  }
  const google::protobuf::FieldDescriptor* field = type.FindFieldByName("stream_id");
  parts_.log.Info(
      "control call",
      {{"token", name},
       {"call", absl::StripSuffix(type.name(), "Request")},
       {"stream_id", field == nullptr ? "" : request.GetReflection()->GetString(request, field)},
       {"code", absl::StatusCodeToString(status.code())},
       {"peer", peer}});
}

void Control::OnStream(const std::string& stream_id, const google::protobuf::Message& request,
                       google::protobuf::Message* response, const stream::Caller& caller, Done done,
                       Action action) {
  if (absl::Status s = wire::CheckId("stream_id", stream_id); !s.ok()) return done(s);
  const absl::string_view method = absl::StripSuffix(request.GetDescriptor()->name(), "Request");
  Admit(parts_, caller, stream_id, PermissionOf(method),
        [this, stream_id, method, &request, response, caller, done = std::move(done),
         action = std::move(action)](const absl::StatusOr<Admitted>& admitted) mutable {
          if (!admitted.ok()) return done(admitted.status());
          if (!admitted->peer.empty()) {
            return parts_.peers->Call(admitted->peer, caller, method, request, response,
                                      std::move(done));
          }
          parts_.workers->For(stream_id).Post(
              [stream_id, log = parts_.log, action = std::move(action), done = std::move(done)](
                  Engine& engine, Now now) mutable {
                absl::Status status;
                const absl::Status thrown = service::CatchExceptions(log, "control call", [&] {
                  engine.ContinueSaved(stream_id, now);
                  status = action(engine, now);
                });
                done(thrown.ok() ? status : thrown);
              });
        });
}

void Control::Do(const cv1::SetGestureRequest& request, cv1::SetGestureResponse* response,
                 const stream::Caller& caller, Done done) {
  OnStream(request, response, caller, std::move(done),
           [&request, response](Engine& engine, Now now) {
             auto set = engine.control().SetGesture(request.stream_id(), request.target_object_id(),
                                                    request.gesture(), now);
             if (!set.ok()) return set.status();
             response->set_avatars(static_cast<uint32_t>(set->avatars));
             response->set_note(set->note);
             return absl::OkStatus();
           });
}

void Control::Do(const cv1::ListGesturesRequest&, cv1::ListGesturesResponse* response,
                 const stream::Caller&, Done done) {
  for (const auto& clip : graphs_->asset()->clips()->clips()) {
    if (clip->kind() != clip::ClipKind::kGesture) continue;
    auto* gesture = response->add_gestures();
    gesture->set_name(clip->name());
    gesture->set_duration_s(clip->duration_s());
  }
  done(absl::OkStatus());
}

void Control::Do(const cv1::StopRequestRequest& request, cv1::StopRequestResponse* response,
                 const stream::Caller& caller, Done done) {
  OnStream(request, response, caller, std::move(done), [&request](Engine& engine, Now now) {
    return engine.StopRequest(request.stream_id(), request.request_id(), now);
  });
}

void Control::Do(const cv1::RegisterStreamRequest& request, cv1::RegisterStreamResponse* response,
                 const stream::Caller& caller, Done done) {
  if (absl::Status s = CheckTarget(request.target_object_id()); !s.ok()) return done(s);
  OnStream(request, response, caller, std::move(done), [&request](Engine& engine, Now now) {
    return engine.RegisterStream(request.stream_id(), request.target_object_id(), now);
  });
}

void Control::Do(const cv1::RemoveStreamRequest& request, cv1::RemoveStreamResponse* response,
                 const stream::Caller& caller, Done done) {
  OnStream(request, response, caller, std::move(done), [&request](Engine& engine, Now now) {
    return engine.RemoveStream(request.stream_id(), now);
  });
}

void Control::Do(const cv1::MoveStreamsRequest& request, cv1::MoveStreamsResponse* response,
                 const stream::Caller& caller, Done done) {
  const auto name =
      parts_.authorizer->Check(caller, stream::kAllStreams, stream::Permission::kControl);
  if (!name.ok()) return done(name.status());
  if (!parts_.directory->shared()) {
    return done(absl::FailedPreconditionError(
        "this server has no --directory, so no other one could continue its streams"));
  }
  if (static_cast<size_t>(request.stream_ids_size()) > kMostNames) {
    return done(absl::InvalidArgumentError(absl::StrCat(
        "stream_ids has ", request.stream_ids_size(), " entries; at most ", kMostNames)));
  }
  const double per_s = request.per_s() == 0 ? 10 : request.per_s();
  const double within_s = request.within_s() == 0 ? 60 : request.within_s();
  if (!(per_s > 0 && per_s <= 1000)) {
    return done(absl::InvalidArgumentError(
        absl::StrCat("per_s is ", per_s, "; it must be above 0 and at most 1000")));
  }
  if (!(within_s > 0 && within_s <= 3600)) {
    return done(absl::InvalidArgumentError(
        absl::StrCat("within_s is ", within_s, "; it must be above 0 and at most 3600")));
  }
  const auto share = static_cast<double>(parts_.workers->all().size());
  parts_.workers->AskAll(
      [ids = std::vector<std::string>(request.stream_ids().begin(), request.stream_ids().end()),
       per_s = per_s / share, within_s, response](Engine& engine, Now now) {
        response->set_streams(response->streams() +
                              static_cast<uint32_t>(engine.MoveStreams(ids, per_s, within_s, now)));
      },
      [done = std::move(done)]() mutable { done(absl::OkStatus()); });
}

// Adds the streams of the other servers to a list.
void Control::ListOthers(const stream::Caller& caller, cv1::ListStreamsResponse* response,
                         Done done) {
  if (!parts_.directory->shared() || parts_.peers == nullptr || caller.relayed) {
    return done(absl::OkStatus());
  }
  struct Gathering {
    std::mutex mutex;
    size_t left;  // guarded by mutex
    cv1::ListStreamsResponse* response;
    Done done;
  };
  parts_.directory->FindOthers([this, caller, response, done = std::move(done)](
                                   const absl::StatusOr<std::vector<std::string>>& nodes) mutable {
    if (!nodes.ok()) response->add_missing(absl::StrCat("directory: ", nodes.status().message()));
    if (!nodes.ok() || nodes->empty()) return done(absl::OkStatus());
    auto gathering = std::make_shared<Gathering>();
    gathering->left = nodes->size();
    gathering->response = response;
    gathering->done = std::move(done);
    for (const std::string& node : *nodes) {
      auto part = std::make_shared<cv1::ListStreamsResponse>();
      parts_.peers->Call(
          node, caller, "ListStreams", cv1::ListStreamsRequest(), part.get(),
          [gathering, node, part](const absl::Status& status) {
            std::unique_lock lock(gathering->mutex);
            if (!status.ok()) {
              gathering->response->add_missing(absl::StrCat(node, ": ", status.message()));
            }
            for (auto& stream : *part->mutable_streams()) {
              stream.set_server(node);
              gathering->response->add_streams()->Swap(&stream);
            }
            if (--gathering->left > 0) return;
            lock.unlock();
            gathering->done(absl::OkStatus());
          });
    }
  });
}

void Control::Do(const cv1::ListStreamsRequest&, cv1::ListStreamsResponse* response,
                 const stream::Caller& caller, Done done) {
  lists_.Ask([this, caller, response,
              done = std::move(done)](const absl::StatusOr<StreamLists::List>& list) mutable {
    if (!list.ok()) return done(list.status());
    for (const auto& info : *list) {
      // Each caller sees only its own streams.
      if (!parts_.authorizer->Check(caller, info.stream_id, stream::Permission::kWatch).ok())
        continue;
      FillStream(info, response->add_streams());
    }
    ListOthers(caller, response, std::move(done));
  });
}

void Control::DescribeVariables(const graph::GraphAsset& asset,
                                const std::vector<std::string>* values,
                                google::protobuf::RepeatedPtrField<cv1::VariableInfo>* out) {
  const graph::VariableSet& set = *asset.variables();
  for (int i = 0; i < set.size(); ++i) {
    const graph::VariableSpec& spec = set.spec(i);
    cv1::VariableInfo* info = out->Add();
    info->set_name(spec.name);
    info->set_description(spec.description);
    info->set_type(graph::NameOf(spec.type));
    info->set_unit(spec.unit);
    if (std::isfinite(spec.min)) info->set_min(spec.min);
    if (std::isfinite(spec.max)) info->set_max(spec.max);
    for (const auto& value : spec.values) info->add_values(value);
    info->set_default_value(spec.Format(spec.initial));
    const auto at = static_cast<size_t>(i);
    info->set_value(values != nullptr && at < values->size() ? (*values)[at]
                                                             : info->default_value());
  }
}

void Control::Do(const cv1::ListGraphsRequest&, cv1::ListGraphsResponse* response,
                 const stream::Caller&, Done done) {
  const auto asset = graphs_->asset();
  const graph::v1::AnimationGraph written = graphs_->graph();
  auto* graph = response->add_graphs();
  graph->set_name(written.name());
  graph->set_description(written.description());
  DescribeVariables(*asset, nullptr, graph->mutable_variables());
  for (const auto& event : written.events()) graph->add_events(event);
  for (const auto& a : written.arrangements()) graph->add_arrangements(a.name());
  for (const auto& t : written.timelines()) graph->add_timelines(t.name());
  graph->set_source(graphs_->source());
  graph->set_revision(graphs_->revision());
  graph->set_last_error(graphs_->last_error());
  done(absl::OkStatus());
}

void Control::Do(const cv1::ListVariablesRequest& request, cv1::ListVariablesResponse* response,
                 const stream::Caller& caller, Done done) {
  if (request.stream_id().empty()) {
    DescribeVariables(*graphs_->asset(), nullptr, response->mutable_variables());
    return done(absl::OkStatus());
  }
  OnStream(request, response, caller, std::move(done), [&request, response](Engine& engine, Now) {
    auto values = engine.control().Variables(request.stream_id(), request.target_object_id());
    if (!values.ok()) return values.status();
    DescribeVariables(engine.asset(), &*values, response->mutable_variables());
    return absl::OkStatus();
  });
}

void Control::Do(const cv1::SetVariableRequest& request, cv1::SetVariableResponse* response,
                 const stream::Caller& caller, Done done) {
  OnStream(
      request, response, caller, std::move(done), [&request, response](Engine& engine, Now now) {
        auto set = engine.control().SetVariable(request.stream_id(), request.target_object_id(),
                                                request.name(), request.value(), now);
        if (!set.ok()) return set.status();
        response->set_avatars(static_cast<uint32_t>(set->avatars));
        response->set_value(set->value);
        response->set_note(set->avatars > 0 || !set->note.empty()
                               ? set->note
                               : "the stream has no avatar yet; later ones start with this value");
        return absl::OkStatus();
      });
}

void Control::Do(const cv1::FireEventRequest& request, cv1::FireEventResponse* response,
                 const stream::Caller& caller, Done done) {
  OnStream(request, response, caller, std::move(done), [&request, response](Engine& engine, Now) {
    auto fired = engine.control().FireEvent(request.stream_id(), request.target_object_id(),
                                            request.event());
    if (!fired.ok()) return fired.status();
    response->set_avatars(static_cast<uint32_t>(*fired));
    return absl::OkStatus();
  });
}

void Control::Do(const cv1::PlayArrangementRequest& request, cv1::PlayArrangementResponse* response,
                 const stream::Caller& caller, Done done) {
  std::string variable;
  const graph::v1::AnimationGraph written = graphs_->graph();
  for (const auto& node : written.nodes()) {
    if (node.has_arrangement()) variable = node.arrangement().variable();
  }
  if (variable.empty()) {
    return done(absl::FailedPreconditionError(
        absl::StrCat("the graph ", graphs_->asset()->name(), " plays no arrangements")));
  }
  OnStream(request, response, caller, std::move(done),
           [&request, response, variable = std::move(variable)](Engine& engine, Now now) {
             auto set =
                 engine.control().SetVariable(request.stream_id(), request.target_object_id(),
                                              variable, request.arrangement(), now);
             if (!set.ok()) return set.status();
             response->set_avatars(static_cast<uint32_t>(set->avatars));
             return absl::OkStatus();
           });
}

void Control::Do(const cv1::SetUserRequest& request, cv1::SetUserResponse* response,
                 const stream::Caller& caller, Done done) {
  if (absl::Status s = wire::CheckId("user.name", request.user().name()); !s.ok()) return done(s);
  OnStream(request, response, caller, std::move(done), [&request](Engine& engine, Now now) {
    return engine.control().SetUser(request.stream_id(), ToUser(request.user()), now);
  });
}

void Control::Do(const cv1::RemoveUserRequest& request, cv1::RemoveUserResponse* response,
                 const stream::Caller& caller, Done done) {
  OnStream(request, response, caller, std::move(done), [&request](Engine& engine, Now) {
    return engine.control().RemoveUser(request.stream_id(), request.name());
  });
}

void Control::Do(const cv1::PlaceAvatarRequest& request, cv1::PlaceAvatarResponse* response,
                 const stream::Caller& caller, Done done) {
  OnStream(request, response, caller, std::move(done), [&request](Engine& engine, Now) {
    return engine.control().PlaceAvatar(
        request.stream_id(), request.target_object_id(),
        {static_cast<float>(request.x_m()), static_cast<float>(request.z_m()),
         static_cast<float>(request.turn_deg())});
  });
}

void Control::Do(const cv1::GetSitesRequest& request, cv1::GetSitesResponse* response,
                 const stream::Caller& caller, Done done) {
  // Each name once, so that a caller cannot waste a worker's time by repeating one name a million
  // times.
  std::set<std::string> names(request.names().begin(), request.names().end());
  if (names.size() > kMostNames) {
    return done(absl::InvalidArgumentError(absl::StrCat(names.size(), " different names; at most ",
                                                        kMostNames, " may be asked for at once")));
  }
  OnStream(request, response, caller, std::move(done),
           [&request, response, names = std::move(names)](Engine& engine, Now) {
             auto sites = engine.control().Sites(request.stream_id(), request.target_object_id());
             if (!sites.ok()) return sites.status();
             std::set<std::string> known;
             for (const auto& site : *sites) known.insert(site.name);
             for (const auto& name : names) {
               if (known.contains(name)) continue;
               return absl::NotFoundError(absl::StrCat(
                   "the rig has no joint or site \"", absl::CHexEscape(name), "\"",
                   KnownNames(name, std::vector<std::string>(known.begin(), known.end()))));
             }
             for (const auto& site : *sites) {
               if (!names.empty() && !names.contains(site.name)) continue;
               auto* out = response->add_sites();
               out->set_name(site.name);
               Fill(site.position, out->mutable_position());
               Fill(site.rotation, out->mutable_rotation());
             }
             return absl::OkStatus();
           });
}

void Control::Do(const cv1::PutClipRequest& request, cv1::PutClipResponse* response,
                 const stream::Caller&, Done done) {
  intake_.Put(request, response, std::move(done));
}

void Control::Do(const cv1::ListClipsRequest&, cv1::ListClipsResponse* response,
                 const stream::Caller&, Done done) {
  for (auto& info : graphs_->clips()) *response->add_clips() = std::move(info);
  done(absl::OkStatus());
}

void Control::Do(const cv1::RemoveClipRequest& request, cv1::RemoveClipResponse*,
                 const stream::Caller&, Done done) {
  done(graphs_->RemoveClip(request.name()));
}

void Control::Do(const cv1::PutArrangementRequest& request, cv1::PutArrangementResponse* response,
                 const stream::Caller&, Done done) {
  auto put = graphs_->PutArrangement(request.arrangement());
  if (put.ok()) response->set_replaced(*put);
  done(put.status());
}

void Control::Do(const cv1::ListArrangementsRequest&, cv1::ListArrangementsResponse* response,
                 const stream::Caller&, Done done) {
  *response->mutable_arrangements() = graphs_->graph().arrangements();
  done(absl::OkStatus());
}

void Control::Do(const cv1::RemoveArrangementRequest& request, cv1::RemoveArrangementResponse*,
                 const stream::Caller&, Done done) {
  done(graphs_->RemoveArrangement(request.name()));
}

void Control::Watch(const std::string& stream_id, const stream::Caller& caller,
                    std::function<void()> wake, absl::AnyInvocable<void(Watching)> done) {
  auto then = [this, stream_id, caller, wake = std::move(wake),
               done = std::move(done)](const absl::StatusOr<Admitted>& admitted) mutable {
    Subscribe(stream_id, caller, admitted, std::move(wake), std::move(done));
  };
  if (stream_id.empty()) {
    auto name = parts_.authorizer->Check(caller, stream::kAllStreams, stream::Permission::kWatch);
    if (!name.ok()) return then(name.status());
    return then(Admitted{*std::move(name), ""});
  }
  if (absl::Status s = wire::CheckId("stream_id", stream_id); !s.ok()) return then(s);
  Admit(parts_, caller, stream_id, stream::Permission::kWatch, std::move(then));
}

void Control::Subscribe(const std::string& stream_id, const stream::Caller& caller,
                        const absl::StatusOr<Admitted>& admitted, std::function<void()> wake,
                        absl::AnyInvocable<void(Watching)> done) {
  absl::Status status = admitted.status();
  stream::Reservation place(&parts_.capacity->watchers);
  if (status.ok()) status = place.Take();
  absl::StatusOr<LeasePtr> lease = LeasePtr();
  const bool here = admitted.ok() && admitted->peer.empty() && !stream_id.empty();
  if (status.ok() && here) lease = parts_.directory->Lease(stream_id);
  if (!lease.ok()) status = lease.status();
  LogRejection(caller.peer, status);
  if (!status.ok()) return done(status);
  service::LogAdmitted(parts_.log, "watch", admitted->name, stream_id, caller.peer);
  auto watch = events_->Subscribe(stream_id, std::move(wake), std::move(place), *std::move(lease));
  if (!admitted->peer.empty()) parts_.peers->Watch(admitted->peer, caller, watch);
  done(std::move(watch));
}

void Control::EndStream(const StreamDirectory::LostLease& lost) {
  parts_.workers->For(lost.stream_id).Post([lost](Engine& engine, Now now) {
    engine.EndStream(lost, now);
  });
  events_->End(lost);
}

void Control::Call(absl::string_view method, const stream::Caller& caller,
                   const google::protobuf::Message& request, google::protobuf::Message* response,
                   Done done) {
  using google::protobuf::Message;
  const auto call = [&]<typename Request, typename Response>(const Request*, Response*) {
    Call(caller, static_cast<const Request&>(request), static_cast<Response*>(response),
         std::move(done));
  };
#define POSEWIRE_METHOD(name)                                                           \
  if (method == #name && request.GetDescriptor() == cv1::name##Request::descriptor()) { \
    return call(static_cast<cv1::name##Request*>(nullptr),                              \
                static_cast<cv1::name##Response*>(nullptr));                            \
  }
  POSEWIRE_METHOD(SetGesture)
  POSEWIRE_METHOD(ListGestures)
  POSEWIRE_METHOD(StopRequest)
  POSEWIRE_METHOD(RegisterStream)
  POSEWIRE_METHOD(RemoveStream)
  POSEWIRE_METHOD(MoveStreams)
  POSEWIRE_METHOD(ListStreams)
  POSEWIRE_METHOD(ListGraphs)
  POSEWIRE_METHOD(ListVariables)
  POSEWIRE_METHOD(SetVariable)
  POSEWIRE_METHOD(FireEvent)
  POSEWIRE_METHOD(PlayArrangement)
  POSEWIRE_METHOD(SetUser)
  POSEWIRE_METHOD(RemoveUser)
  POSEWIRE_METHOD(SetProp)
  POSEWIRE_METHOD(MoveProp)
  POSEWIRE_METHOD(RemoveProp)
  POSEWIRE_METHOD(ListProps)
  POSEWIRE_METHOD(AttachProp)
  POSEWIRE_METHOD(DetachProp)
  POSEWIRE_METHOD(PlaceAvatar)
  POSEWIRE_METHOD(GetSites)
  POSEWIRE_METHOD(PutClip)
  POSEWIRE_METHOD(ListClips)
  POSEWIRE_METHOD(RemoveClip)
  POSEWIRE_METHOD(PutArrangement)
  POSEWIRE_METHOD(ListArrangements)
  POSEWIRE_METHOD(RemoveArrangement)
#undef POSEWIRE_METHOD
  done(absl::UnimplementedError(
      absl::StrCat("there is no method \"", absl::CHexEscape(method), "\"")));
}

}  // namespace posewire::anim_graph
