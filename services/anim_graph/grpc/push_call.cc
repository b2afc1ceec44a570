#include "services/anim_graph/grpc/push_call.h"

#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "services/anim_graph/core/busy.h"
#include "services/anim_graph/grpc/grpc_util.h"

namespace posewire::anim_graph {

PushCall* PushCall::Start(const CallParts& parts, grpc::CallbackServerContext* context,
                          grpc::ByteBuffer* response) {
  std::shared_ptr<PushCall> call(new PushCall(parts, context, response));
  call->self_ = call;
  call->StartRead(&call->message_);
  return call.get();
}

void PushCall::OnReadDone(bool ok) {
  if (!ok) {
    if (worker_ == nullptr) {
      FinishCall(context_->IsCancelled()
                     ? absl::CancelledError("")
                     : absl::FailedPreconditionError("the push ended before its header"),
                 {});
      return;
    }
    End(context_->IsCancelled() ? PushEnd::kCancelled : PushEnd::kHalfClosed);
    return;
  }
  std::vector<grpc::Slice> slices;
  absl::InlinedVector<absl::Span<const uint8_t>, 4> spans;
  if (!message_.Dump(&slices).ok()) {
    Fault(absl::InternalError("the message could not be read"));
    return;
  }
  for (const auto& s : slices) spans.emplace_back(s.begin(), s.size());
  absl::StatusOr<wire::Chunk> chunk = reader_.Read(spans);
  slices.clear();
  message_.Clear();
  if (!chunk.ok()) {
    Fault(chunk.status());
  } else if (auto* header = std::get_if<wire::StreamHeader>(&*chunk)) {
    Open(std::move(*header));
  } else {
    Give(*std::move(chunk));
  }
}

void PushCall::Open(wire::StreamHeader header) {
  const MetadataLookup metadata = LookupIn(*context_);
  if (parts_.ignore_targets) header.ids.target_object_id.clear();
  absl::Status status = CheckStreamIdMetadata(metadata, header.ids.stream_id);
  auto options = ParsePushOptions(metadata);
  CallContext context{"", header.ids, context_->peer()};
  if (status.ok()) status = options.status();
  if (status.ok()) status = Admit(parts_, context, Verb::kPush);
  if (!status.ok()) {
    FinishCall(status, {});
    return;
  }
  worker_ = &parts_.workers->For(header.ids.stream_id);
  worker_->Post([self = self_, context = std::move(context), header = std::move(header),
                 options = *options](Engine& engine, Now now) {
    auto opened = engine.OpenPush(context, header, options, self.get(), now);
    if (!opened.ok()) {
      self->FinishFault(opened.status());
      return;
    }
    self->push_ = opened->call;
    {
      std::lock_guard lock(self->mutex_);
      if (self->finished_) return;
      if (opened->held_s) {
        self->context_->AddInitialMetadata("x-posewire-held-s",
                                           absl::StrFormat("%.9f", *opened->held_s));
      }
      self->StartSendInitialMetadata();
    }
    self->Read();
  });
}

void PushCall::Give(wire::Chunk chunk) {
  worker_->Post([self = self_, chunk = std::move(chunk)](Engine& engine, Now now) mutable {
    if (auto* data = std::get_if<wire::DataChunk>(&chunk)) {
      if (engine.Offer(self->push_, std::move(*data), now)) self->Read();
    } else if (auto* status = std::get_if<wire::StatusChunk>(&chunk)) {
      engine.OfferStatus(self->push_, *status, now);
      self->Read();
    }
  });
}

void PushCall::End(PushEnd end) {
  worker_->Post([self = self_, end](Engine& engine, Now now) {
    const wire::StatusChunk answer = engine.EndPush(self->push_, end, now);
    const bool whole = end == PushEnd::kHalfClosed;
    self->FinishCall(whole ? absl::OkStatus() : absl::CancelledError("the push was cancelled"),
                     answer);
  });
}

void PushCall::Fault(const absl::Status& status) {
  if (worker_ == nullptr) {
    FinishFault(status);
    return;
  }
  worker_->Post([self = self_, status](Engine& engine, Now now) {
    engine.EndPush(self->push_, PushEnd::kFault, now);
    self->FinishFault(status);
  });
}

void PushCall::Read() {
  std::lock_guard lock(mutex_);
  if (!finished_) StartRead(&message_);
}

void PushCall::ReadOn() { Read(); }

void PushCall::Finish(const PushAnswer& answer) { FinishCall(answer.status, answer.answer); }

void PushCall::FinishFault(const absl::Status& status) {
  if (!parts_.faults_as_status || !IsFaultOfData(status)) return FinishCall(status, {});
  FinishCall(absl::OkStatus(), {wire::StatusChunk::kError, std::string(status.message())});
}

void PushCall::FinishCall(const absl::Status& status, const wire::StatusChunk& answer) {
  std::lock_guard lock(mutex_);
  if (finished_) return;
  finished_ = true;
  if (status.ok()) *response_ = SerializeStatus(answer);
  if (IsBusy(status)) {
    context_->AddTrailingMetadata("grpc-retry-pushback-ms", "5000");
  }
  grpc::ServerReadReactor<grpc::ByteBuffer>::Finish(ToGrpc(status));
}

// A call that waits for the engine to read on hears of its end only here.
void PushCall::OnCancel() {
  if (worker_ == nullptr) return;
  worker_->Post([self = self_](Engine& engine, Now now) {
    engine.SourceVanished(self->push_, now);
    self->FinishCall(absl::CancelledError("the push was cancelled"), {});
  });
}

void PushCall::OnDone() {
  std::shared_ptr<PushCall> self = std::move(self_);
  if (worker_ == nullptr) return;
  worker_->Post([self = std::move(self)](Engine& engine, Now now) {
    engine.EndPush(self->push_, PushEnd::kCancelled, now);
  });
}

}  // namespace posewire::anim_graph
