#include "services/anim_graph/core/streams.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/stream/pull_errors.h"

namespace posewire::anim_graph {
bool SetByText(graph::Variables& variables, absl::string_view name, absl::string_view text) {
  const int at = variables.set().Find(name);
  if (at < 0) return false;
  const auto value = variables.set().spec(at).Parse(text);
  if (value.ok()) variables.Set(at, *value);
  return value.ok();
}

StreamAvatar* Stream::FindAvatar(absl::string_view target) {
  if (avatars.empty()) return nullptr;
  if (target.empty()) return avatars.front().get();
  for (const auto& a : avatars) {
    if (a->target == target) return a.get();
  }
  // The default avatar gets the first target name that is used, unless that target has its own rig.
  StreamAvatar& first = *avatars.front();
  if (!first.target.empty() || targets.contains(target)) return nullptr;
  first.target = std::string(target);
  return &first;
}

Request* Stream::FindRequest(absl::string_view request_id) const {
  for (const auto& r : requests) {
    if (r->id == request_id && !r->replaced) return r.get();
  }
  return nullptr;
}

std::optional<RequestEnd> Stream::FindEnd(absl::string_view request_id) const {
  if (const Request* const r = FindRequest(request_id)) {
    if (r->playback != nullptr) return std::nullopt;
    return RequestEnd{r->ending, r->avatar->epoch_s};
  }
  const RequestEnd* const end = ended.Find(request_id);
  return end == nullptr ? std::nullopt : std::optional(*end);
}

Request* Stream::FindPlaying(uint64_t playback_id) const {
  for (const auto& r : requests) {
    if (r->playback != nullptr && r->playback->id() == playback_id) return r.get();
  }
  return nullptr;
}

void Stream::ForgetUsers(double now_s) {
  std::erase_if(users, [&](const auto& u) { return now_s - u.heard_s > u.hold_s; });
}

Streams::~Streams() {
  for (auto& [id, stream] : streams_) {
    parts_.capacity->avatars.Give(static_cast<int64_t>(stream->avatars.size()));
    if (!stream->resting) parts_.capacity->streams.Give();
  }
}

Stream* Streams::Find(absl::string_view stream_id) const {
  const auto it = streams_.find(std::string(stream_id));
  return it == streams_.end() ? nullptr : it->second.get();
}

absl::StatusOr<Stream*> Streams::FindOrMake(absl::string_view stream_id, Now now, bool make) {
  Stream* stream = Find(stream_id);
  if (stream != nullptr && !stream->resting) return stream;
  if (closed_) return stream::ShuttingDown();
  const auto not_registered = [&] {
    return absl::NotFoundError(
        absl::StrCat("stream_id \"", stream_id, "\" is not registered; register it first"));
  };
  const bool shared = parts_.directory != nullptr && parts_.directory->shared();
  if (stream == nullptr && !make && !shared) return not_registered();
  absl::StatusOr<LeasePtr> lease = LeasePtr();
  if (parts_.directory != nullptr) lease = parts_.directory->Lease(stream_id);
  if (!lease.ok()) return lease.status();
  if (absl::Status s = parts_.capacity->streams.Take(); !s.ok()) return s;
  std::optional<StreamDirectory::SavedStream> saved;
  if (parts_.directory != nullptr) saved = parts_.directory->TakeSaved(stream_id);
  if (stream == nullptr && !make && !saved) {
    parts_.capacity->streams.Give();
    return not_registered();
  }
  if (stream == nullptr) {
    auto made = std::make_unique<Stream>(stream_id, parts_);
    stream = made.get();
    streams_.emplace(stream->id, std::move(made));
  }
  stream->lease = *std::move(lease);
  stream->resting = false;
  stream->saved = 0;
  if (saved) proceed_(*stream, *saved, now);
  return stream;
}

void Streams::Remove(Stream& stream) {
  while (!stream.avatars.empty()) RemoveAvatar(*stream.avatars.back());
  Erase(streams_.find(stream.id));
}

Streams::Map::iterator Streams::Erase(Map::iterator at) {
  if (!at->second->resting) parts_.capacity->streams.Give();
  return streams_.erase(at);
}

GraphAssetPtr Streams::AssetOf(const Stream& stream, absl::string_view target) const {
  for (const auto& a : stream.avatars) {
    if (!target.empty() && a->target != target) continue;
    return a->avatar.has_own_rig() ? a->avatar.graph_instance().shared_asset() : parts_.asset;
  }
  const auto own = parts_.targets.find(target);
  return own == parts_.targets.end() ? parts_.asset : own->second;
}

absl::StatusOr<StreamAvatar*> Streams::FindOrMakeAvatar(Stream& stream, absl::string_view target,
                                                        Now now, GraphAssetPtr asset) {
  if (StreamAvatar* found = stream.FindAvatar(target)) return found;
  if (asset == nullptr) asset = AssetOf(stream, target);
  if (asset == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        "target_object_id \"", target,
        "\" takes its joints from the first push to it, and there was none yet; push first"));
  }
  if (absl::Status s = parts_.capacity->avatars.Take(); !s.ok()) return s;
  const uint64_t seed = settings_.seed * 0x9e3779b97f4a7c15ULL + NewId();
  const bool own_rig = asset->rig() != parts_.asset->rig();
  stream.avatars.emplace_back(new StreamAvatar{
      .stream = &stream,
      .target = std::string(target),
      .avatar = Avatar(std::move(asset), settings_, seed, &scratch_, own_rig),
      .idle_since_s = Seconds(now),
  });
  StreamAvatar& made = *stream.avatars.back();
  const int64_t first_ns = scheduler_.Add(&made, now.ns);
  made.epoch_s = stream.lease == nullptr
                     ? now.unix_s + static_cast<double>(first_ns - now.ns) * 1e-9
                     : stream.lease->unix_offset_s + static_cast<double>(first_ns) * 1e-9;
  for (const auto& [name, text] : stream.variables) {
    SetByText(made.avatar.graph_instance().variables(), name, text);
  }
  Tell(EngineEvent::kAvatarMade, made);
  return &made;
}

void Streams::RemoveAvatar(StreamAvatar& avatar) {
  Tell(EngineEvent::kAvatarRemoved, avatar);
  scheduler_.Remove(&avatar);
  parts_.capacity->avatars.Give();
  Stream& stream = *avatar.stream;
  stream.scene.LetGo(&avatar.avatar);
  std::erase_if(stream.requests, [&](const auto& r) { return r->avatar == &avatar; });
  std::erase_if(stream.avatars, [&](const auto& a) { return a.get() == &avatar; });
}

Request& Streams::Add(std::string request_id, StreamAvatar& avatar, Playback& playback) {
  Stream& stream = *avatar.stream;
  if (Request* const other = stream.FindRequest(request_id)) other->replaced = true;
  return *stream.requests.emplace_back(
      new Request{.id = std::move(request_id), .avatar = &avatar, .playback = &playback});
}

void Streams::RequestOver(Request& request, double now_s) {
  request.playback = nullptr;
  const StreamAvatar& avatar = *request.avatar;
  if (!request.replaced) {
    avatar.stream->ended.Add(request.id, {request.ending, avatar.epoch_s}, now_s);
  }
  if (!request.push) Drop(request);
}

void Streams::PushClosed(Request& request) {
  request.push.reset();
  if (request.playback == nullptr) Drop(request);
}

void Streams::Drop(const Request& request) {
  std::erase_if(request.avatar->stream->requests,
                [&](const auto& r) { return r.get() == &request; });
}

void Streams::RemoveUnused(double now_s) {
  for (auto it = streams_.begin(); it != streams_.end();) {
    Stream& stream = *it->second;
    stream.ForgetUsers(now_s);  // needed if no avatar ticks
    for (const auto& r : stream.requests) {
      if (r->push) r->avatar->idle_since_s = now_s;
      if (r->playback != nullptr) r->playback->CountBytes();
    }
    std::vector<StreamAvatar*> idle;
    for (const auto& a : stream.avatars) {
      if (stream.registered || !a->pulls.empty() || a->avatar.busy()) a->idle_since_s = now_s;
      if (now_s - a->idle_since_s >= settings_.idle_avatar_s) idle.push_back(a.get());
    }
    for (StreamAvatar* a : idle) RemoveAvatar(*a);
    if (!idle.empty() || stream.avatars.empty()) stream.ended.ForgetOld(now_s);
    it = Unused(stream, now_s) ? Retire(it, now_s) : std::next(it);
  }
  ForgetResting();
}

bool Streams::Unused(const Stream& stream, double now_s) const {
  return !stream.registered && stream.avatars.empty() && stream.waiting.empty() &&
         stream.users.empty() && now_s - stream.touched_s >= settings_.idle_avatar_s;
}

Streams::Map::iterator Streams::Retire(Map::iterator at, double now_s) {
  Stream& stream = *at->second;
  if (stream.ended.empty()) return Erase(at);
  if (!stream.resting) {
    stream.resting = true;
    stream.scene = {};
    stream.lease = nullptr;
    stream.rests_since_s = now_s;
    parts_.capacity->streams.Give();
  }
  return std::next(at);
}

void Streams::CameToNothing(absl::string_view stream_id, Now now) {
  const auto at = streams_.find(stream_id);
  if (at != streams_.end() && Unused(*at->second, Seconds(now))) Retire(at, Seconds(now));
}

// Keeps at most max_streams resting streams, and removes those that have rested longest.
void Streams::ForgetResting() {
  std::vector<Map::iterator> resting;
  for (auto it = streams_.begin(); it != streams_.end(); ++it) {
    if (it->second->resting) resting.push_back(it);
  }
  const auto most = static_cast<size_t>(settings_.max_streams);
  if (resting.size() <= most) return;
  std::sort(resting.begin(), resting.end(), [](const auto& a, const auto& b) {
    return a->second->rests_since_s < b->second->rests_since_s;
  });
  for (size_t i = 0; i < resting.size() - most; ++i) Erase(resting[i]);
}

void Streams::Tell(EngineEvent::Kind kind, const StreamAvatar& avatar, absl::string_view request,
                   std::string detail) const {
  if (parts_.observer == nullptr) return;
  EngineEvent event{kind, avatar.stream->id, avatar.target, std::string(request),
                    std::move(detail)};
  event.time_code_s = settings_.fps.SecondsAt(std::max<int64_t>(0, avatar.avatar.tick()));
  if (!request.empty()) {
    const Request* const of = avatar.stream->FindRequest(request);
    if (of != nullptr) event.traceparent = of->traceparent;
  }
  parts_.observer->On(event);
}

}  // namespace posewire::anim_graph
