// The push side of the engine.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/stream/resume.h"
#include "services/anim_graph/core/engine.h"
#include "services/anim_graph/core/engine_state.h"

namespace posewire::anim_graph {
namespace {

std::string Text(const absl::Status& why) {
  return absl::StrCat(absl::StatusCodeToString(why.code()), ": ", why.message());
}

}  // namespace

SourceSettings Engine::Resolve(const wire::StreamHeader& header, const PushOptions& options) const {
  const auto it = settings_.sources.find(header.source_service_id);
  SourceSettings s = it == settings_.sources.end() ? settings_.source : it->second;
  if (options.mode) s.mode = *options.mode;
  if (options.policy) s.policy = *options.policy;
  if (options.prebuffer_s) s.prebuffer_s = *options.prebuffer_s;
  if (options.align_to_epoch) s.align_to_epoch = true;
  if (parts_.plan->passthrough()) s.all_translations = true;
  return s;
}

// Decides what a push of a known request id means. OK and not resumed: a new request.
absl::StatusOr<std::optional<double>> Engine::ResumeOrRefuse(Request& request,
                                                             const wire::StreamHeader& header,
                                                             const PushOptions& options,
                                                             double now_s, bool& resumed) {
  const std::string id = absl::StrCat("request_id \"", request.id, "\"");
  Playback* playback = request.over || request.avatar == nullptr
                           ? nullptr
                           : request.avatar->avatar.Find(request.playback_id);
  const bool broken_off = request.lost && playback != nullptr && request.ending == Ending::kNone &&
                          playback->state() != PlayState::kBlendingOut &&
                          now_s - request.lost_s <= settings_.resume_s;
  if (request.push == 0 && !broken_off) {
    if (!options.resume) return std::optional<double>();
    return absl::AlreadyExistsError(
        absl::StrCat(id, " has had its turn; push what is left under a new request_id"));
  }
  if (!options.resume) {
    return absl::AlreadyExistsError(absl::StrCat(
        id,
        request.push != 0 ? " is being pushed by another call"
                          : " was broken off and still plays what it holds",
        "; send metadata x-posewire-resume: 1 to go on with it, or use a new request_id"));
  }
  if (playback != nullptr) {
    if (absl::Status s = stream::CheckSameHeader(playback->header(), header); !s.ok()) return s;
  }
  if (request.push != 0) {
    FinishPush(request.push,
               {absl::AbortedError("another call of this request goes on with it"), {}});
  }
  if (playback == nullptr || playback->state() == PlayState::kBlendingOut) {
    return absl::AlreadyExistsError(absl::StrCat(id, " has had its turn"));
  }
  request.lost = false;
  playback->SourceBack();
  resumed = true;
  return playback->held_s();
}

absl::StatusOr<PushOpened> Engine::OpenPush(const CallContext& context,
                                            const wire::StreamHeader& header,
                                            const PushOptions& options, PushPeer* peer, Now now) {
  (void)context;
  const double now_s = Seconds(now);
  auto stream = FindOrMakeStream(header.ids.stream_id, settings_.create_streams);
  if (!stream.ok()) return stream.status();
  Stream& s = **stream;
  ForgetOldRequests(s, now_s);

  PushOpened opened;
  Request* request = nullptr;
  bool resumed = false;
  if (const auto it = s.requests.find(header.ids.request_id); it != s.requests.end()) {
    auto held = ResumeOrRefuse(*it->second, header, options, now_s, resumed);
    if (!held.ok()) return held.status();
    if (resumed) {
      request = it->second.get();
      opened.held_s = held->value_or(-1);
    }
  }
  if (!resumed) {
    const SourceSettings source = Resolve(header, options);
    auto binding =
        wire::SourceBinding::Make(header, parts_.plan->rig(), *parts_.catalog,
                                  {source.translation_scale, source.all_translations}, &bindings_);
    if (!binding.ok()) return binding.status();
    auto avatar = FindOrMakeAvatar(s, header.ids.target_object_id, now);
    if (!avatar.ok()) return avatar.status();
    const skel::Rig& rig = (*avatar)->avatar.rig();
    const uint64_t playback_id = next_id_++;
    if (absl::Status status = (*avatar)->avatar.Add(
            std::make_unique<Playback>(playback_id, header, *std::move(binding), source, settings_,
                                       rig.joints(), rig.shapes()));
        !status.ok()) {
      return status;
    }
    request = Remember(s, header, *avatar, playback_id);
    RequestAppeared(s, *request, now);
  }
  opened.call = next_id_++;
  request->push = opened.call;
  pushes_.emplace(opened.call, std::make_unique<PushCall>(
                                   PushCall{opened.call, peer, request, now_s, false, 0}));
  return opened;
}

Engine::Request* Engine::Remember(Stream& stream, const wire::StreamHeader& header,
                                  AvatarEntry* avatar, uint64_t playback_id) {
  auto request = std::make_unique<Request>();
  request->id = header.ids.request_id;
  request->stream = &stream;
  request->avatar = avatar;
  request->playback_id = playback_id;
  request->epoch_s = avatar->epoch_s;
  Request* made = request.get();
  auto& place = stream.requests[made->id];
  if (place != nullptr) {
    if (!place->over) stream.detached.push_back(std::move(place));
  } else {
    stream.order.push_back(made->id);
  }
  place = std::move(request);
  return made;
}

bool Engine::Offer(uint64_t push, const wire::DataChunk& chunk, Now now) {
  ++counters_.messages;
  const auto it = pushes_.find(push);
  if (it == pushes_.end()) return false;
  PushCall& call = *it->second;
  const double now_s = Seconds(now);
  call.heard_s = now_s;
  ++call.messages;
  Playback* playback = call.request->avatar->avatar.Find(call.request->playback_id);
  if (playback == nullptr) return true;
  call.request->avatar->avatar.Offer(*playback, chunk, now_s);
  call.paused = playback->full();
  if (call.paused) call.request->avatar->paused.push_back(push);
  return !call.paused;
}

void Engine::OfferStatus(uint64_t push, const wire::StatusChunk&, Now now) {
  const auto it = pushes_.find(push);
  if (it == pushes_.end()) return;
  it->second->heard_s = Seconds(now);
  if (Playback* p = it->second->request->avatar->avatar.Find(it->second->request->playback_id)) {
    p->StatusSeen();
  }
}

wire::StatusChunk Engine::EndPush(uint64_t push, PushEnd end, Now now, const absl::Status& why) {
  const auto it = pushes_.find(push);
  if (it == pushes_.end()) return {wire::StatusChunk::kInfo, "the request has ended"};
  Request& request = *it->second->request;
  const int64_t messages = it->second->messages;
  pushes_.erase(it);
  request.push = 0;
  request.last_push = push;
  Playback* playback = request.avatar->avatar.Find(request.playback_id);
  if (playback == nullptr) {
    return {wire::StatusChunk::kSuccess,
            absl::StrFormat("%d messages accepted%s", messages, request.counts)};
  }
  if (end == PushEnd::kHalfClosed) {
    playback->SourceEnded();
  } else {
    MarkLost(request, *playback, Seconds(now), why);
    // A fault is the source's last word; only a call that broke off may be resumed.
    if (end == PushEnd::kFault) request.lost_s = -1e9;
  }
  request.counts = Counts(request);
  return {wire::StatusChunk::kSuccess,
          absl::StrFormat("%d messages accepted%s", messages, request.counts)};
}

absl::Status Engine::BrokenOff() {
  return absl::CancelledError("the call was cancelled, or its connection was lost");
}

void Engine::MarkLost(Request& request, Playback& playback, double now_s, const absl::Status& why) {
  playback.SourceLost();
  request.lost = true;
  request.lost_s = now_s;
  ++counters_.lost_sources[static_cast<size_t>(why.code())];
  Tell(EngineEvent::kSourceLost, *request.avatar, request.id, Text(why));
}

// Whether a request of these ids plays, or waits, so that its end will still be told.
bool Engine::HasEndToTell(absl::string_view stream_id, absl::string_view request_id) const {
  const Stream* stream = FindStream(stream_id);
  if (stream == nullptr) return false;
  const auto has = [&](const Request& r) {
    if (r.id != request_id || r.over || r.avatar == nullptr) return false;
    const Playback* playback = r.avatar->avatar.Find(r.playback_id);
    return playback != nullptr && playback->state() != PlayState::kBlendingOut &&
           playback->state() != PlayState::kOver;
  };
  const auto it = stream->requests.find(request_id);
  return (it != stream->requests.end() && has(*it->second)) ||
         std::any_of(stream->detached.begin(), stream->detached.end(),
                     [&](const auto& r) { return has(*r); });
}

void Engine::RefusePush(const CallContext& context, const absl::Status& why) {
  ++counters_.refused_pushes[static_cast<size_t>(why.code())];
  if (parts_.observer == nullptr) return;
  const wire::StreamIds& ids = context.ids;
  // A second push says nothing of the first one, nor does a caller who may not.
  const bool no_word_on_it = absl::IsAlreadyExists(why) || absl::IsPermissionDenied(why) ||
                             absl::IsUnauthenticated(why) || absl::IsCancelled(why);
  const bool ends = !no_word_on_it && !ids.stream_id.empty() && !ids.request_id.empty() &&
                    !HasEndToTell(ids.stream_id, ids.request_id);
  EngineEvent event{ends ? EngineEvent::kRequestRefused : EngineEvent::kPushRefused, ids.stream_id,
                    ids.target_object_id, ids.request_id, Text(why)};
  event.peer = context.peer;
  parts_.observer->On(event);
}

void Engine::SourceVanished(uint64_t push, const wire::StreamIds& ids, Now now) {
  if (pushes_.contains(push)) {
    EndPush(push, PushEnd::kCancelled, now);
    return;
  }
  Stream* stream = FindStream(ids.stream_id);
  if (stream == nullptr || push == 0) return;
  const auto it = stream->requests.find(ids.request_id);
  if (it == stream->requests.end()) return;
  Request& request = *it->second;
  if (request.last_push != push || request.over || request.lost || request.avatar == nullptr)
    return;
  Playback* p = request.avatar->avatar.Find(request.playback_id);
  if (p != nullptr && p->source_state() == SourceState::kEnded) MarkLost(request, *p, Seconds(now));
}

std::string Engine::Counts(const Request& request) {
  const Playback* p = request.avatar->avatar.Find(request.playback_id);
  if (p == nullptr) return "";
  std::string out;
  const auto add = [&out](int64_t n, absl::string_view what) {
    if (n > 0) absl::StrAppend(&out, "; ", n, " ", what);
  };
  const auto& binding = p->binding();
  add(binding.ignored_joints(), "joints ignored");
  add(binding.ignored_shapes(), "shapes ignored");
  if (!binding.ignored_examples().empty()) {
    absl::StrAppend(&out, " (", absl::StrJoin(binding.ignored_examples(), ", "), ")");
  }
  add(p->counters().zero_rotations, "zero rotations read as identity");
  add(p->counters().normalized_rotations, "rotations normalised");
  add(p->counters().late_keys, "late keys dropped");
  if (p->audio() != nullptr) {
    add(p->audio()->silence_filled(), "samples of silence filled in");
    add(p->audio()->dropped(), "repeated samples dropped");
    add(p->audio()->late(), "late samples dropped");
  }
  return out;
}

void Engine::FinishPush(uint64_t push, const PushAnswer& answer) {
  const auto it = pushes_.find(push);
  if (it == pushes_.end()) return;
  PushPeer* peer = it->second->peer;
  it->second->request->push = 0;
  pushes_.erase(it);
  peer->Finish(answer);
}

// Stopped or interrupted: its push, if it is still open, is answered.
void Engine::EndRequest(Request& request, Ending ending, double now_s) {
  request.ending = ending;
  if (request.push != 0) {
    FinishPush(request.push,
               {absl::OkStatus(),
                {wire::StatusChunk::kInfo, ending == Ending::kStopped
                                               ? "the request was stopped"
                                               : "the request was interrupted by a newer one"}});
  }
  Playback* playback = request.avatar->avatar.Find(request.playback_id);
  if (playback != nullptr && playback->state() == PlayState::kOver) {
    request.over = true;
    request.over_s = now_s;
    // It was stopped before it played: no tick will tell those who wait for it.
    for (PullCall* pull : request.avatar->pulls) {
      if (!pull->window || pull->finished || pull->playback_id != request.playback_id) continue;
      Send(*pull, stream::FinalStatus(request.ending), now_s);
      FinishPull(*pull, absl::OkStatus());
    }
  }
}

void Engine::ForgetOldRequests(Stream& stream, double now_s) {
  size_t kept = 0;
  const size_t most = static_cast<size_t>(settings_.max_remembered_requests);
  for (size_t i = 0; i < stream.order.size(); ++i) {
    const auto it = stream.requests.find(stream.order[i]);
    const Request& r = *it->second;
    const bool too_many = stream.order.size() - i + kept > most;
    // A source may go on pushing though its request is over.
    if (r.over && r.push == 0 && (too_many || now_s - r.over_s > settings_.remember_s)) {
      stream.requests.erase(it);
      continue;
    }
    if (kept != i) stream.order[kept] = std::move(stream.order[i]);
    ++kept;
  }
  stream.order.resize(kept);
}

}  // namespace posewire::anim_graph
