#include "services/anim_graph/relay/peer_call.h"

#include <chrono>
#include <variant>

#include "absl/status/statusor.h"
#include "libs/rpc/grpc_status.h"
#include "libs/service/catch_exceptions.h"
#include "libs/stream/pull_errors.h"

namespace posewire::anim_graph {
namespace {

constexpr std::chrono::seconds kLook{1};

}  // namespace

void PeerCalls::Close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  for (PeerCall* call : calls_) call->Cancel();
}

bool PeerCalls::closed() const {
  std::lock_guard lock(mutex_);
  return closed_;
}

absl::Status PeerCalls::Add(PeerCall* call) {
  std::lock_guard lock(mutex_);
  if (closed_) return stream::ShuttingDown();
  if (absl::Status s = call->place_.Take(); !s.ok()) return s;
  calls_.insert(call);
  return absl::OkStatus();
}

void PeerCalls::Remove(PeerCall* call) {
  std::lock_guard lock(mutex_);
  calls_.erase(call);
}

PeerCall::~PeerCall() { calls_->Remove(this); }

absl::Status PeerCall::Start(PeerTarget target, grpc::CompletionQueue* queue,
                             const grpc::ByteBuffer& first, bool last) {
  if (absl::Status s = calls_->Add(this); !s.ok()) return s;
  // Events on the queue's thread wait for the lock.
  std::lock_guard lock(mutex_);
  self_ = shared_from_this();
  target_ = std::move(target);
  queue_ = queue;
  link_ = calls_->channels_->Take(target_.address);
  // The metadata is sent with the first message.
  context_->set_initial_metadata_corked(true);
  call_ = grpc::GenericStub(link_->channel).PrepareCall(context_.get(), target_.method, queue);
  pending_ = 2;
  call_->StartCall(nullptr);
  if (last) {
    call_->WriteLast(first, grpc::WriteOptions(), written_.tag());
  } else {
    call_->Write(first, written_.tag());
  }
  call_->ReadInitialMetadata(headers_.tag());
  if (target_.stream_id.empty()) return absl::OkStatus();
  ++pending_;
  look_alarm_.Set(queue_, std::chrono::system_clock::now() + kLook, look_.tag());
  return absl::OkStatus();
}

void PeerCall::Contained(absl::FunctionRef<void()> part) {
  const auto held = weak_from_this().lock();
  if (!service::CatchExceptions(calls_->log_, "relayed call", part).ok()) Abandon();
}

bool PeerCall::Begin() {
  std::lock_guard lock(mutex_);
  if (over_) return false;
  ++pending_;
  return true;
}

std::shared_ptr<PeerCall> PeerCall::ReleaseEvent() {
  std::lock_guard lock(mutex_);
  return --pending_ == 0 && over_ ? std::move(self_) : nullptr;
}

void PeerCall::Send(const grpc::ByteBuffer& message) {
  if (Begin()) call_->Write(message, written_.tag());
}

void PeerCall::SendEnd() {
  if (Begin()) call_->WritesDone(half_closed_.tag());
}

void PeerCall::Read() {
  if (Begin()) call_->Read(&message_, read_.tag());
}

void PeerCall::OnWritten(bool ok) {
  const auto last = ReleaseEvent();
  if (ok) OnSent();
}

void PeerCall::OnClosed(bool) { const auto last = ReleaseEvent(); }

void PeerCall::OnInitialMetadata(bool) {
  const auto last = ReleaseEvent();
  OnHeaders();
}

void PeerCall::OnRead(bool ok) {
  const auto last = ReleaseEvent();
  if (ok) {
    heard_ = true;
    return OnMessage(std::move(message_));
  }
  if (Begin()) call_->Finish(&status_, finished_.tag());
}

void PeerCall::OnLook(bool ok) {
  const auto last = ReleaseEvent();
  if (!ok || !Begin()) return;
  look_alarm_.Set(queue_, std::chrono::system_clock::now() + kLook, look_.tag());
  OnSecond();
  if (std::exchange(heard_, false)) return;
  calls_->directory_->Locate(target_.stream_id,
                             [weak = weak_from_this()](const absl::StatusOr<Location>& location) {
                               const auto held = weak.lock();
                               if (held == nullptr || !location.ok()) return;
                               const auto* at = std::get_if<At>(&*location);
                               if (at != nullptr && at->address == held->target_.address) return;
                               held->moved_ = true;
                               held->Cancel();
                             });
}

void PeerCall::OnFinished(bool) {
  look_alarm_.Cancel();
  if (status_.error_code() == grpc::StatusCode::CANCELLED && calls_->closed()) {
    status_ = rpc::ToGrpc(stream::ShuttingDown());
  } else if (status_.error_code() == grpc::StatusCode::CANCELLED && moved_) {
    status_ = {grpc::StatusCode::UNAVAILABLE,
               "another server serves the stream now; connect again"};
  }
  if (status_.error_code() == grpc::StatusCode::UNAVAILABLE) {
    calls_->log_.Warning("a relayed call broke off", {{"address", target_.address},
                                                      {"stream_id", target_.stream_id},
                                                      {"why", status_.error_message()}});
  }
  OnEnd(status_);
  {
    std::lock_guard lock(mutex_);
    over_ = true;
  }
  const auto last = ReleaseEvent();
}

}  // namespace posewire::anim_graph
