#include "libs/stream/broadcast.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/stream/pull_errors.h"

namespace posewire::stream {
namespace {

// Distance between the end of one request and the first time code of the next, if they would touch.
constexpr double kStep_s = 1.0 / 30;
}  // namespace

void Broadcast::AddStream(absl::string_view stream_id, double until_s) {
  double& kept_until_s = streams_[std::string(stream_id)].kept_until_s;
  kept_until_s = std::max(kept_until_s, until_s);
}

Broadcast::Stream* Broadcast::FindStream(absl::string_view stream_id) {
  const auto it = streams_.find(stream_id);
  return it == streams_.end() ? nullptr : &it->second;
}

Broadcast::Request* Broadcast::Find(uint64_t number) {
  const auto it = open_.find(number);
  return it == open_.end() ? nullptr : &it->second;
}

Broadcast::Request* Broadcast::FindOpen(const Stream& stream, absl::string_view id) {
  for (auto& [number, request] : open_) {
    if (request.stream == &stream && request.id == id && !request.replaced) return &request;
  }
  return nullptr;
}

// The default avatar gets the first target name that is used.
Broadcast::Avatar* Broadcast::FindAvatar(Stream& stream, absl::string_view target) {
  if (stream.avatars.empty()) return nullptr;
  Avatar& first = *stream.avatars.front();
  if (target.empty()) return &first;
  if (first.target.empty()) first.target = std::string(target);
  for (const auto& avatar : stream.avatars) {
    if (avatar->target == target) return avatar.get();
  }
  return nullptr;
}

absl::Status Broadcast::OpenPull(const wire::StreamIds& ids, std::shared_ptr<PullStream> sink,
                                 double now_s) {
  ForgetOldRequests(now_s);
  Stream* const stream = FindStream(ids.stream_id);
  if (stream == nullptr) {
    NameList known;
    for (const auto& [id, s] : streams_) known.Add(id);
    return absl::NotFoundError(absl::StrCat("stream_id \"", ids.stream_id,
                                            "\" is not served here; this source has ",
                                            known.text().empty() ? "none yet" : known.text()));
  }
  auto made = std::make_unique<Pull>(Pull{std::move(sink), ids, now_s});
  Pull& pull = *made;
  Request* const request = pull.window() ? FindOpen(*stream, ids.request_id) : nullptr;
  const Known* const known = request != nullptr ? &request->known
                             : pull.window()    ? stream->ended.Find(ids.request_id)
                                                : nullptr;
  if (known != nullptr && !ids.target_object_id.empty() && !known->target.empty() &&
      known->target != ids.target_object_id) {
    return OfAnotherAvatar(ids.request_id, known->target, ids.target_object_id);
  }
  if (known != nullptr && request == nullptr) {
    wire::StreamIds header_ids = ids;
    if (header_ids.target_object_id.empty()) header_ids.target_object_id = known->target;
    pull.sink->Offer((*known->header)(header_ids, known->epoch_s), now_s);
    pull.sink->Offer(FinalStatus(known->ending), now_s);
    pull.sink->Finish(absl::OkStatus());
    return absl::OkStatus();
  }
  if (!pull.window() && ids.target_object_id.empty() && stream->avatars.size() > 1) {
    NameList targets;
    for (const auto& avatar : stream->avatars) targets.Add(avatar->target);
    return NameOneAvatar(ids.stream_id, targets);
  }
  pulls_.push_back(std::move(made));
  if (request != nullptr) {
    pull.request = request->avatar->playing;
    Bind(pull, *request->avatar, request, now_s);
  } else if (!pull.window()) {
    Avatar* const avatar = FindAvatar(*stream, ids.target_object_id);
    if (avatar != nullptr) Bind(pull, *avatar, nullptr, now_s);
  }
  Sweep();
  return absl::OkStatus();
}

void Broadcast::ClosePull(const PullStream* sink) {
  std::erase_if(pulls_, [&](const auto& pull) { return pull->sink.get() == sink; });
}

bool Broadcast::IsWanted(const wire::StreamIds& ids) const {
  return std::any_of(pulls_.begin(), pulls_.end(), [&](const auto& pull) {
    const wire::StreamIds& asked = pull->ids;
    return asked.stream_id == ids.stream_id &&
           (asked.request_id.empty() || asked.request_id == ids.request_id) &&
           (asked.target_object_id.empty() || ids.target_object_id.empty() ||
            asked.target_object_id == ids.target_object_id);
  });
}

bool Broadcast::Names(const Stream& stream, const Avatar& avatar, const wire::StreamIds& ids) {
  if (!ids.target_object_id.empty()) return avatar.target == ids.target_object_id;
  return !ids.request_id.empty() || stream.avatars.front().get() == &avatar;
}

// From here on the pull belongs to this avatar.
void Broadcast::Bind(Pull& pull, Avatar& avatar, const Request* request, double now_s) {
  pull.avatar = &avatar;
  wire::StreamIds ids = pull.ids;
  if (ids.target_object_id.empty()) ids.target_object_id = avatar.target;
  const auto& header = request != nullptr ? request->known.header : avatar.header;
  Offer(pull, (*header)(ids, *avatar.epoch_s), now_s);
}

uint64_t Broadcast::Begin(const wire::StreamIds& ids, double epoch_s, std::string output_format,
                          MakeHeader header, double now_s) {
  ForgetOldRequests(now_s);
  Stream& stream = streams_[ids.stream_id];
  Avatar* avatar = FindAvatar(stream, ids.target_object_id);
  if (avatar == nullptr) {
    avatar = stream.avatars.emplace_back(std::make_unique<Avatar>()).get();
    avatar->target = ids.target_object_id;
  }
  if (avatar->playing != 0) End(avatar->playing, Ending::kInterrupted, now_s);
  if (Request* const other = FindOpen(stream, ids.request_id)) other->replaced = true;
  if (!avatar->epoch_s) avatar->epoch_s = epoch_s;

  const bool anew = avatar->header == nullptr || avatar->output_format != output_format;
  if (anew) {
    avatar->output_format = std::move(output_format);
    avatar->header = std::make_shared<const MakeHeader>(std::move(header));
  }
  const uint64_t number = avatar->playing = next_number_++;
  Request& request = open_[number];
  request.id = ids.request_id;
  request.stream = &stream;
  request.avatar = avatar;
  request.known.epoch_s = *avatar->epoch_s;
  request.known.header = avatar->header;
  request.lag_s = std::max(0.0, epoch_s - *avatar->epoch_s);

  for (const auto& pull : pulls_) {
    if (pull->ids.stream_id != ids.stream_id) continue;
    if (pull->avatar == avatar) {
      if (anew && !pull->window()) {
        Finish(*pull, absl::UnavailableError("the next request has other joints, shapes or audio, "
                                             "and a pull has one header; pull again"));
      }
      continue;
    }
    if (pull->avatar != nullptr) continue;
    if (pull->window() && pull->ids.request_id != ids.request_id) continue;
    // A target name that only the pull uses becomes the avatar's name.
    if (FindAvatar(stream, pull->ids.target_object_id) != avatar && pull->window() &&
        !pull->ids.target_object_id.empty()) {
      Finish(*pull, OfAnotherAvatar(ids.request_id, avatar->target, pull->ids.target_object_id));
      continue;
    }
    if (!Names(stream, *avatar, pull->ids)) continue;
    if (pull->window()) pull->request = number;
    Bind(*pull, *avatar, &request, now_s);
  }
  request.known.target = avatar->target;
  Sweep();
  return number;
}

double Broadcast::ShiftOf(uint64_t number, double first_time_code_s) {
  Request* const request = Find(number);
  if (request == nullptr || !std::isfinite(first_time_code_s)) return 0;
  if (!request->shift_s) {
    const Avatar& avatar = *request->avatar;
    double at_s = first_time_code_s + request->lag_s;
    if (avatar.any_code && at_s <= avatar.end_s) at_s = avatar.end_s + kStep_s;
    request->shift_s = at_s - first_time_code_s;
  }
  return *request->shift_s;
}

void Broadcast::Send(uint64_t number, const wire::EncodedFrame& message, double end_s,
                     double now_s) {
  Request* const request = Find(number);
  if (request == nullptr) return;
  Avatar* const avatar = request->avatar;
  if (message.is_data() && std::isfinite(end_s)) {
    if (!std::exchange(request->told, true)) {
      const auto starts = wire::EncodeStatus(
          wire::StatusChunk::kInfo, absl::StrFormat("request_id \"%s\" starts at code %.10f",
                                                    request->id, message.time_code_s()));
      for (const auto& pull : pulls_) {
        if (pull->Has(avatar, number)) Offer(*pull, starts, now_s);
      }
    }
    avatar->end_s = std::max(avatar->end_s, end_s);
    avatar->any_code = true;
  }
  for (const auto& pull : pulls_) {
    if (pull->Has(avatar, number)) Offer(*pull, message, now_s);
  }
  Sweep();
}

size_t Broadcast::Waiting(uint64_t number) const {
  const auto request = open_.find(number);
  if (request == open_.end()) return 0;
  size_t most = 0;
  for (const auto& pull : pulls_) {
    if (pull->Has(request->second.avatar, number)) most = std::max(most, pull->sink->waiting());
  }
  return most;
}

void Broadcast::End(uint64_t number, Ending ending, double now_s) {
  Request* const request = Find(number);
  if (request == nullptr) return;
  const auto last = FinalStatus(ending);
  for (const auto& pull : pulls_) {
    if (!pull->window() || pull->request != number) continue;
    Offer(*pull, last, now_s);
    Finish(*pull, absl::OkStatus());
  }
  request->avatar->playing = 0;
  request->avatar->last = ending;
  request->known.ending = ending;
  if (!request->replaced) request->stream->ended.Add(request->id, std::move(request->known), now_s);
  open_.erase(number);
  Sweep();
}

void Broadcast::Tick(double now_s) {
  for (const auto& pull : pulls_) {
    if (!pull->window() || pull->request != 0 || now_s - pull->opened_s < kPullWait_s) continue;
    Finish(*pull, absl::NotFoundError(absl::StrFormat("no request_id \"%s\" began within %g s",
                                                      pull->ids.request_id, kPullWait_s)));
  }
  Sweep();
}

void Broadcast::Close(double now_s) {
  const auto last = wire::EncodeStatus(wire::StatusChunk::kSuccess, "the stream has ended");
  for (const auto& pull : pulls_) {
    if (pull->avatar == nullptr) {
      Finish(*pull, absl::NotFoundError(
                        pull->window() ? absl::StrCat("the stream has ended without request_id \"",
                                                      pull->ids.request_id, "\"")
                                       : "the stream has ended before its first request"));
      continue;
    }
    const bool lost = pull->avatar->last == Ending::kLost;
    Offer(*pull, lost ? FinalStatus(Ending::kLost) : last, now_s);
    Finish(*pull, absl::OkStatus());
  }
  Sweep();
}

void Broadcast::Drain(double now_s) {
  const auto last = wire::EncodeStatus(wire::StatusChunk::kInfo, "the server is shutting down");
  for (const auto& pull : pulls_) {
    if (pull->avatar != nullptr) Offer(*pull, last, now_s);
    Finish(*pull, ShuttingDown());
  }
  Sweep();
}

void Broadcast::Offer(Pull& pull, const wire::EncodedFrame& frame, double now_s) {
  if (pull.sink == nullptr || pull.sink->Offer(frame, now_s) != FrameSink::Offered::kFull) return;
  Finish(pull, TooFarBehind());
}

void Broadcast::Finish(Pull& pull, const absl::Status& status) {
  if (pull.sink != nullptr) std::exchange(pull.sink, nullptr)->Finish(status);
}

void Broadcast::Sweep() {
  std::erase_if(pulls_, [](const auto& pull) { return pull->sink == nullptr; });
}

void Broadcast::ForgetOldRequests(double now_s) {
  for (auto& [id, stream] : streams_) stream.ended.ForgetOld(now_s);
  std::erase_if(streams_, [&](const auto& item) {
    const auto& [id, stream] = item;
    const auto plays = [](const auto& avatar) { return avatar->playing != 0; };
    const auto pulled = [&, &id = id](const auto& pull) { return pull->ids.stream_id == id; };
    return stream.ended.empty() && now_s > stream.kept_until_s &&
           std::none_of(stream.avatars.begin(), stream.avatars.end(), plays) &&
           std::none_of(pulls_.begin(), pulls_.end(), pulled);
  });
}

}  // namespace posewire::stream
