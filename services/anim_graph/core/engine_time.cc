// What the engine does as time goes by.
#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_format.h"
#include "services/anim_graph/core/engine.h"
#include "services/anim_graph/core/engine_state.h"

namespace posewire::anim_graph {
namespace {

constexpr double kHousekeeping_s = 0.05;
constexpr double kStreamsEvery_s = 1;
// Avatars that take up a new graph within a frame, whichever slots they are in; the others do so at
// their next ticks. Making an avatar's nodes takes up to a millisecond.
constexpr int kRebuiltAFrame = 8;

}  // namespace

void Engine::Advance(Now now) {
  scheduler_.Advance(now.ns, [&](int64_t slot, const auto& members, bool late) {
    counters_.late_slots += late;
    TickSlot(slot, members, now);
  });
  if (Seconds(now) >= next_housekeeping_s_) KeepHouse(now);
  SweepPulls();
}

// All tick, and then all are sent: what goes out leaves in one burst.
void Engine::TickSlot(int64_t slot, const std::vector<TickScheduler<AvatarEntry>::Member>& members,
                      Now now) {
  int& rebuilt = rebuilt_[static_cast<size_t>(slot % SlotClock::kSlotsPerFrame)];
  rebuilt = 0;
  int rebuilds = kRebuiltAFrame - std::accumulate(rebuilt_.begin(), rebuilt_.end(), 0);
  bench_.frames().Rewind();
  for (const auto& member : members) {
    AvatarEntry& a = *member.of;
    const int64_t k = member.TickOn(slot);
    if (k <= a.avatar.tick()) continue;
    if (&a.avatar.composite().plan() != parts_.plan.get() && rebuilds > 0) {
      a.avatar.SetPlan(parts_.plan);
      --rebuilds;
      ++rebuilt;
    }
    TickAvatar(a, k, now);
  }
  for (const auto& member : members) {
    if (member.TickOn(slot) >= 0) SendTick(*member.of, now);
  }
}

void Engine::TickAvatar(AvatarEntry& a, int64_t k, Now now) {
  const double now_s = Seconds(now);
  const int64_t holes = a.avatar.holes();
  const int64_t before = a.avatar.tick();
  Surround(a, now_s);
  const int64_t missed = a.avatar.missed_ticks();
  a.avatar.Tick(k, now_s);
  NoteHead(a);
  ++counters_.ticks;
  counters_.missed_ticks += a.avatar.missed_ticks() - missed;
  if (a.avatar.holes() != holes) {
    const double gap_s = settings_.fps.SecondsAt(k - before - 1);
    const std::string text = absl::StrFormat("%.1f s were lost: the server stood still", gap_s);
    Tell(EngineEvent::kHole, a, "", text);
    const auto warning = wire::EncodeStatus(wire::StatusChunk::kWarning, text);
    for (PullCall* pull : a.pulls) Send(*pull, warning, now_s);
  }
}

void Engine::SendTick(AvatarEntry& a, Now now) {
  const double now_s = Seconds(now);
  HandleEvents(a, now_s);
  HandleGraphEvents(a);
  SendFrames(a, now_s);
  a.avatar.Sweep();
  if (!a.paused.empty()) ReadOn(a, now_s);
}

// Sources that were paused read on when their buffers have room again.
void Engine::ReadOn(AvatarEntry& a, double now_s) {
  std::erase_if(a.paused, [&](uint64_t id) {
    const auto it = pushes_.find(id);
    if (it == pushes_.end()) return true;
    PushCall& push = *it->second;
    const Playback* p = a.avatar.Find(push.request->playback_id);
    if (p != nullptr && p->full()) return false;
    push.paused = false;
    push.heard_s = now_s;
    push.peer->ReadOn();
    return true;
  });
}

Engine::Request* Engine::FindRequest(Stream& stream, uint64_t playback_id) {
  for (auto& [id, r] : stream.requests) {
    if (r->playback_id == playback_id) return r.get();
  }
  for (auto& r : stream.detached) {
    if (r->playback_id == playback_id) return r.get();
  }
  return nullptr;
}

void Engine::HandleEvents(AvatarEntry& a, double now_s) {
  for (const PlaybackEvent& event : a.avatar.events()) {
    Request* request = FindRequest(*a.stream, event.playback_id);
    Playback* playback = a.avatar.Find(event.playback_id);
    if (request == nullptr || playback == nullptr) continue;
    switch (event.kind) {
      case PlaybackEvent::kStarted: {
        request->start_code_s = event.code_s;
        const std::string text =
            absl::StrFormat("request_id \"%s\" starts at code %.9g", request->id, event.code_s);
        Tell(EngineEvent::kRequestStarted, a, request->id, text);
        const auto status = wire::EncodeStatus(wire::StatusChunk::kInfo, text);
        for (PullCall* pull : a.pulls) {
          if (pull->playback_id == event.playback_id) pull->open = true;
          if (pull->open) Send(*pull, status, now_s);
        }
        break;
      }
      case PlaybackEvent::kUnderrun:
        Tell(EngineEvent::kUnderrun, a, request->id, "");
        break;
      case PlaybackEvent::kResumed:
        Tell(EngineEvent::kResumed, a, request->id, "");
        break;
      case PlaybackEvent::kEnded:
        request->ending = playback->ending();
        if (playback->ending() == Ending::kInterrupted)
          EndRequest(*request, Ending::kInterrupted, now_s);
        Tell(playback->ending() == Ending::kEnded ? EngineEvent::kRequestEnded
                                                  : EngineEvent::kRequestInterrupted,
             a, request->id, "");
        break;
      case PlaybackEvent::kOver: {
        if (request->ending == Ending::kNone) request->ending = playback->ending();
        request->counts = Counts(*request);
        request->over = true;
        request->over_s = now_s;
        const auto status = stream::FinalStatus(request->ending);
        for (PullCall* pull : a.pulls) {
          if (!pull->window || pull->playback_id != event.playback_id) continue;
          Send(*pull, status, now_s);
          FinishPull(*pull, absl::OkStatus());
        }
        std::erase_if(a.stream->detached, [&](const auto& r) { return r.get() == request; });
        break;
      }
    }
  }
}

void Engine::SendFrames(AvatarEntry& a, double now_s) {
  for (PullCall* pull : a.pulls) {
    if (!pull->open || pull->finished) continue;
    ++counters_.frames;
    Send(*pull, pull->layout->output->frame(), now_s);
  }
}

void Engine::KeepHouse(Now now) {
  const double now_s = Seconds(now);
  next_housekeeping_s_ = now_s + kHousekeeping_s;
  CheckPushes(now_s);
  CheckWaitingPulls(now_s);
  SweepPulls();
  if (now_s < next_stream_check_s_) return;
  next_stream_check_s_ = now_s + kStreamsEvery_s;
  CheckStreams(now_s);
}

// A source that is read and says nothing while its request plays, or should, is given up.
void Engine::CheckPushes(double now_s) {
  std::vector<uint64_t> silent;
  for (auto& [id, push] : pushes_) {
    Avatar& avatar = push->request->avatar->avatar;
    const Playback* p = avatar.Find(push->request->playback_id);
    const bool its_turn = p != nullptr && (p->state() != PlayState::kQueued || avatar.IsNext(*p));
    if (push->paused || !its_turn) {
      push->heard_s = now_s;
    } else if (now_s - push->heard_s >= settings_.silence_timeout_s) {
      silent.push_back(id);
    }
  }
  for (uint64_t id : silent) {
    Request& request = *pushes_.at(id)->request;
    Tell(EngineEvent::kSourceSilent, *request.avatar, request.id, "");
    const absl::Status why = absl::DeadlineExceededError(absl::StrFormat(
        "nothing came for %g s; what was received plays", settings_.silence_timeout_s));
    FinishPush(id, {why, {}});
    if (Playback* p = request.avatar->avatar.Find(request.playback_id))
      MarkLost(request, *p, now_s, why);
  }
}

void Engine::CheckWaitingPulls(double now_s) {
  for (auto& [id, pull] : pulls_) {
    if (pull->finished || !pull->window || pull->playback_id != 0) continue;
    if (now_s - pull->opened_s < settings_.pull_wait_s) continue;
    FinishPull(*pull,
               absl::NotFoundError(absl::StrFormat("no push brought request_id \"%s\" within %g s",
                                                   pull->ids.request_id, settings_.pull_wait_s)));
  }
}

void Engine::CheckStreams(double now_s) {
  for (auto& [id, push] : pushes_) push->request->avatar->idle_since_s = now_s;
  for (auto it = streams_.begin(); it != streams_.end();) {
    Stream& stream = *it->second;
    ForgetUsers(stream, now_s);  // where no avatar ticks
    std::vector<AvatarEntry*> idle;
    for (const auto& a : stream.avatars) {
      if (stream.registered || !a->pulls.empty() || a->avatar.busy()) a->idle_since_s = now_s;
      if (now_s - a->idle_since_s >= settings_.idle_avatar_s) idle.push_back(a.get());
    }
    for (AvatarEntry* a : idle) RemoveAvatar(stream, a);
    if (!idle.empty() || stream.avatars.empty()) ForgetOldRequests(stream, now_s);
    const bool bare = !stream.registered && stream.avatars.empty() && stream.waiting.empty() &&
                      now_s - stream.touched_s >= settings_.idle_avatar_s;
    const auto next = std::next(it);
    if (bare && stream.requests.empty()) {
      EraseStream(it);
    } else if (bare && !stream.resting) {
      stream.resting = true;
      stream.rests_since_s = now_s;
      parts_.capacity->streams.Give();
    }
    it = next;
  }
  ForgetRestingStreams();
}

// What is remembered of streams that nobody uses is bounded like the streams themselves.
void Engine::ForgetRestingStreams() {
  std::vector<StreamMap::iterator> resting;
  for (auto it = streams_.begin(); it != streams_.end(); ++it) {
    if (it->second->resting) resting.push_back(it);
  }
  const auto most = static_cast<size_t>(settings_.max_streams);
  if (resting.size() <= most) return;
  std::sort(resting.begin(), resting.end(), [](const auto& a, const auto& b) {
    return a->second->rests_since_s < b->second->rests_since_s;
  });
  for (size_t i = 0; i < resting.size() - most; ++i) EraseStream(resting[i]);
}

}  // namespace posewire::anim_graph
