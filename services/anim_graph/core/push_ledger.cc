#include "services/anim_graph/core/push_ledger.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/stream/resume.h"
#include "libs/stream/trace.h"
#include "libs/wire/memory_of.h"
#include "libs/wire/text_entry.h"
#include "libs/wire/traffic.h"

namespace posewire::anim_graph {
namespace {

// A source may notice this late that its server has stopped, when another one has taken over for a
// call of someone else.
constexpr double kNoticed_s = 3;
constexpr auto kPlain = absl::StatusToStringMode::kWithNoExtraData;

SourceSettings Resolve(const EngineSettings& settings, const wire::StreamHeader& header,
                       const stream::PushCallOptions& options) {
  const auto it = settings.sources.find(header.source_service_id);
  SourceSettings s = it == settings.sources.end() ? settings.source : it->second;
  if (options.mode) s.mode = *options.mode;
  if (options.policy) s.policy = *options.policy;
  if (options.prebuffer_s) s.prebuffer_s = *options.prebuffer_s;
  if (options.align_to_epoch) s.align_to_epoch = true;
  return s;
}

// Describes repaired and ignored data as text for people.
std::string Counts(const Playback& p) {
  std::string out;
  const auto add = [&out](int64_t n, absl::string_view what) {
    if (n > 0) absl::StrAppend(&out, "; ", n, " ", what);
  };
  const auto& binding = p.binding();
  add(binding.ignored_joints(), "joints ignored");
  add(binding.ignored_shapes(), "shapes ignored");
  if (!binding.ignored_examples().empty()) {
    absl::StrAppend(&out, " (", absl::StrJoin(binding.ignored_examples(), ", "), ")");
  }
  add(p.counters().zero_rotations, "zero rotations read as identity");
  add(p.counters().normalized_rotations, "rotations normalised");
  add(p.counters().late_keys, "late keys dropped");
  add(p.counters().unread_contributions, "entries posewire.contributions that cannot be read");
  add(p.counters().dropped_poses, "entries posewire.pose dropped");
  if (p.audio() != nullptr) {
    add(p.audio()->silence_filled(), "samples of silence filled in");
    add(p.audio()->dropped(), "repeated samples dropped");
    add(p.audio()->late(), "late samples dropped");
  }
  return out;
}

}  // namespace

absl::StatusOr<PushOpened> PushLedger::Open(const wire::StreamHeader& header,
                                            const stream::PushCallOptions& options,
                                            stream::PushPeer* peer, Now now) {
  const double now_s = streams_.Seconds(now);
  auto stream = streams_.FindOrMake(header.ids.stream_id, now);
  if (!stream.ok()) return stream.status();
  (*stream)->ended.ForgetOld(now_s);
  auto request = Resume(**stream, header, options.resume);
  if (!request.ok()) return request.status();
  PushOpened opened;
  if (*request != nullptr) {
    opened.received_until_s = (*request)->playback->received_until_s().value_or(-1);
  } else {
    request = Begin(**stream, header, options, now);
    if (!request.ok()) return request.status();
  }
  opened.call = streams_.NewId();
  (*request)->push = Request::Push{opened.call, peer, now_s};
  requests_.emplace(opened.call, *request);
  return opened;
}

absl::StatusOr<Request*> PushLedger::Resume(const Stream& stream, const wire::StreamHeader& header,
                                            bool resume) {
  const std::string id = absl::StrCat("request_id \"", header.ids.request_id, "\"");
  Request* const request = stream.FindRequest(header.ids.request_id);
  Playback* const playback = request == nullptr ? nullptr : request->playback;
  const bool plays = playback != nullptr && playback->state() != PlayState::kBlendingOut;
  const bool pushed = request != nullptr && request->push;
  const bool broken_off =
      plays && request->lost && request->may_resume && request->ending == Ending::kNone;
  if (!pushed && !broken_off) {
    const bool known = request != nullptr || stream.ended.Find(header.ids.request_id) != nullptr;
    if (!known || !resume) return nullptr;
    return absl::AlreadyExistsError(
        absl::StrCat(id, " has already ended; push the rest under a new request_id"));
  }
  if (!resume) {
    return absl::AlreadyExistsError(absl::StrCat(
        id,
        pushed ? " is being pushed by another call"
               : " was broken off, and still plays its buffered data or waits for its source",
        "; send metadata x-posewire-resume: 1 to continue it, or use a new request_id"));
  }
  if (playback != nullptr) {
    if (absl::Status s = stream::CheckSameHeader(playback->header(), header); !s.ok()) return s;
  }
  Finish(*request, {absl::AbortedError("another call continues this request"), {}});
  if (!plays) return absl::AlreadyExistsError(absl::StrCat(id, " has already ended"));
  request->lost = false;
  playback->SourceBack();
  return request;
}

absl::StatusOr<Request*> PushLedger::Begin(Stream& stream, const wire::StreamHeader& header,
                                           const stream::PushCallOptions& options, Now now) {
  if (absl::Status s = parts_.capacity->buffered.Check(); !s.ok()) return s;
  if (const size_t names = wire::MemoryOf(header); names > settings_.buffer_bytes / 4) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("header: its names and fields take %d bytes of memory; at most %d, a "
                        "quarter of --buffer-mib",
                        names, settings_.buffer_bytes / 4));
  }
  auto request = Make(stream, header, options, now);
  if (request.ok()) pulls_.RequestCame(**request, streams_.Seconds(now));
  return request;
}

absl::StatusOr<Request*> PushLedger::Make(Stream& stream, const wire::StreamHeader& header,
                                          const stream::PushCallOptions& options, Now now,
                                          const ContinuedRequest* continued) {
  SourceSettings source = Resolve(settings_, header, options);
  GraphAssetPtr asset = streams_.AssetOf(stream, header.ids.target_object_id);
  if (asset == nullptr) {
    auto made = AssetOfNames(header);
    if (!made.ok()) return made.status();
    asset = *std::move(made);
  }
  if (asset->passthrough()) source.all_translations = true;
  auto binding = wire::SourceBinding::Make(
      header, asset->rig(), *parts_.catalog,
      {source.translation_scale, source.all_translations, source.skeleton}, &bindings_);
  if (!binding.ok()) return binding.status();
  auto avatar = streams_.FindOrMakeAvatar(stream, header.ids.target_object_id, now, asset);
  if (!avatar.ok()) return avatar.status();
  const auto requests = static_cast<int64_t>((*avatar)->avatar.playbacks().size());
  const absl::Status room = parts_.capacity->avatar_requests.Check(
      requests, absl::StrCat(" on target_object_id \"", (*avatar)->target, "\""));
  if (!room.ok()) return room;
  auto made =
      std::make_unique<Playback>(streams_.NewId(), header, *std::move(binding), source, settings_,
                                 (*avatar)->avatar.shared_rig(), &parts_.capacity->buffered);
  Playback& playback = *made;
  if (continued != nullptr) {
    const double now_s = streams_.Seconds(now);
    playback.Continue(continued->progress, now_s, now_s + settings_.resume_s + kNoticed_s);
  }
  if (!options.traceparent.empty() && !playback.has_started()) {
    playback.TellFirst(wire::TextEntry(stream::kTraceparent, options.traceparent));
  }
  if (absl::Status s = (*avatar)->avatar.Add(std::move(made)); !s.ok()) return s;
  Request& request = streams_.Add(header.ids.request_id, **avatar, playback);
  request.came_s = streams_.Seconds(now);
  request.traceparent = options.traceparent;
  request.lost = request.may_resume = continued != nullptr;
  if (playback.has_started()) request.start_time_code_s = 0;
  return &request;
}

void PushLedger::Continue(Stream& stream, const ContinuedRequest& continued, Now now) {
  (void)Make(stream, continued.header, continued.options, now, &continued);
}

// Makes a graph on a rig of just the named joints and shapes, without a rest pose.
absl::StatusOr<GraphAssetPtr> PushLedger::AssetOfNames(const wire::StreamHeader& header) const {
  skel::RigParts parts;
  parts.name = absl::StrCat("of ", header.ids.target_object_id);
  parts.stance = skel::Stance::kAsItStands;
  parts.joint_paths = header.joints;
  parts.rest_translations.resize(header.joints.size());
  // The joints of an object are not bones, whatever their names are.
  parts.bones.resize(header.joints.size());
  parts.shapes = header.shapes;
  auto rig = skel::Rig::Make(std::move(parts));
  if (!rig.ok()) {
    return absl::Status(rig.status().code(),
                        absl::StrCat("header.skel_animation_header: ", rig.status().message()));
  }
  return parts_.asset_of(*std::move(rig));
}

Request* PushLedger::Find(uint64_t push) const {
  const auto it = requests_.find(push);
  return it == requests_.end() ? nullptr : it->second;
}

bool PushLedger::Offer(uint64_t push, const wire::DataChunk& chunk, double now_s) {
  ++counters_.messages;
  Request* const request = Find(push);
  if (request == nullptr) return false;
  request->push->heard_s = now_s;
  ++request->push->messages;
  if (request->playback == nullptr) return true;
  if (!request->playback->HasRoom(chunk)) {
    const absl::Status why = parts_.capacity->buffered.Reject(parts_.capacity->buffered.used());
    MarkLost(*request, why, settings_.resume_s);
    Finish(*request, {why, {}});
    return false;
  }
  request->playback->Append(chunk, now_s);
  if (const std::optional<double> wait_s = request->playback->WaitOf(chunk)) {
    counters_.waits.Add(static_cast<int64_t>(*wait_s * 1e9));
  }
  if (chunk.audio) {
    const int rate_hz = request->playback->header().audio_rate_hz.value_or(0);
    counters_.voice_taken_us += wire::SoundMicroseconds(chunk.audio->samples, rate_hz);
  }
  request->push->paused = request->playback->CountBytes();
  if (request->push->paused) request->avatar->paused.push_back(push);
  return !request->push->paused;
}

void PushLedger::OfferStatus(uint64_t push, double now_s) {
  Request* const request = Find(push);
  if (request == nullptr) return;
  request->push->heard_s = now_s;
  if (request->playback != nullptr) request->playback->StatusSeen();
}

wire::StatusChunk PushLedger::End(uint64_t push, stream::PushEnd end, const absl::Status& why) {
  Request* const request = Find(push);
  if (request == nullptr) return {wire::StatusChunk::kInfo, "the request has ended"};
  if (Playback* const playback = request->playback; playback != nullptr) {
    if (end == stream::PushEnd::kHalfClosed) {
      playback->SourceEnded();
    } else {
      // After a fault the request ends; only a call that broke off may be resumed.
      const bool fault = end == stream::PushEnd::kFault;
      MarkLost(*request, why, fault ? 0 : settings_.resume_s);
      if (fault) request->may_resume = false;
    }
    request->counts = Counts(*playback);
  }
  if (const StreamAvatar& avatar = *request->avatar;
      avatar.seen_s < request->came_s && avatar.pulls.empty() && avatar.stream->waiting.empty()) {
    absl::StrAppend(&request->counts, "; no client has pulled the avatar meanwhile");
  }
  wire::StatusChunk answer{
      wire::StatusChunk::kSuccess,
      absl::StrFormat("%d messages accepted%s", request->push->messages, request->counts)};
  request->last_push = push;
  requests_.erase(push);
  streams_.PushClosed(*request);
  return answer;
}

absl::Status PushLedger::BrokenOff() {
  return absl::CancelledError("the call was cancelled, or its connection was lost");
}

void PushLedger::MarkLost(Request& request, const absl::Status& why, double wait_s) {
  request.playback->SourceLost(wait_s);
  request.lost = request.may_resume = true;
  ++counters_.lost_sources[static_cast<size_t>(why.code())];
  streams_.Tell(EngineEvent::kSourceLost, *request.avatar, request.id, why.ToString(kPlain));
}

void PushLedger::SourceVanished(uint64_t push, const wire::StreamIds& ids) {
  if (Find(push) != nullptr) {
    End(push, stream::PushEnd::kCancelled, BrokenOff());
    return;
  }
  const Stream* const stream = streams_.Find(ids.stream_id);
  if (stream == nullptr || push == 0) return;
  Request* const request = stream->FindRequest(ids.request_id);
  if (request == nullptr || request->last_push != push || request->lost) return;
  if (request->playback != nullptr && request->playback->source_state() == SourceState::kEnded) {
    MarkLost(*request, BrokenOff(), settings_.resume_s);
  }
}

// Returns whether a request with these ids is playing or waiting, so that its end will still be
// reported.
bool PushLedger::HasEndToTell(const wire::StreamIds& ids) const {
  const Stream* const stream = streams_.Find(ids.stream_id);
  return stream != nullptr &&
         std::any_of(stream->requests.begin(), stream->requests.end(), [&](const auto& r) {
           return r->id == ids.request_id && r->playback != nullptr &&
                  r->playback->state() != PlayState::kBlendingOut;
         });
}

void PushLedger::Reject(const CallContext& context, const absl::Status& why) {
  ++counters_.rejected_pushes[static_cast<size_t>(why.code())];
  if (parts_.observer == nullptr) return;
  const wire::StreamIds& ids = context.ids;
  // These say nothing about the end of the request: a second push does not affect the first, nor
  // does a caller without permission; and the source may push to another server.
  const bool no_word_on_it = absl::IsAlreadyExists(why) || absl::IsPermissionDenied(why) ||
                             absl::IsUnauthenticated(why) || absl::IsCancelled(why) ||
                             absl::IsUnavailable(why);
  const bool ends =
      !no_word_on_it && !ids.stream_id.empty() && !ids.request_id.empty() && !HasEndToTell(ids);
  EngineEvent event{ends ? EngineEvent::kRequestRejected : EngineEvent::kPushRejected,
                    ids.stream_id, ids.target_object_id, ids.request_id, why.ToString(kPlain)};
  event.peer = context.peer;
  event.traceparent = context.traceparent;
  parts_.observer->On(event);
}

void PushLedger::Finish(Request& request, const stream::PushAnswer& answer) {
  if (!request.push) return;
  stream::PushPeer* const peer = request.push->peer;
  requests_.erase(request.push->call);
  streams_.PushClosed(request);
  peer->Finish(answer);
}

void PushLedger::FinishAll(const Stream* of, const stream::PushAnswer& answer) {
  std::vector<Request*> all;
  for (const auto& [push, request] : requests_) {
    if (of == nullptr || request->avatar->stream == of) all.push_back(request);
  }
  for (Request* request : all) Finish(*request, answer);
}

void PushLedger::RequestOver(Request& request) {
  if (request.push) request.counts = Counts(*request.playback);
}

void PushLedger::ReadOn(StreamAvatar& avatar, double now_s) {
  std::erase_if(avatar.paused, [&](uint64_t push) {
    Request* const request = Find(push);
    if (request == nullptr) return true;
    if (request->playback != nullptr && request->playback->CountBytes()) return false;
    request->push->paused = false;
    request->push->heard_s = now_s;
    request->push->peer->ReadOn();
    return true;
  });
}

// A source is silent if its push is read and brings nothing while its request plays or should play.
void PushLedger::CheckSilence(double now_s) {
  std::vector<Request*> silent;
  for (const auto& [push, request] : requests_) {
    const Playback* const p = request->playback;
    const bool its_turn =
        p != nullptr && (p->state() != PlayState::kQueued || request->avatar->avatar.IsNext(*p));
    if (request->push->paused || !its_turn) {
      request->push->heard_s = now_s;
    } else if (now_s - request->push->heard_s >= settings_.silence_timeout_s) {
      silent.push_back(request);
    }
  }
  for (Request* request : silent) {
    streams_.Tell(EngineEvent::kSourceSilent, *request->avatar, request->id);
    const absl::Status why = absl::DeadlineExceededError(absl::StrFormat(
        "nothing arrived for %g s; what was received still plays", settings_.silence_timeout_s));
    Finish(*request, {why, {}});
    // The wait for it is already over.
    MarkLost(*request, why, 0);
  }
}

}  // namespace posewire::anim_graph
