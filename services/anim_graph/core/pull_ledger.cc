#include "services/anim_graph/core/pull_ledger.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/stream/pull_errors.h"
#include "libs/stream/request_end.h"

namespace posewire::anim_graph {

absl::StatusOr<uint64_t> PullLedger::Open(const wire::StreamIds& ids,
                                          const stream::PullCallOptions& options,
                                          stream::FrameSink* sink, Now now) {
  const double now_s = streams_.Seconds(now);
  std::unique_ptr<Pull> made(new Pull{sink, ids, now_s, nullptr});
  Pull& pull = *made;
  pull.contributions = options.contributions;
  pull.form = options.form;
  if (!options.rig.empty()) {
    auto rig = parts_.catalog->Find(options.rig);
    if (!rig.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("metadata x-posewire-rig: ", rig.status().message()));
    }
    pull.rig = *std::move(rig);
  }
  if (absl::Status s = parts_.capacity->frames.Check(); !s.ok()) return s;
  pull.place = stream::Reservation(&parts_.capacity->pulls);
  if (absl::Status s = pull.place.Take(); !s.ok()) return s;
  auto found = streams_.FindOrMake(ids.stream_id, now);
  if (!found.ok()) return found.status();
  Stream& stream = **found;
  const absl::Status room = parts_.capacity->stream_pulls.Check(
      stream.pulls, absl::StrCat(" of stream_id \"", stream.id, "\""));
  if (!room.ok()) return room;
  pull.stream = &stream;
  stream.ended.ForgetOld(now_s);

  const uint64_t id = streams_.NewId();
  const Request* request = nullptr;
  if (pull.window()) {
    if (const auto end = stream.FindEnd(ids.request_id)) {
      CloseOver(pull, *end, now_s);
      return id;
    }
    request = stream.FindRequest(ids.request_id);
  }
  auto avatar = AvatarFor(pull, request, now);
  if (!avatar.ok()) return avatar.status();
  if (*avatar != nullptr) {
    if (absl::Status s = Bind(pull, **avatar, request, now_s); !s.ok()) return s;
  }
  if (request != nullptr) {
    Attach(pull, *request);
  } else if (pull.window() || pull.avatar == nullptr) {
    stream.waiting.push_back(&pull);
  }
  pulls_.emplace(id, std::move(made));
  ++stream.pulls;
  return id;
}

// Returns the request's avatar, else the target's. Null for a window that names no target and whose
// request has not been opened, and for a target whose rig is not known until its first push.
absl::StatusOr<StreamAvatar*> PullLedger::AvatarFor(const Pull& pull, const Request* request,
                                                    Now now) {
  Stream& stream = *pull.stream;
  const std::string& target = pull.ids.target_object_id;
  if (request != nullptr) {
    if (target.empty() || stream.FindAvatar(target) == request->avatar) return request->avatar;
    return stream::OfAnotherAvatar(request->id, request->avatar->target, target);
  }
  if (pull.window() && target.empty()) return nullptr;
  if (target.empty() && stream.avatars.size() > 1) {
    stream::NameList targets;
    for (const auto& a : stream.avatars) targets.Add(a->target);
    return stream::NameOneAvatar(stream.id, targets);
  }
  if (streams_.AssetOf(stream, target) == nullptr) return nullptr;
  return streams_.FindOrMakeAvatar(stream, target, now);
}

// From here on the pull belongs to this avatar. `request` is the window's request, if it has been
// opened.
absl::Status PullLedger::Bind(Pull& pull, StreamAvatar& avatar, const Request* request,
                              double now_s) {
  auto output_format = avatar.avatar.OpenOutputFormat(
      pull.rig ? pull.rig : avatar.avatar.shared_rig(), pull.contributions, pull.form);
  if (!output_format.ok()) return output_format.status();
  pull.avatar = &avatar;
  pull.output_format = *output_format;
  ++pull.output_format->users;
  avatar.avatar.NoteUsers();
  avatar.pulls.push_back(&pull);
  avatar.avatar.SetPulled();
  wire::StreamIds ids = pull.ids;
  if (ids.target_object_id.empty()) ids.target_object_id = avatar.target;
  Send(pull,
       pull.output_format->output->Header(
           ids, avatar.epoch_s,
           request == nullptr ? std::string() : request->playback->header().unknown_fields),
       now_s);
  if (!pull.window()) StartFrames(pull);
  return absl::OkStatus();
}

void PullLedger::StartFrames(Pull& pull) {
  pull.open = true;
  SetIncomplete(pull, true);
  pull.avatar->avatar.TellAppearance();
}

// Frames are sent from the request's first tick on, immediately if it already plays.
void PullLedger::Attach(Pull& pull, const Request& request) {
  pull.request = &request;
  if (request.start_time_code_s >= 0) StartFrames(pull);
}

void PullLedger::RequestCame(Request& request, double now_s) {
  std::vector<Pull*>& waiting = request.avatar->stream->waiting;
  for (Pull* pull : std::exchange(waiting, {})) {
    absl::Status bound;
    if (!pull->window()) {
      if (pull->ids.target_object_id == request.avatar->target) {
        bound = Bind(*pull, *request.avatar, nullptr, now_s);
      } else {
        waiting.push_back(pull);
      }
      if (!bound.ok()) Finish(*pull, bound);
      continue;
    }
    if (pull->ids.request_id != request.id) {
      waiting.push_back(pull);
      continue;
    }
    if (pull->avatar == nullptr) {
      bound = Bind(*pull, *request.avatar, &request, now_s);
    } else if (pull->avatar != request.avatar) {
      bound =
          stream::OfAnotherAvatar(request.id, request.avatar->target, pull->ids.target_object_id);
    }
    if (bound.ok()) {
      Attach(*pull, request);
    } else {
      Finish(*pull, bound);
    }
  }
}

void PullLedger::RequestStarted(const Request& request, const wire::EncodedFrame& status,
                                double now_s) {
  for (Pull* pull : request.avatar->pulls) {
    if (pull->request == &request) StartFrames(*pull);
    if (pull->open) Send(*pull, status, now_s);
  }
}

int PullLedger::SendLastFrame(const Request& request, double now_s) {
  int sent = 0;
  for (Pull* pull : request.avatar->pulls) {
    if (pull->request != &request || !pull->open || pull->finished) continue;
    ++sent;
    SendFrame(*pull, now_s);
  }
  return sent;
}

void PullLedger::RequestOver(const Request& request, double now_s) {
  const auto last = stream::FinalStatus(request.ending);
  for (Pull* pull : request.avatar->pulls) {
    if (pull->request != &request) continue;
    Send(*pull, last, now_s);
    Finish(*pull, absl::OkStatus());
    pull->request = nullptr;
  }
}

// For a pull that never gets an avatar.
void PullLedger::SendHeader(Pull& pull, double epoch_s, double now_s) {
  std::shared_ptr<const skel::Rig> rig = pull.rig;
  if (rig == nullptr) {
    const GraphAssetPtr asset = streams_.AssetOf(*pull.stream, pull.ids.target_object_id);
    rig = (asset != nullptr ? asset : parts_.asset)->rig();
  }
  auto output = Output::Make(rig, rig, *parts_.settings, nullptr);
  if (!output.ok()) {
    Finish(pull, output.status());
    return;
  }
  Send(pull, (*output)->Header(pull.ids, epoch_s), now_s);
}

void PullLedger::CloseOver(Pull& pull, const RequestEnd& end, double now_s) {
  SendHeader(pull, end.epoch_s, now_s);
  Send(pull, stream::FinalStatus(end.ending), now_s);
  Finish(pull, absl::OkStatus());
}

void PullLedger::SendToAll(const StreamAvatar& avatar, const wire::EncodedFrame& status,
                           double now_s) {
  for (Pull* pull : avatar.pulls) Send(*pull, status, now_s);
}

int PullLedger::SendFrames(StreamAvatar& avatar, double now_s) {
  int sent = 0;
  for (Pull* pull : avatar.pulls) {
    if (!pull->open || pull->finished) continue;
    ++sent;
    SendFrame(*pull, now_s);
  }
  if (sent > 0) avatar.seen_s = now_s;
  return sent;
}

// A sparse frame builds on the one before it, so a new pull, and one that may lose poses, gets
// complete ones.
void PullLedger::SendFrame(Pull& pull, double now_s) {
  const Avatar::OutputFormat& format = *pull.output_format;
  if (!pull.incomplete || !format.frame.is_sparse()) return Send(pull, format.frame, now_s);
  Send(pull, format.whole ? format.whole : format.frame.CopyWithoutPose(), now_s);
}

void PullLedger::SetIncomplete(Pull& pull, bool incomplete) {
  if (pull.form == wire::PoseForm::kComplete || pull.incomplete == incomplete) return;
  pull.incomplete = incomplete;
  pull.output_format->incomplete += incomplete ? 1 : -1;
}

void PullLedger::Send(Pull& pull, const wire::EncodedFrame& frame, double now_s) {
  if (pull.finished) return;
  const auto offered = pull.sink->Offer(frame, now_s);
  if (offered == stream::FrameSink::Offered::kBehind) SetIncomplete(pull, true);
  if (offered == stream::FrameSink::Offered::kTaken && frame.has_pose()) SetIncomplete(pull, false);
  if (offered != stream::FrameSink::Offered::kFull) return;
  ++counters_.slow_pulls;
  if (pull.avatar != nullptr) {
    streams_.Tell(EngineEvent::kPullOverdue, *pull.avatar, pull.ids.request_id);
  }
  Finish(pull, stream::TooFarBehind());
}

void PullLedger::Finish(Pull& pull, const absl::Status& status) {
  if (pull.finished) return;
  pull.finished = true;
  sweep_ = true;
  pull.sink->Finish(status);
}

void PullLedger::Close(uint64_t id) {
  const auto it = pulls_.find(id);
  if (it == pulls_.end()) return;
  it->second->finished = true;
  sweep_ = true;
  Sweep();
}

void PullLedger::CheckWaiting(double now_s) {
  for (auto& [id, pull] : pulls_) {
    if (pull->finished || !pull->window() || pull->request != nullptr) continue;
    if (now_s - pull->opened_s < stream::kPullWait_s) continue;
    Finish(*pull, absl::NotFoundError(absl::StrFormat("no push began request_id \"%s\" within %g s",
                                                      pull->ids.request_id, stream::kPullWait_s)));
  }
}

void PullLedger::FinishAll(const Stream* of, const wire::EncodedFrame& last,
                           const absl::Status& status, Now now) {
  const double now_s = streams_.Seconds(now);
  for (auto& [id, pull] : pulls_) {
    if (pull->finished || (of != nullptr && pull->stream != of)) continue;
    if (pull->avatar == nullptr) SendHeader(*pull, now.unix_s, now_s);
    Send(*pull, last, now_s);
    Finish(*pull, status);
  }
  Sweep();
}

void PullLedger::Sweep() {
  if (!std::exchange(sweep_, false)) return;
  absl::erase_if(pulls_, [](const auto& item) {
    Pull& pull = *item.second;
    if (!pull.finished) return false;
    if (pull.avatar != nullptr) {
      SetIncomplete(pull, false);
      --pull.output_format->users;
      pull.avatar->avatar.NoteUsers();
      std::erase(pull.avatar->pulls, &pull);
    }
    std::erase(pull.stream->waiting, &pull);
    --pull.stream->pulls;
    return true;
  });
}

}  // namespace posewire::anim_graph
