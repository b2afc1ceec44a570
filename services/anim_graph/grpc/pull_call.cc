#include "services/anim_graph/grpc/pull_call.h"

#include <chrono>
#include <utility>

#include "services/anim_graph/core/busy.h"
#include "services/anim_graph/grpc/grpc_util.h"

namespace posewire::anim_graph {
namespace {

// A consumer that does not even take the write that is under way hears no last words: it is cut
// off.
constexpr std::chrono::seconds kPatience{30};

}  // namespace

PullCall* PullCall::Start(const CallParts& parts, grpc::CallbackServerContext* context,
                          const grpc::ByteBuffer* request) {
  std::shared_ptr<PullCall> call(new PullCall(context));
  call->self_ = call;
  PullCall* raw = call.get();
  raw->Open(parts, *request);
  return raw;
}

void PullCall::Open(const CallParts& parts, const grpc::ByteBuffer& request) {
  const MetadataLookup metadata = LookupIn(*context_);
  auto ids = ParsePullIds(request);
  absl::Status status = ids.status();
  if (status.ok()) status = CheckStreamIdMetadata(metadata, ids->stream_id);
  if (ids.ok() && parts.ignore_targets) ids->target_object_id.clear();
  if (ids.ok() && parts.ignore_pull_requests) ids->request_id.clear();
  CallContext context{"", ids.ok() ? *ids : wire::StreamIds{}, context_->peer()};
  if (status.ok()) status = Admit(parts, context, Verb::kPull);
  if (!status.ok()) {
    std::lock_guard lock(mutex_);
    FinishCall(status);
    return;
  }
  worker_ = &parts.workers->For(ids->stream_id);
  worker_->Post([self = self_, context = std::move(context), options = ParsePullOptions(metadata)](
                    Engine& engine, Now now) {
    auto pull = engine.OpenPull(context, options, self.get(), now);
    if (pull.ok()) {
      self->pull_ = *pull;
    } else {
      std::lock_guard lock(self->mutex_);
      self->FinishCall(pull.status());
    }
  });
}

FrameSink::Offered PullCall::Offer(const wire::EncodedFrame& frame, double now_s) {
  std::lock_guard lock(mutex_);
  now_s_ = now_s;
  if (!queue_.Offer(frame, now_s)) return Offered::kFull;
  Pump();
  return Offered::kTaken;
}

void PullCall::Pump() {
  if (finished_) return;
  if (auto send = queue_.Next(now_s_)) {
    message_ = Wrap(send->frame, send->without_pose);
    StartWrite(&message_);
  } else if (last_words_ && queue_.idle()) {
    FinishCall(*last_words_);
  }
}

void PullCall::OnWriteDone(bool ok) {
  std::lock_guard lock(mutex_);
  queue_.Written();
  if (ok) {
    Pump();
  } else if (last_words_) {
    FinishCall(*last_words_);
  } else {
    FinishCall(absl::CancelledError("the consumer has gone"));
  }
}

void PullCall::Finish(const absl::Status& status) {
  std::lock_guard lock(mutex_);
  if (finished_ || last_words_) return;
  last_words_ = status;
  if (absl::IsResourceExhausted(status)) {
    queue_.Clear();
    patience_.Set(std::chrono::system_clock::now() + kPatience, [self = self_](bool waited) {
      if (waited) self->context_->TryCancel();
    });
  }
  Pump();
}

void PullCall::FinishCall(const absl::Status& status) {
  if (finished_) return;
  finished_ = true;
  if (IsBusy(status)) {
    context_->AddTrailingMetadata("grpc-retry-pushback-ms", "5000");
  }
  grpc::ServerWriteReactor<grpc::ByteBuffer>::Finish(ToGrpc(status));
}

void PullCall::OnCancel() {
  std::lock_guard lock(mutex_);
  FinishCall(absl::CancelledError("the pull was cancelled"));
}

void PullCall::OnDone() {
  patience_.Cancel();
  std::shared_ptr<PullCall> self = std::move(self_);
  if (worker_ == nullptr) return;
  Worker* worker = worker_;
  worker->Post(
      [self = std::move(self)](Engine& engine, Now now) { engine.ClosePull(self->pull_, now); });
}

}  // namespace posewire::anim_graph
