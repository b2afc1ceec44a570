// The pull side of the engine.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/stream/pull_errors.h"
#include "services/anim_graph/core/engine.h"
#include "services/anim_graph/core/engine_state.h"

namespace posewire::anim_graph {

absl::StatusOr<std::shared_ptr<const skel::Rig>> Engine::PullRig(const PullOptions& options,
                                                                 const AvatarEntry& avatar) const {
  if (options.rig.empty()) return avatar.avatar.shared_rig();
  auto rig = parts_.catalog->Find(options.rig);
  if (rig.ok()) return rig;
  return absl::InvalidArgumentError(
      absl::StrCat("metadata x-posewire-rig: ", rig.status().message()));
}

absl::StatusOr<uint64_t> Engine::OpenPull(const CallContext& context, const PullOptions& options,
                                          FrameSink* sink, Now now) {
  const double now_s = Seconds(now);
  const wire::StreamIds& ids = context.ids;
  if (!options.rig.empty()) {
    if (auto rig = parts_.catalog->Find(options.rig); !rig.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("metadata x-posewire-rig: ", rig.status().message()));
    }
  }
  auto found = FindOrMakeStream(ids.stream_id, settings_.create_streams);
  if (!found.ok()) return found.status();
  Stream& stream = **found;
  ForgetOldRequests(stream, now_s);

  auto pull = std::make_unique<PullCall>();
  pull->id = next_id_++;
  pull->sink = sink;
  pull->stream = &stream;
  pull->ids = ids;
  pull->options = options;
  pull->window = !ids.request_id.empty();
  pull->opened_s = now_s;

  const auto it = pull->window ? stream.requests.find(ids.request_id) : stream.requests.end();
  Request* request = it == stream.requests.end() ? nullptr : it->second.get();
  if (request != nullptr && request->over) {
    CloseOver(*pull, *request, now_s);
    return pull->id;
  }
  AvatarEntry* avatar = request != nullptr ? request->avatar : nullptr;
  if (avatar != nullptr && !ids.target_object_id.empty() &&
      FindAvatar(stream, ids.target_object_id) != avatar) {
    return stream::OfAnotherAvatar(request->id, avatar->target, ids.target_object_id);
  }
  if (avatar == nullptr && (!pull->window || !ids.target_object_id.empty())) {
    if (ids.target_object_id.empty() && stream.avatars.size() > 1) {
      stream::NameList targets;
      for (const auto& a : stream.avatars) targets.Add(a->target);
      return stream::NameOneAvatar(ids.stream_id, targets);
    }
    auto made = FindOrMakeAvatar(stream, ids.target_object_id, now);
    if (!made.ok()) return made.status();
    avatar = *made;
  }
  PullCall& call = *pull;
  if (avatar == nullptr) {
    stream.waiting.push_back(&call);
  } else if (absl::Status s = BindPull(call, *avatar, request, now_s); !s.ok()) {
    return s;
  }
  if (avatar != nullptr && call.window) {
    if (request != nullptr) {
      AttachWindow(call, *request);
    } else {
      stream.waiting.push_back(&call);
    }
  }
  const uint64_t id = call.id;
  pulls_.emplace(id, std::move(pull));
  return id;
}

// From here on the pull belongs to the avatar, for life. `request` is that of a window, when it has
// come.
absl::Status Engine::BindPull(PullCall& pull, AvatarEntry& avatar, const Request* request,
                              double now_s) {
  auto rig = PullRig(pull.options, avatar);
  if (!rig.ok()) return rig.status();
  auto layout = avatar.avatar.OpenLayout(*rig);
  if (!layout.ok()) return layout.status();
  pull.avatar = &avatar;
  pull.layout = *layout;
  ++pull.layout->users;
  avatar.pulls.push_back(&pull);
  avatar.avatar.SetPulled();
  wire::StreamIds ids = pull.ids;
  if (ids.target_object_id.empty()) ids.target_object_id = avatar.target;
  const Playback* playback =
      request == nullptr ? nullptr : avatar.avatar.Find(request->playback_id);
  const Output& output = *pull.layout->output;
  Send(pull,
       playback == nullptr ? output.Header(ids, avatar.epoch_s)
                           : output.Header(ids, avatar.epoch_s, playback->header().unknown_fields),
       now_s);
  pull.open = !pull.window;
  return absl::OkStatus();
}

// Frames flow from the request's first tick on; at once when it plays already.
void Engine::AttachWindow(PullCall& pull, const Request& request) {
  pull.playback_id = request.playback_id;
  if (request.start_code_s >= 0) pull.open = true;
}

void Engine::RequestAppeared(Stream& stream, Request& request, Now now) {
  const double now_s = Seconds(now);
  std::vector<PullCall*> waiting;
  std::swap(waiting, stream.waiting);
  for (PullCall* pull : waiting) {
    if (pull->ids.request_id != request.id) {
      stream.waiting.push_back(pull);
      continue;
    }
    if (pull->avatar == nullptr) {
      if (absl::Status s = BindPull(*pull, *request.avatar, &request, now_s); !s.ok()) {
        FinishPull(*pull, s);
        continue;
      }
    } else if (pull->avatar != request.avatar) {
      FinishPull(*pull, stream::OfAnotherAvatar(request.id, request.avatar->target,
                                                pull->ids.target_object_id));
      continue;
    }
    AttachWindow(*pull, request);
  }
}

void Engine::CloseOver(PullCall& pull, const Request& request, double now_s) {
  const auto& rig =
      pull.options.rig.empty() ? parts_.plan->rig() : *parts_.catalog->Find(pull.options.rig);
  auto output = Output::Make(rig, rig, settings_, bench_.WriterOf(*rig));
  if (!output.ok()) {
    FinishPull(pull, output.status());
    return;
  }
  Send(pull, (*output)->Header(pull.ids, request.epoch_s), now_s);
  Send(pull, stream::FinalStatus(request.ending), now_s);
  FinishPull(pull, absl::OkStatus());
}

void Engine::Send(PullCall& pull, const wire::EncodedFrame& frame, double now_s) {
  if (pull.finished) return;
  if (pull.sink->Offer(frame, now_s) == FrameSink::Offered::kTaken) return;
  if (pull.avatar != nullptr)
    Tell(EngineEvent::kPullOverdue, *pull.avatar, pull.ids.request_id, "");
  FinishPull(pull, stream::TooFarBehind());
}

void Engine::FinishPull(PullCall& pull, const absl::Status& status) {
  if (pull.finished) return;
  pull.finished = true;
  sweep_ = true;
  pull.sink->Finish(status);
}

void Engine::ClosePull(uint64_t id, Now) {
  const auto it = pulls_.find(id);
  if (it == pulls_.end()) return;
  it->second->finished = true;
  sweep_ = true;
  SweepPulls();
}

void Engine::SweepPulls() {
  if (!std::exchange(sweep_, false)) return;
  for (auto it = pulls_.begin(); it != pulls_.end();) {
    PullCall& pull = *it->second;
    if (!pull.finished) {
      ++it;
      continue;
    }
    if (pull.avatar != nullptr) {
      --pull.layout->users;
      std::erase(pull.avatar->pulls, &pull);
    }
    std::erase(pull.stream->waiting, &pull);
    pulls_.erase(it++);
  }
}

}  // namespace posewire::anim_graph
