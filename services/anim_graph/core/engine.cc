#include "services/anim_graph/core/engine.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/stream/pull_errors.h"
#include "libs/wire/traffic.h"

namespace posewire::anim_graph {
namespace {

constexpr double kHousekeeping_s = 0.05;
constexpr double kStreamsEvery_s = 1;
// Snapshots of a stream are taken once in this many rounds of housekeeping.
constexpr size_t kSaveParts = 10;
// How many avatars adopt a new graph within a frame, over all slots. The others follow at their
// next ticks. Making an avatar's nodes takes up to a millisecond.
constexpr int kRebuiltAFrame = 8;

constexpr char kMoves[] = "the stream moves to another server; call again";
constexpr char kShuttingDown[] = "the server is shutting down";

bool IsQuiet(const Stream& stream) {
  return std::none_of(stream.avatars.begin(), stream.avatars.end(),
                      [](const auto& a) { return a->avatar.busy(); });
}

}  // namespace

Engine::Engine(EngineParts parts, Now start)
    : parts_(std::move(parts)),
      settings_(*parts_.settings),
      scratch_(settings_, parts_.asset->rig()->joints(), parts_.asset->rig()->shapes(),
               parts_.capacity->frames.meter()),
      scheduler_(start.ns, settings_.fps, settings_.max_gap_s),
      streams_(&parts_, &scratch_, &scheduler_,
               [this](Stream& stream, const auto& saved, Now now) {
                 if (snapshots_ != nullptr) snapshots_->Continue(stream, saved, now);
               }),
      pulls_(&parts_, &streams_, &counters_),
      pushes_(&parts_, &streams_, &pulls_, &counters_),
      control_(&parts_, &streams_),
      snapshots_(parts_.snapshots ? parts_.snapshots(&parts_, &streams_, &pushes_) : nullptr) {}

Engine::~Engine() = default;

void Engine::Advance(Now now) {
  scheduler_.Advance(
      now.ns, [&](int64_t slot, const std::vector<Member>& members, int64_t late_ns, bool late) {
        counters_.late_slots += late;
        if (!members.empty()) counters_.lateness.Add(late_ns);
        TickSlot(slot, members, now.ns, Seconds(now));
      });
  if (Seconds(now) >= next_housekeeping_s_) RunHousekeeping(now);
  pulls_.Sweep();
}

// First ticks all avatars of the slot, then sends all frames in one burst.
void Engine::TickSlot(int64_t slot, const std::vector<Member>& members, int64_t now_ns,
                      double now_s) {
  int& rebuilt = rebuilt_[static_cast<size_t>(slot % SlotClock::kSlotsPerFrame)];
  rebuilt = 0;
  int rebuilds = kRebuiltAFrame - std::accumulate(rebuilt_.begin(), rebuilt_.end(), 0);
  scratch_.frames().Rewind();
  for (const Member& member : members) {
    Avatar& avatar = member.of->avatar;
    const int64_t k = member.TickOn(slot);
    if (k <= avatar.tick() || !MayTick(*member.of, now_ns, now_s)) continue;
    if (!avatar.has_own_rig() && &avatar.graph_instance().asset() != parts_.asset.get() &&
        rebuilds > 0) {
      avatar.SetGraphAsset(parts_.asset);
      StreamControl::SetWaiting(*member.of);
      --rebuilds;
      ++rebuilt;
    }
    Tick(*member.of, k, now_s);
  }
  for (const Member& member : members) {
    if (member.TickOn(slot) >= 0 && !member.of->halted) Send(*member.of, now_s);
  }
}

// Returns false once the stream's lease is over, because another process may serve it by now.
bool Engine::MayTick(StreamAvatar& a, int64_t now_ns, double now_s) {
  const StreamLease* const lease = a.stream->lease.get();
  if (lease == nullptr || now_ns < lease->until_ns.load(std::memory_order_relaxed)) return true;
  if (!std::exchange(a.halted, true)) {
    pulls_.SendToAll(a,
                     wire::EncodeStatus(wire::StatusChunk::kWarning,
                                        "the stream pauses until its lease is renewed"),
                     now_s);
  }
  return false;
}

void Engine::Tick(StreamAvatar& a, int64_t k, double now_s) {
  const int64_t holes = a.avatar.holes();
  const int64_t before = a.avatar.tick();
  const int64_t missed = a.avatar.missed_ticks();
  const bool halted = std::exchange(a.halted, false);
  control_.SetSurroundings(a, now_s);
  a.avatar.Tick(k, now_s);
  const Mixer& mixer = scratch_.mixer();
  control_.ActOnProps(a);
  StreamControl::Note(a, mixer.voiced() ? mixer.samples() : absl::Span<const int16_t>());
  ++counters_.ticks;
  if (mixer.voiced()) {
    counters_.voice_played_us += wire::SoundMicroseconds(mixer.samples(), settings_.audio_rate_hz);
  }
  counters_.missed_ticks += a.avatar.missed_ticks() - missed;
  if (a.avatar.holes() == holes) return;
  const double gap_s = settings_.fps.SecondsAt(k - before - 1);
  const std::string text = absl::StrFormat("%.1f s were skipped: the %s", gap_s,
                                           halted ? "stream had no lease" : "server was stalled");
  streams_.Tell(EngineEvent::kGap, a, "", text);
  if (halted) return;  // the pulls know it since the pause began
  pulls_.SendToAll(a, wire::EncodeStatus(wire::StatusChunk::kWarning, text), now_s);
}

void Engine::Send(StreamAvatar& a, double now_s) {
  for (const PlaybackEvent& event : a.avatar.events()) Handle(event, a, now_s);
  TellGraphEvents(a);
  counters_.frames += pulls_.SendFrames(a, now_s);
  a.avatar.Sweep();
  if (!a.paused.empty()) pushes_.ReadOn(a, now_s);
}

void Engine::Handle(const PlaybackEvent& event, StreamAvatar& a, double now_s) {
  Request* const request = a.stream->FindPlaying(event.playback_id);
  if (request == nullptr) return;
  switch (event.kind) {
    case PlaybackEvent::kStarted: {
      request->start_time_code_s = event.time_code_s;
      const std::string text =
          absl::StrFormat("request_id \"%s\" starts at code %.9g", request->id, event.time_code_s);
      streams_.Tell(EngineEvent::kRequestStarted, a, request->id, text);
      pulls_.RequestStarted(*request, wire::EncodeStatus(wire::StatusChunk::kInfo, text), now_s);
      break;
    }
    case PlaybackEvent::kUnderrun:
      streams_.Tell(EngineEvent::kUnderrun, a, request->id);
      break;
    case PlaybackEvent::kResumed:
      streams_.Tell(EngineEvent::kResumed, a, request->id);
      break;
    case PlaybackEvent::kEnded:
      request->ending = request->playback->ending();
      if (request->ending == Ending::kInterrupted) {
        pushes_.Finish(*request,
                       {absl::OkStatus(),
                        {wire::StatusChunk::kInfo, "the request was interrupted by a newer one"}});
      }
      streams_.Tell(request->ending == Ending::kEnded ? EngineEvent::kRequestEnded
                                                      : EngineEvent::kRequestInterrupted,
                    a, request->id);
      break;
    case PlaybackEvent::kOver:
      if (request->ending == Ending::kNone) request->ending = request->playback->ending();
      // What it played in ticks that were missed is in this frame alone.
      if (event.time_code_s > a.avatar.frame_start_s()) {
        counters_.frames += pulls_.SendLastFrame(*request, now_s);
      }
      RequestOver(*request, now_s);
      break;
  }
}

void Engine::RequestOver(Request& request, double now_s) {
  pushes_.RequestOver(request);
  pulls_.RequestOver(request, now_s);
  streams_.RequestOver(request, now_s);
}

void Engine::TellGraphEvents(StreamAvatar& a) {
  if (parts_.observer == nullptr) return;
  const graph::TickOutputs& told = a.avatar.graph_instance().outputs();
  for (int i = 0; i < told.event_count; ++i) {
    const graph::GraphEvent& event = told.events[static_cast<size_t>(i)];
    EngineEvent out{EngineEvent::kGraphTold, a.stream->id, a.target, "", std::string(event.name)};
    out.graph = event.kind;
    out.time_code_s = settings_.fps.SecondsAt(a.avatar.tick());
    parts_.observer->On(out);
  }
}

void Engine::RunHousekeeping(Now now) {
  const double now_s = Seconds(now);
  next_housekeeping_s_ = now_s + kHousekeeping_s;
  pushes_.CheckSilence(now_s);
  pulls_.CheckWaiting(now_s);
  pulls_.Sweep();
  if (snapshots_ != nullptr) {
    snapshots_->SaveChanged(next_part_++ % kSaveParts, kSaveParts);
  }
  if (moving_ > 0) MoveNext(now);
  if (now_s < next_stream_check_s_) return;
  next_stream_check_s_ = now_s + kStreamsEvery_s;
  streams_.RemoveUnused(now_s);
}

absl::Status Engine::StopRequest(absl::string_view stream_id, absl::string_view request_id,
                                 Now now) {
  const Stream* const stream = streams_.Find(stream_id);
  if (stream != nullptr && stream->FindEnd(request_id)) return absl::OkStatus();
  Request* const request = stream == nullptr ? nullptr : stream->FindRequest(request_id);
  if (request == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("stream_id \"", stream_id, "\" has no request_id \"", request_id, "\""));
  }
  StreamAvatar& avatar = *request->avatar;
  const bool ends = request->playback->state() != PlayState::kBlendingOut;
  request->ending = Ending::kStopped;
  request->playback->End(Ending::kStopped, avatar.avatar.tick() + 1);
  pushes_.Finish(*request,
                 {absl::OkStatus(), {wire::StatusChunk::kInfo, "the request was stopped"}});
  // If it had not played yet, no tick will report its end to the pulls that wait for it.
  if (request->playback->state() == PlayState::kOver) RequestOver(*request, Seconds(now));
  if (ends) streams_.Tell(EngineEvent::kRequestInterrupted, avatar, request_id, "stopped");
  return absl::OkStatus();
}

absl::Status Engine::RegisterStream(absl::string_view stream_id, absl::string_view target,
                                    Now now) {
  auto stream = streams_.FindOrMake(stream_id, now, true);
  if (!stream.ok()) return stream.status();
  auto avatar = streams_.FindOrMakeAvatar(**stream, target, now);
  if (!avatar.ok()) {
    streams_.CameToNothing(stream_id, now);
    return avatar.status();
  }
  (*stream)->registered = true;
  return absl::OkStatus();
}

absl::Status Engine::RemoveStream(absl::string_view stream_id, Now now) {
  Stream* const stream = streams_.Find(stream_id);
  if (stream == nullptr) {
    return absl::NotFoundError(absl::StrCat("stream_id \"", stream_id, "\" is not known"));
  }
  // No other process continues it.
  if (stream->lease != nullptr) parts_.directory->Save(stream->id, stream->lease, "");
  pulls_.FinishAll(stream,
                   wire::EncodeStatus(wire::StatusChunk::kSuccess, "the stream was removed"),
                   absl::OkStatus(), now);
  pushes_.FinishAll(stream,
                    {absl::OkStatus(), {wire::StatusChunk::kInfo, "the stream was removed"}});
  streams_.Remove(*stream);
  return absl::OkStatus();
}

void Engine::EndStream(const StreamDirectory::LostLease& lost, Now now) {
  Stream* const stream = streams_.Find(lost.stream_id);
  if (stream == nullptr || stream->lease != lost.lease) return;
  End(*stream, lost.why.message(), lost.why, now);
}

void Engine::End(Stream& stream, absl::string_view told, const absl::Status& why, Now now) {
  pulls_.FinishAll(&stream, wire::EncodeStatus(wire::StatusChunk::kInfo, told), why, now);
  pushes_.FinishAll(&stream, {why, {}});
  streams_.Remove(stream);
}

void Engine::HandOver(Stream& stream, absl::string_view told, const absl::Status& why, Now now) {
  if (snapshots_ != nullptr) snapshots_->HandOver(stream, now);
  End(stream, told, why, now);
}

size_t Engine::EndStreams(bool all, size_t most, Now now) {
  std::vector<Stream*> ending;
  size_t left = 0;
  for (const auto& [id, stream] : streams_.all()) {
    if (stream->resting) continue;
    if (ending.size() < most && (all || IsQuiet(*stream))) {
      ending.push_back(stream.get());
    } else {
      ++left;
    }
  }
  for (Stream* stream : ending) HandOver(*stream, kShuttingDown, stream::ShuttingDown(), now);
  return left;
}

size_t Engine::MoveStreams(absl::Span<const std::string> ids, double per_s, double within_s,
                           Now now) {
  const absl::flat_hash_set<absl::string_view> named(ids.begin(), ids.end());
  size_t moving = 0;
  for (const auto& [id, stream] : streams_.all()) {
    if (stream->lease == nullptr || !(ids.empty() ? stream->relayed : named.contains(id))) continue;
    stream->move_by_s = Seconds(now) + within_s;
    ++moving;
  }
  moving_ += moving;
  move_every_s_ = 1 / per_s;
  return moving;
}

void Engine::MoveNext(Now now) {
  const double now_s = Seconds(now);
  next_move_s_ = std::max(next_move_s_, now_s - kHousekeeping_s);
  std::vector<Stream*> next;
  moving_ = 0;
  for (const auto& [id, stream] : streams_.all()) {
    if (!stream->move_by_s) continue;
    ++moving_;
    if (next_move_s_ > now_s || (now_s < *stream->move_by_s && !IsQuiet(*stream))) continue;
    next.push_back(stream.get());
    next_move_s_ += move_every_s_;
  }
  for (Stream* stream : next) HandOver(*stream, kMoves, absl::UnavailableError(kMoves), now);
}

void Engine::NoteWay(absl::string_view stream_id, bool relayed) {
  Stream* const stream = streams_.Find(stream_id);
  if (stream != nullptr) stream->relayed = relayed;
}

void Engine::Drain(Now now) {
  const absl::Status status = stream::ShuttingDown();
  pulls_.FinishAll(nullptr, wire::EncodeStatus(wire::StatusChunk::kInfo, kShuttingDown), status,
                   now);
  pushes_.FinishAll(nullptr, {status, {}});
}

EngineCounters Engine::counters() const {
  EngineCounters counters = counters_;
  counters.dropped_poses = dropped_poses_;
  return counters;
}

std::vector<Engine::StreamInfo> Engine::Streams(absl::string_view after, size_t most) const {
  std::vector<StreamInfo> out;
  const auto& all = streams_.all();
  size_t told = 0;
  for (auto at = all.upper_bound(std::string(after)); at != all.end() && told < most; ++at) {
    const auto& [id, stream] = *at;
    if (stream->resting) continue;
    StreamInfo info{id, stream->registered, {}};
    for (const auto& a : stream->avatars) {
      AvatarInfo avatar{
          a->target, a->avatar.tick(), static_cast<int>(a->pulls.size()), {}, a->place};
      for (const auto& p : a->avatar.playbacks()) {
        avatar.requests.push_back({p->header().ids.request_id, p->header().source_service_id,
                                   p->state(), p->has_started() ? p->position_s() : 0,
                                   p->buffered_s()});
      }
      told += 1 + avatar.requests.size();
      info.avatars.push_back(std::move(avatar));
    }
    ++told;
    out.push_back(std::move(info));
  }
  return out;
}

}  // namespace posewire::anim_graph
