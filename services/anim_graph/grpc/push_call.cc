#include "services/anim_graph/grpc/push_call.h"

#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/client/channel.h"
#include "libs/rpc/grpc_status.h"
#include "libs/service/access/token_file.h"
#include "libs/stream/busy.h"
#include "libs/stream/trace.h"
#include "services/anim_graph/grpc/grpc_util.h"
#include "services/anim_graph/relay/call_metadata.h"

namespace posewire::anim_graph {
namespace {

gpr_timespec In(double s) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_micros(static_cast<int64_t>(s * 1e6), GPR_TIMESPAN));
}

}  // namespace

void PushCall::Await(const WorkerEndpoint* endpoint, AnimationDataAsync* service) {
  const auto call = std::make_shared<PushCall>(endpoint, service);
  call->AwaitArrival(&call->done_, endpoint->calls);
  service->RequestPushAnimationDataStream(&call->context_, &call->stream_, endpoint->queue,
                                          endpoint->queue, call->arrived_.tag());
}

void PushCall::OnArrived(bool ok) {
  if (!Arrived(ok)) return;
  Await(endpoint_, service_);
  caller_ = CallerOf(context_);
  absl::Status s =
      endpoint_->parts->authorizer->Check(caller_, "", stream::Permission::kPush).status();
  if (s.ok()) s = reservation_.Take();
  if (!s.ok()) {
    LogRejected({}, s);
    return FinishCall(s, {});
  }
  {
    std::lock_guard lock(mutex_);
    if (Begin()) {
      alarm_.Set(endpoint_->queue, In(endpoint_->parts->header_timeout_s), silent_.tag());
    }
  }
  Read();
}

void PushCall::OnSilent(bool ok) {
  const auto last = ReleaseEvent();
  if (!ok || std::exchange(heard_, true)) return;
  const auto why = absl::DeadlineExceededError(absl::StrFormat(
      "no header arrived for %g s (--silence-timeout-s)", endpoint_->parts->header_timeout_s));
  LogRejected({}, why);
  FinishCall(why, {});
}

void PushCall::OnRead(bool ok) {
  const auto last = ReleaseEvent();
  if (!std::exchange(heard_, true)) {
    alarm_.Cancel();
  } else if (worker_ == nullptr) {
    return;
  }
  if (!ok) {
    if (worker_ == nullptr) {
      const absl::Status why =
          context_.IsCancelled()
              ? absl::CancelledError(
                    "the call was cancelled, its connection was lost, or its first message was too "
                    "long or compressed")
              : absl::FailedPreconditionError("the push ended before its header");
      LogRejected({}, why);
      FinishCall(why, {});
      return;
    }
    // gRPC reports a lost connection slightly later. If the engine took it for a half-close, it
    // would end the request at its next tick, and nothing could be resumed.
    std::lock_guard lock(mutex_);
    if (finished_ || !Begin()) return;
    ending_alarm_.Set(
        endpoint_->queue,
        In(status_seen_ ? 0 : std::chrono::duration<double>(service::kLossIsKnown).count()),
        ending_.tag());
    return;
  }
  absl::InlinedVector<absl::Span<const uint8_t>, 4> spans;
  if (!message_.Dump(&slices_).ok()) {
    Fault(absl::InternalError("the message could not be read"));
    return;
  }
  size_t bytes = 0;
  for (const auto& s : slices_) {
    spans.emplace_back(s.begin(), s.size());
    bytes += s.size();
  }
  endpoint_->worker->Took(bytes);
  wire::Chunk& chunk = endpoint_->scratch;
  const absl::Status read = reader_.Read(spans, &chunk);
  slices_.clear();
  // A header is kept, because it may have to be relayed.
  if (!read.ok() || !std::holds_alternative<wire::StreamHeader>(chunk)) message_.Clear();
  status_seen_ = status_seen_ || std::holds_alternative<wire::StatusChunk>(chunk);
  if (!read.ok()) {
    Fault(read);
  } else if (auto* header = std::get_if<wire::StreamHeader>(&chunk)) {
    Open(std::move(*header));
  } else if (worker_ == endpoint_->worker) {
    Take(chunk, worker_->engine(), ReadClocks());
  } else {
    worker_->Post([held = shared_from_this(), this, chunk = std::move(chunk)](
                      Engine& engine, Now now) { Contained([&] { Take(chunk, engine, now); }); });
  }
}

void PushCall::OnEnding(bool ok) {
  const auto last = ReleaseEvent();
  if (ok) End(context_.IsCancelled() ? PushEnd::kCancelled : PushEnd::kHalfClosed);
}

void PushCall::Open(wire::StreamHeader header) {
  const CallParts& parts = *endpoint_->parts;
  const stream::MetadataLookup metadata = LookupIn(context_);
  if (parts.ignore_targets) header.ids.target_object_id.clear();
  absl::Status status = stream::CheckStreamIdMetadata(metadata, header.ids.stream_id);
  auto options = stream::ParsePushOptions(metadata);
  CallContext context{"", header.ids, caller_.peer, stream::TraceparentOf(metadata)};
  if (status.ok()) status = options.status();
  if (!status.ok()) return OpenAs(status, std::move(header), std::move(context), {});
  const std::string stream_id = header.ids.stream_id;
  endpoint_->AdmitCall(this, caller_, stream_id, stream::Permission::kPush,
                       [this, header = std::move(header), context = std::move(context),
                        options = *options](const absl::StatusOr<Admitted>& admitted) mutable {
                         OpenAs(admitted, std::move(header), std::move(context), options);
                       });
}

void PushCall::OpenAs(const absl::StatusOr<Admitted>& admitted, wire::StreamHeader header,
                      CallContext context, const PushCallOptions& options) {
  const CallParts& parts = *endpoint_->parts;
  absl::Status status = admitted.status();
  if (status.ok() && !admitted->peer.empty()) {
    service::LogAdmitted(parts.log, "relayed push", admitted->name, header.ids.stream_id,
                         caller_.peer);
    reservation_ = stream::Reservation();
    status = endpoint_->relay->Push({admitted->peer, client::kPushMethod, header.ids.stream_id},
                                    {shared_from_this(), &context_, &stream_, endpoint_->queue},
                                    message_);
    if (status.ok()) return;
  }
  message_.Clear();
  if (status.ok()) {
    context.identity = admitted->name;
    auto place = parts.authorizer->Enter(caller_, stream::Permission::kPush);
    status = place.status();
    if (place.ok()) quota_ = *std::move(place);
  }
  if (!status.ok()) {
    LogRejected(header.ids, status);
    FinishCall(status, {});
    return;
  }
  service::LogAdmitted(parts.log, "push", context.identity, header.ids.stream_id, caller_.peer);
  ids_ = header.ids;
  worker_ = &parts.workers->For(ids_.stream_id);
  endpoint_->RunAt(worker_, this,
                   [this, context = std::move(context), header = std::move(header), options](
                       Engine& engine, Now now) {
                     auto opened = engine.OpenPush(header, options, this, now);
                     if (!opened.ok()) {
                       engine.RejectPush(context, opened.status());
                       FinishFault(opened.status());
                       return;
                     }
                     push_ = opened->call;
                     engine.NoteWay(header.ids.stream_id, caller_.relayed);
                     {
                       std::lock_guard lock(mutex_);
                       if (finished_ || !Begin()) return;
                       if (opened->received_until_s) {
                         context_.AddInitialMetadata(
                             "x-posewire-held-s",
                             absl::StrFormat("%.9f", *opened->received_until_s));
                       }
                       if (caller_.relayed) context_.AddInitialMetadata(kRelayedKey, "1");
                       stream_.SendInitialMetadata(sent_.tag());
                     }
                     Read();
                   });
}

void PushCall::Take(const wire::Chunk& chunk, Engine& engine, Now now) {
  if (const auto* data = std::get_if<wire::DataChunk>(&chunk)) {
    if (engine.Offer(push_, *data, now)) Read();
  } else if (const auto* status = std::get_if<wire::StatusChunk>(&chunk)) {
    engine.OfferStatus(push_, *status, now);
    Read();
  }
}

void PushCall::End(PushEnd end) {
  endpoint_->RunAt(
      worker_, this, [this, end, halves = reader_.HalfSamplesText()](Engine& engine, Now now) {
        wire::StatusChunk answer = engine.EndPush(push_, end, now);
        if (!halves.empty()) absl::StrAppend(&answer.message, "; ", halves);
        const bool whole = end == PushEnd::kHalfClosed;
        FinishCall(whole ? absl::OkStatus() : absl::CancelledError("the push was cancelled"),
                   answer);
      });
}

void PushCall::Fault(const absl::Status& status) {
  if (worker_ == nullptr) {
    LogRejected(reader_.ids(), status);
    FinishFault(status);
    return;
  }
  endpoint_->RunAt(worker_, this, [this, status](Engine& engine, Now now) {
    engine.EndPush(push_, PushEnd::kFault, now, status);
    FinishFault(status);
  });
}

void PushCall::LogRejected(const wire::StreamIds& ids, const absl::Status& why) {
  const CallParts& parts = *endpoint_->parts;
  CallContext context{"", ids, caller_.peer, stream::TraceparentOf(LookupIn(context_))};
  if (parts.ignore_targets) context.ids.target_object_id.clear();
  // A caller who may not push a request may not end it either.
  const absl::Status admitted =
      ids.stream_id.empty()
          ? absl::OkStatus()
          : parts.authorizer->Check(caller_, ids.stream_id, stream::Permission::kPush).status();
  Worker* worker = ids.stream_id.empty() ? endpoint_->worker : &parts.workers->For(ids.stream_id);
  endpoint_->RunAt(worker, this,
                   [context = std::move(context), why = admitted.ok() ? why : admitted](
                       Engine& engine, Now) { engine.RejectPush(context, why); });
}

void PushCall::Read() {
  std::lock_guard lock(mutex_);
  if (!finished_ && Begin()) stream_.Read(&message_, read_.tag());
}

void PushCall::Finish(const PushAnswer& answer) { FinishCall(answer.status, answer.answer); }

void PushCall::FinishFault(const absl::Status& status) {
  if (!endpoint_->parts->faults_as_status || !IsFaultOfData(status)) return FinishCall(status, {});
  FinishCall(absl::OkStatus(), {wire::StatusChunk::kError, std::string(status.message())});
}

void PushCall::FinishCall(const absl::Status& status, const wire::StatusChunk& answer) {
  std::lock_guard lock(mutex_);
  if (std::exchange(finished_, true) || !Begin()) return;
  if (stream::IsBusy(status)) {
    service::AddRetryHint(&context_);
  }
  if (status.ok()) {
    stream_.Finish(SerializeStatus(answer), grpc::Status::OK, answered_.tag());
  } else {
    stream_.FinishWithError(rpc::ToGrpc(status), answered_.tag());
  }
}

void PushCall::OnSent(bool) { const auto last = ReleaseEvent(); }

// A call that waits for the engine to read on learns about its end only here.
void PushCall::OnDone(bool) {
  const auto last = ReleaseEvent(/*over=*/true);
  alarm_.Cancel();
  ending_alarm_.Cancel();
  if (worker_ == nullptr) return;
  const bool cancelled = context_.IsCancelled();
  endpoint_->RunAt(worker_, this, [this, cancelled](Engine& engine, Now now) {
    if (cancelled) engine.SourceVanished(push_, ids_, now);
    engine.EndPush(push_, PushEnd::kCancelled, now);
  });
}

}  // namespace posewire::anim_graph
