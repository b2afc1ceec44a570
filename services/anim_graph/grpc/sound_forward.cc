#include "services/anim_graph/grpc/sound_forward.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/rpc/grpc_status.h"
#include "libs/service/access/token_file.h"
#include "libs/stream/trace.h"
#include "services/anim_graph/grpc/grpc_util.h"

namespace posewire::anim_graph {

void SoundForward::Await(const Port& port) {
  const auto call = std::make_shared<SoundForward>(port);
  call->AwaitArrival(&call->done_, port.calls);
  port.ask(&call->context_, &call->stream_, call->arrived_.tag());
}

void SoundForward::OnArrived(bool ok) {
  const Port port = port_;
  if (!Arrived(ok)) return;
  Await(port);
  caller_ = CallerOf(context_);
  if (const absl::Status s = MayPush(""); !s.ok()) return Answer(rpc::ToGrpc(s));
  if (port_.source->address.empty()) {
    return Answer({grpc::StatusCode::UNIMPLEMENTED,
                   "no face is made of a voice here; start anim_graph with --a2f HOST:PORT, the "
                   "address of an a2f_source serve, or push animation data with "
                   "AnimationDataService.PushAnimationDataStream"});
  }
  Open();
}

absl::Status SoundForward::MayPush(const std::string& stream_id) const {
  const auto name = port_.parts->authorizer->Check(caller_, stream_id, stream::Permission::kPush);
  if (!name.ok()) {
    port_.parts->log.Warning("voice refused",
                             {{"why", name.status().message()}, {"peer", caller_.peer}});
    return name.status();
  }
  if (!stream_id.empty()) {
    service::LogAdmitted(port_.parts->log, "voice", *name, stream_id, caller_.peer);
  }
  return absl::OkStatus();
}

void SoundForward::Open() {
  if (const auto stream_id = LookupIn(context_)("x-stream-id")) {
    onward_context_.AddMetadata("x-stream-id", *stream_id);
  }
  if (const std::string trace = stream::TraceparentOf(LookupIn(context_)); !trace.empty()) {
    onward_context_.AddMetadata(stream::kTraceparent, trace);
  }
  std::lock_guard lock(mutex_);
  if (!Begin()) return;
  onward_ =
      port_.source->stub->PrepareAsyncPushAudioStream(&onward_context_, &answer_, port_.queue);
  onward_->StartCall(opened_.tag());
}

void SoundForward::OnOpened(bool) {
  const auto last = ReleaseEvent();
  {
    // Started now, so that a rejection is received even if the client sends nothing.
    std::lock_guard lock(mutex_);
    if (!Begin()) return;
    onward_->Finish(&outcome_, went_.tag());
  }
  Read();
}

void SoundForward::Read() {
  std::lock_guard lock(mutex_);
  if (!ended_ && Begin()) stream_.Read(&message_, read_.tag());
}

void SoundForward::OnRead(bool ok) {
  const auto last = ReleaseEvent();
  if (ok && message_.has_audio_stream_header()) {
    const absl::Status s = MayPush(message_.audio_stream_header().animation_ids().stream_id());
    if (!s.ok()) return Answer(rpc::ToGrpc(s));
  }
  std::lock_guard lock(mutex_);
  if (ended_ || !Begin()) return;
  if (ok) {
    onward_->Write(message_, written_.tag());
  } else {
    onward_->WritesDone(half_closed_.tag());
  }
}

void SoundForward::OnWritten(bool ok) {
  const auto last = ReleaseEvent();
  if (ok) Read();
}

void SoundForward::OnHalfClosed(bool) { const auto last = ReleaseEvent(); }

void SoundForward::OnEnded(bool) {
  const auto last = ReleaseEvent();
  const absl::Status status = rpc::FromGrpc(outcome_);
  if (port_.parts->faults_as_status && IsFaultOfData(status)) {
    answer_.set_code(AceStatus::ERROR);
    answer_.set_message(std::string(status.message()));
    return Answer(grpc::Status::OK);
  }
  if (outcome_.error_code() == grpc::StatusCode::UNAVAILABLE) {
    return Answer({outcome_.error_code(), absl::StrCat("the source at ", port_.source->address,
                                                       ": ", outcome_.error_message())});
  }
  Answer(outcome_);
}

void SoundForward::Answer(const grpc::Status& status) {
  std::lock_guard lock(mutex_);
  if (std::exchange(ended_, true) || !Begin()) return;
  if (status.ok()) {
    stream_.Finish(answer_, status, answered_.tag());
  } else {
    stream_.FinishWithError(status, answered_.tag());
  }
}

void SoundForward::OnAnswered(bool) { const auto last = ReleaseEvent(); }

void SoundForward::OnDone(bool) {
  // If the response has not arrived yet, it is no longer needed.
  onward_context_.TryCancel();
  const auto last = ReleaseEvent(/*over=*/true);
}

}  // namespace posewire::anim_graph
