#include "services/anim_graph/core/engine.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/anim_graph/core/engine_state.h"

namespace posewire::anim_graph {

Engine::Engine(EngineParts parts, Now start)
    : parts_(std::move(parts)),
      settings_(*parts_.settings),
      bench_(settings_, parts_.plan->rig()->joints(), parts_.plan->rig()->shapes()),
      scheduler_(start.ns, settings_.fps, settings_.hole_s) {}

Engine::~Engine() {
  for (auto& [id, stream] : streams_) {
    parts_.capacity->avatars.Give(static_cast<int>(stream->avatars.size()));
    if (!stream->resting) parts_.capacity->streams.Give();
  }
}

Engine::Stream* Engine::FindStream(absl::string_view stream_id) const {
  const auto it = streams_.find(std::string(stream_id));
  return it == streams_.end() ? nullptr : it->second.get();
}

absl::StatusOr<Engine::Stream*> Engine::FindOrMakeStream(absl::string_view stream_id, bool make) {
  Stream* found = FindStream(stream_id);
  if (found != nullptr && !found->resting) return found;
  if (found == nullptr && !make) {
    return absl::NotFoundError(
        absl::StrCat("stream_id \"", stream_id, "\" is not registered; register it first"));
  }
  if (absl::Status s = parts_.capacity->streams.Take(settings_.max_streams); !s.ok()) return s;
  if (found != nullptr) {
    found->resting = false;
    return found;
  }
  auto stream = std::make_unique<Stream>();
  stream->id = std::string(stream_id);
  Stream* made = stream.get();
  streams_.emplace(made->id, std::move(stream));
  return made;
}

void Engine::EraseStream(StreamMap::iterator at) {
  if (!at->second->resting) parts_.capacity->streams.Give();
  streams_.erase(at);
}

Engine::AvatarEntry* Engine::FindAvatar(Stream& stream, absl::string_view target) const {
  if (stream.avatars.empty()) return nullptr;
  if (target.empty()) return stream.avatars.front().get();
  for (const auto& a : stream.avatars) {
    if (a->target == target) return a.get();
  }
  // The default avatar takes the first name that is given.
  AvatarEntry& first = *stream.avatars.front();
  if (!first.target.empty()) return nullptr;
  first.target = std::string(target);
  return &first;
}

absl::StatusOr<Engine::AvatarEntry*> Engine::FindOrMakeAvatar(Stream& stream,
                                                              absl::string_view target, Now now) {
  if (AvatarEntry* found = FindAvatar(stream, target)) return found;
  if (absl::Status s = parts_.capacity->avatars.Take(settings_.max_avatars); !s.ok()) return s;
  const uint64_t seed = settings_.seed * 0x9e3779b97f4a7c15ULL + next_id_++;
  AvatarEntry* made =
      stream.avatars
          .emplace_back(new AvatarEntry{&stream,
                                        std::string(target),
                                        Avatar(parts_.plan, settings_, seed, &bench_),
                                        0,
                                        Seconds(now),
                                        {},
                                        {},
                                        {},
                                        {}})
          .get();
  const int64_t first_ns = scheduler_.Add(made, now.ns);
  made->epoch_s = now.unix_s + static_cast<double>(first_ns - now.ns) * 1e-9;
  GiveVariables(stream, *made);
  Tell(EngineEvent::kAvatarMade, *made, "", "");
  return made;
}

void Engine::RemoveAvatar(Stream& stream, AvatarEntry* avatar) {
  Tell(EngineEvent::kAvatarRemoved, *avatar, "", "");
  scheduler_.Remove(avatar);
  for (auto& [id, request] : stream.requests) {
    if (request->avatar == avatar) request->avatar = nullptr;
  }
  std::erase_if(stream.detached, [&](const auto& r) { return r->avatar == avatar; });
  std::erase_if(stream.avatars, [&](const auto& a) { return a.get() == avatar; });
  parts_.capacity->avatars.Give();
}

void Engine::Tell(EngineEvent::Kind kind, const AvatarEntry& avatar, absl::string_view request,
                  std::string detail) const {
  if (parts_.observer == nullptr) return;
  EngineEvent event{kind, avatar.stream->id, avatar.target, std::string(request),
                    std::move(detail)};
  event.code_s = settings_.fps.SecondsAt(std::max<int64_t>(0, avatar.avatar.tick()));
  parts_.observer->On(event);
}

absl::Status Engine::StopRequest(absl::string_view stream_id, absl::string_view request_id,
                                 Now now) {
  Stream* stream = FindStream(stream_id);
  const auto it = stream == nullptr ? decltype(stream->requests.end()){}
                                    : stream->requests.find(std::string(request_id));
  if (stream == nullptr || it == stream->requests.end()) {
    return absl::NotFoundError(
        absl::StrCat("stream_id \"", stream_id, "\" knows no request_id \"", request_id, "\""));
  }
  Request& request = *it->second;
  if (request.over || request.avatar == nullptr) return absl::OkStatus();
  const Playback* playback = request.avatar->avatar.Find(request.playback_id);
  const bool ends = playback != nullptr && playback->state() != PlayState::kBlendingOut &&
                    playback->state() != PlayState::kOver;
  request.avatar->avatar.Stop(request.playback_id, Ending::kStopped);
  EndRequest(request, Ending::kStopped, Seconds(now));
  if (ends) Tell(EngineEvent::kRequestInterrupted, *request.avatar, request.id, "stopped");
  return absl::OkStatus();
}

absl::Status Engine::RegisterStream(absl::string_view stream_id, absl::string_view target,
                                    Now now) {
  auto stream = FindOrMakeStream(stream_id, true);
  if (!stream.ok()) return stream.status();
  auto avatar = FindOrMakeAvatar(**stream, target, now);
  if (!avatar.ok()) return avatar.status();
  (*stream)->registered = true;
  return absl::OkStatus();
}

absl::Status Engine::RemoveStream(absl::string_view stream_id, Now now) {
  Stream* stream = FindStream(stream_id);
  if (stream == nullptr) {
    return absl::NotFoundError(absl::StrCat("stream_id \"", stream_id, "\" is not known"));
  }
  const double now_s = Seconds(now);
  const auto farewell = wire::EncodeStatus(wire::StatusChunk::kSuccess, "the stream was removed");
  for (auto& [id, pull] : pulls_) {
    if (pull->stream != stream || pull->finished) continue;
    Send(*pull, farewell, now_s);
    FinishPull(*pull, absl::OkStatus());
  }
  SweepPulls();
  std::vector<uint64_t> pushes;
  for (auto& [id, push] : pushes_) {
    if (push->request->stream == stream) pushes.push_back(id);
  }
  for (uint64_t id : pushes) {
    FinishPush(id, {absl::OkStatus(), {wire::StatusChunk::kInfo, "the stream was removed"}});
  }
  while (!stream->avatars.empty()) RemoveAvatar(*stream, stream->avatars.back().get());
  EraseStream(streams_.find(std::string(stream_id)));
  return absl::OkStatus();
}

void Engine::Drain(Now now) {
  const double now_s = Seconds(now);
  const auto farewell = wire::EncodeStatus(wire::StatusChunk::kInfo, "the server is shutting down");
  const absl::Status status = absl::UnavailableError("the server is shutting down; connect again");
  for (auto& [id, pull] : pulls_) {
    if (pull->finished) continue;
    Send(*pull, farewell, now_s);
    FinishPull(*pull, status);
  }
  SweepPulls();
  std::vector<uint64_t> pushes;
  for (auto& [id, push] : pushes_) pushes.push_back(id);
  for (uint64_t id : pushes) FinishPush(id, {status, {}});
}

EngineCounters Engine::counters() const {
  EngineCounters counters = counters_;
  counters.dropped_poses = dropped_poses_;
  return counters;
}

void Engine::CountRead(const wire::ReadPaths& more) {
  counters_.paths.fixed += more.fixed;
  counters_.paths.by_record += more.by_record;
  counters_.paths.general += more.general;
  counters_.paths.full_records += more.full_records;
  counters_.paths.other_records += more.other_records;
}

std::vector<Engine::StreamInfo> Engine::Streams() const {
  std::vector<StreamInfo> out;
  for (const auto& [id, stream] : streams_) {
    if (stream->resting) continue;
    StreamInfo info{id, stream->registered, {}};
    for (const auto& a : stream->avatars) {
      AvatarInfo avatar{a->target, a->avatar.tick(), static_cast<int>(a->pulls.size()), {}};
      for (const auto& p : a->avatar.playbacks()) {
        avatar.requests.push_back({p->header().ids.request_id, p->header().source_service_id,
                                   p->state(), p->has_started() ? p->position_s() : 0,
                                   p->buffered_s()});
      }
      info.avatars.push_back(std::move(avatar));
    }
    out.push_back(std::move(info));
  }
  return out;
}

}  // namespace posewire::anim_graph
