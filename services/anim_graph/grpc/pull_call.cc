#include "services/anim_graph/grpc/pull_call.h"

#include <chrono>
#include <utility>

#include "libs/rpc/grpc_status.h"
#include "libs/service/access/token_file.h"
#include "libs/stream/busy.h"
#include "services/anim_graph/grpc/grpc_util.h"

namespace posewire::anim_graph {
namespace {

// If the consumer does not even read the current write for this long, the call is cut off without a
// final status.
constexpr std::chrono::seconds kPatience{30};

}  // namespace

PullCall::PullCall(const PullPort* port)
    : port_(port),
      frames_(port->endpoint->parts->capacity->frames),
      queue_(port->endpoint->worker->engine().settings().pull_buffer_bytes) {}

void PullCall::Await(const PullPort* port) {
  const auto call = std::make_shared<PullCall>(port);
  call->AwaitArrival(&call->done_, port->endpoint->calls);
  port->ask(&call->context_, &call->request_, &call->stream_, call->arrived_.tag());
}

void PullCall::OnArrived(bool ok) {
  const PullPort* const port = port_;
  if (!Arrived(ok)) return;
  Await(port);
  Open();
}

void PullCall::Open() {
  const WorkerEndpoint& endpoint = *port_->endpoint;
  const CallParts& parts = *endpoint.parts;
  const stream::MetadataLookup metadata = LookupIn(context_);
  auto ids = ParsePullIds(request_);
  absl::Status status = ids.status();
  if (status.ok()) status = stream::CheckStreamIdMetadata(metadata, ids->stream_id);
  if (ids.ok() && parts.ignore_targets) ids->target_object_id.clear();
  if (ids.ok() && parts.ignore_pull_requests) ids->request_id.clear();
  CallContext context{"", ids.ok() ? *ids : wire::StreamIds{}, context_.peer()};
  const auto options = stream::ParsePullOptions(metadata);
  if (status.ok()) status = options.status();
  if (!status.ok()) return OpenAs(status, std::move(context), {});
  endpoint.AdmitCall(
      this, CallerOf(context_), context.ids.stream_id, stream::Permission::kPull,
      [this, context, options = *options](const absl::StatusOr<Admitted>& admitted) mutable {
        OpenAs(admitted, std::move(context), options);
      });
}

void PullCall::OpenAs(const absl::StatusOr<Admitted>& admitted, CallContext context,
                      const PullCallOptions& options) {
  const WorkerEndpoint& endpoint = *port_->endpoint;
  const CallParts& parts = *endpoint.parts;
  absl::Status status = admitted.status();
  if (status.ok() && !admitted->peer.empty()) {
    service::LogAdmitted(parts.log, "relayed pull", admitted->name, context.ids.stream_id,
                         context.peer);
    status =
        endpoint.relay->Pull({admitted->peer, port_->method, context.ids.stream_id},
                             {shared_from_this(), &context_, &stream_, endpoint.queue}, request_);
    if (status.ok()) return;
  }
  if (status.ok()) {
    context.identity = admitted->name;
    auto place = parts.authorizer->Enter(CallerOf(context_), stream::Permission::kPull);
    status = place.status();
    if (place.ok()) quota_ = *std::move(place);
  }
  if (!status.ok()) return Reject(endpoint.worker->engine(), context, status);
  const std::string& stream_id = context.ids.stream_id;
  service::LogAdmitted(parts.log, "pull", context.identity, stream_id, context.peer);
  worker_ = &parts.workers->For(stream_id);
  cork_ = endpoint.Of(worker_).cork;
  connection_ = endpoint.connections->Find(context.peer);
  if (options.form != wire::PoseForm::kComplete) {
    context_.AddInitialMetadata(wire::kSparseKey, std::string(wire::NameOf(options.form)));
  }
  endpoint.RunAt(worker_, this,
                 [this, context = std::move(context), options](Engine& engine, Now now) {
                   auto pull = engine.OpenPull(context, options, this, now);
                   if (pull.ok()) {
                     pull_ = *pull;
                     engine.NoteWay(context.ids.stream_id, CallerOf(context_).relayed);
                   } else {
                     Reject(engine, context, pull.status());
                   }
                 });
}

void PullCall::Reject(Engine& engine, const CallContext& context, const absl::Status& why) {
  engine.RejectPull(why);
  port_->endpoint->parts->log.Warning("pull refused",
                                      {{"stream_id", context.ids.stream_id},
                                       {"code", absl::StatusCodeToString(why.code())},
                                       {"why", why.message()},
                                       {"peer", context.peer}});
  std::lock_guard lock(mutex_);
  FinishCall(why);
}

FrameSink::Offered PullCall::Offer(const wire::EncodedFrame& frame, double now_s) {
  std::lock_guard lock(mutex_);
  now_s_ = now_s;
  if (!queue_.Offer(frame, now_s, frames_.full())) return Offered::kFull;
  Pump(cork_);
  return queue_.wants_complete() ? Offered::kBehind : Offered::kTaken;
}

void PullCall::Pump(service::TcpCork* cork) {
  if (finished_) return;
  if (auto send = queue_.Next(now_s_)) {
    if (send->without_pose && worker_ != nullptr) worker_->engine().CountDroppedPose();
    if (!Begin()) return;
    if (cork != nullptr) cork->BeforeWrite(connection_);
    stream_.Write(Wrap(send->frame, send->without_pose), written_.tag());
  } else if (last_words_ && queue_.idle()) {
    FinishCall(*last_words_);
  }
}

void PullCall::OnWritten(bool ok) {
  const auto last = ReleaseEvent();
  std::lock_guard lock(mutex_);
  queue_.Written();
  if (ok) {
    Pump(nullptr);
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
    if (Begin()) {
      patience_.Set(port_->endpoint->queue, std::chrono::system_clock::now() + kPatience,
                    patience_over_.tag());
    }
  }
  Pump(nullptr);
}

void PullCall::FinishCall(const absl::Status& status) {
  if (std::exchange(finished_, true) || !Begin()) return;
  if (stream::IsBusy(status)) {
    service::AddRetryHint(&context_);
  }
  stream_.Finish(rpc::ToGrpc(status), answered_.tag());
}

void PullCall::OnFinished(bool) { const auto last = ReleaseEvent(); }

void PullCall::OnPatienceOver(bool ok) {
  const auto last = ReleaseEvent();
  if (ok) context_.TryCancel();
}

void PullCall::OnDone(bool) {
  const auto last = ReleaseEvent(/*over=*/true);
  {
    std::lock_guard lock(mutex_);
    queue_.Clear();
    patience_.Cancel();
  }
  if (worker_ == nullptr) return;
  port_->endpoint->RunAt(worker_, this,
                         [this](Engine& engine, Now now) { engine.ClosePull(pull_, now); });
}

}  // namespace posewire::anim_graph
