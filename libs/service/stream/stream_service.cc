#include "libs/service/stream/stream_service.h"

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/rpc/grpc_status.h"
#include "libs/rpc/message_bytes.h"
#include "libs/rpc/reactor_order.h"
#include "libs/service/access/token_file.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/stream/stream_bytes.h"
#include "libs/stream/busy.h"
#include "libs/stream/pull_queue.h"
#include "libs/wire/edit_codes.h"
#include "nvidia_ace.services.animation_data.v1.grpc.pb.h"

namespace posewire::service {
namespace {

using stream::PushEnd;

// If the consumer does not even read the current write for this long, the call is cut off without a
// final status.
constexpr std::chrono::seconds kPatience{30};

// With an empty stream id, checks whether the caller may do it on any stream. `place` receives the
// caller's reservation.
absl::Status Admit(const StreamServiceParts& parts, const grpc::CallbackServerContext& context,
                   absl::string_view stream_id, stream::Permission permission,
                   std::shared_ptr<const void>* place) {
  const stream::Caller caller = CallerOf(context);
  const auto name = parts.authorizer->Check(caller, stream_id, permission);
  if (!name.ok() || stream_id.empty()) return name.status();
  auto entered = parts.authorizer->Enter(caller, permission);
  if (!entered.ok()) return entered.status();
  *place = *std::move(entered);
  LogAdmitted(parts.log, permission == stream::Permission::kPush ? "push" : "pull", *name,
              stream_id, caller.peer);
  return absl::OkStatus();
}

template <typename Reactor>
class Rejected final : public Reactor {
 public:
  explicit Rejected(const grpc::Status& status) { this->Finish(status); }
  void OnDone() override { delete this; }
};

// Operations are started with mutex_ held; gRPC never runs a callback within the call that starts
// its operation. Lives until the call is over and no one else holds a reference.
class PullReactor final : public grpc::ServerWriteReactor<grpc::ByteBuffer>,
                          public stream::PullStream {
 public:
  static PullReactor* Start(const StreamServiceParts& parts, grpc::CallbackServerContext* context,
                            const grpc::ByteBuffer& request) {
    const auto reactor = std::make_shared<PullReactor>(parts, context);
    reactor->self_ = reactor;
    reactor->Guard([&] { reactor->Open(request); });
    return reactor.get();
  }

  PullReactor(const StreamServiceParts& parts, grpc::CallbackServerContext* context)
      : parts_(parts), log_(parts.log), server_(parts.pulls), context_(context) {}

  Offered Offer(const wire::EncodedFrame& frame, double now_s) override {
    std::lock_guard lock(mutex_);
    if (finished_ || last_words_) return Offered::kTaken;
    now_s_ = now_s;
    if (!queue_.Offer(frame, now_s)) return Offered::kFull;
    Pump();
    return Offered::kTaken;
  }

  void Finish(const absl::Status& status) override {
    std::lock_guard lock(mutex_);
    if (finished_ || last_words_) return;
    last_words_ = status;
    if (absl::IsResourceExhausted(status)) {
      queue_.Clear();
      patience_.Set(std::chrono::system_clock::now() + kPatience,
                    [weak = std::weak_ptr<PullReactor>(self_)](bool expired) {
                      const auto reactor = weak.lock();
                      if (expired && reactor != nullptr) reactor->CutOff();
                    });
    }
    Pump();
  }

  size_t waiting() const override {
    std::lock_guard lock(mutex_);
    return finished_ ? 0 : queue_.behind();
  }

 private:
  void Open(const grpc::ByteBuffer& request) {
    auto ids = ParsePullIds(request);
    absl::Status status = ids.status();
    if (status.ok()) status = stream::CheckStreamIdMetadata(LookupIn(*context_), ids->stream_id);
    if (status.ok())
      status = Admit(parts_, *context_, ids->stream_id, stream::Permission::kPull, &place_);
    {
      // Send the initial metadata now, because the first message may take a long time.
      std::lock_guard lock(mutex_);
      POSEWIRE_BEFORE_START();
      if (status.ok()) StartSendInitialMetadata();
    }
    if (status.ok()) {
      status = server_->OpenPull(*ids, self_);
      std::lock_guard lock(mutex_);
      opened_ = status.ok();
    }
    if (status.ok()) return;
    log_.Warning("pull refused", {{"stream_id", ids.ok() ? ids->stream_id : ""},
                                  {"code", absl::StatusCodeToString(status.code())},
                                  {"why", status.message()},
                                  {"peer", context_->peer()}});
    std::lock_guard lock(mutex_);
    FinishCall(status);
  }

  // An exception ends the call, after the current write.
  void Guard(absl::FunctionRef<void()> reaction) {
    const absl::Status thrown = CatchExceptions(log_, "pull", reaction);
    if (thrown.ok()) return;
    std::lock_guard lock(mutex_);
    last_words_ = thrown;
    queue_.Clear();
    if (queue_.idle()) FinishCall(thrown);
  }

  void OnWriteDone(bool ok) override {
    POSEWIRE_ENTER_CALLBACK();
    Guard([&] {
      std::lock_guard lock(mutex_);
      queue_.Written();
      // A cancelled call may have nothing more to write that would fail.
      if (ok && !context_->IsCancelled()) {
        Pump();
      } else {
        FinishCall(absl::CancelledError("the consumer has gone"));
      }
    });
    server_->OnRoom();
  }

  // A write in progress fails, and then ends the call.
  void OnCancel() override {
    POSEWIRE_ENTER_CALLBACK();
    std::lock_guard lock(mutex_);
    queue_.Clear();
    if (queue_.idle()) FinishCall(absl::CancelledError("the consumer has gone"));
  }

  void OnDone() override {
    POSEWIRE_ENTER_CALLBACK();
    std::shared_ptr<PullReactor> last;
    bool opened = false;
    {
      std::lock_guard lock(mutex_);
      finished_ = true;
      queue_.Clear();
      patience_.Cancel();
      last = std::move(self_);
      opened = opened_;
    }
    if (opened) (void)CatchExceptions(log_, "pull", [this] { server_->ClosePull(this); });
    server_->OnRoom();
  }

  void CutOff() {
    std::lock_guard lock(mutex_);
    if (!finished_) context_->TryCancel();
  }

  // Requires mutex_.
  void Pump() {
    if (finished_) return;
    if (auto send = queue_.Next(now_s_)) {
      buffer_ = Wrap(send->frame, send->without_pose);
      POSEWIRE_BEFORE_START();
      StartWrite(&buffer_);
    } else if (last_words_ && queue_.idle()) {
      FinishCall(*last_words_);
    }
  }
  void FinishCall(const absl::Status& status) {
    if (std::exchange(finished_, true)) return;
    if (stream::IsBusy(status)) AddRetryHint(context_);
    POSEWIRE_BEFORE_START();
    grpc::ServerWriteReactor<grpc::ByteBuffer>::Finish(rpc::ToGrpc(status));
  }

  const StreamServiceParts& parts_;
  const Logger& log_;
  PullServer* const server_;
  grpc::CallbackServerContext* const context_;
  std::shared_ptr<const void> place_;  // the token's reservation
  mutable std::mutex mutex_;
  std::shared_ptr<PullReactor> self_;  // until OnDone
  grpc::ByteBuffer buffer_;            // used by gRPC during a write
  stream::PullQueue queue_;            // guarded by mutex_
  double now_s_ = 0;                   // guarded by mutex_; time of the last offer
  std::optional<absl::Status>
      last_words_;         // guarded by mutex_; finish with this once everything is written
  bool opened_ = false;    // guarded by mutex_
  bool finished_ = false;  // guarded by mutex_
  grpc::Alarm patience_;
};

class PushReactor final : public grpc::ServerReadReactor<grpc::ByteBuffer>,
                          public stream::PushPeer {
 public:
  static PushReactor* Start(const StreamServiceParts& parts, grpc::CallbackServerContext* context,
                            grpc::ByteBuffer* response) {
    const auto reactor = std::make_shared<PushReactor>(parts, context, response);
    reactor->self_ = reactor;
    if (const absl::Status s = Admit(parts, *context, "", stream::Permission::kPush, nullptr);
        !s.ok()) {
      reactor->FinishCall(s, {});
    } else {
      reactor->ReadOn();
    }
    return reactor.get();
  }

  PushReactor(const StreamServiceParts& parts, grpc::CallbackServerContext* context,
              grpc::ByteBuffer* response)
      : parts_(parts), context_(context), response_(response), reader_(parts.limits) {}

  void ReadOn() override {
    std::lock_guard lock(mutex_);
    if (finished_) return;
    // Before Open has set the taker, a message could not be delivered.
    if (opening_) {
      read_on_ = true;
      return;
    }
    POSEWIRE_BEFORE_START();
    StartRead(&buffer_);
  }
  void Finish(const stream::PushAnswer& answer) override {
    FinishCall(answer.status, answer.answer);
  }

 private:
  void OnReadDone(bool ok) override {
    POSEWIRE_ENTER_CALLBACK();
    const absl::Status thrown =
        CatchExceptions(parts_.log, "push", [&] { ok ? OnMessage() : End(); });
    if (!thrown.ok()) Fault(thrown);
  }

  void OnMessage() {
    taken_.bytes = rpc::CopyOut(buffer_, &slices_);
    bool read_on = false;
    const absl::Status read = reader_.Read({wire::SpanOf(taken_.bytes)}, &taken_.chunk);
    if (read.ok()) wire::SetWholeSamples(&taken_);
    if (!read.ok()) {
      Fault(read);
    } else if (const auto* header = std::get_if<wire::StreamHeader>(&taken_.chunk)) {
      read_on = Open(*header, taken_.bytes);
    } else {
      read_on = taker_->Take(&taken_);
    }
    // The next message may arrive before this returns.
    if (read_on) ReadOn();
  }

  bool Open(const wire::StreamHeader& header, const wire::MessageBytes& bytes) {
    ids_ = header.ids;
    const stream::MetadataLookup metadata = LookupIn(*context_);
    absl::Status status = stream::CheckStreamIdMetadata(metadata, header.ids.stream_id);
    const auto options = stream::ParsePushOptions(metadata);
    if (status.ok()) status = options.status();
    if (status.ok())
      status = Admit(parts_, *context_, ids_.stream_id, stream::Permission::kPush, &place_);
    if (!status.ok()) {
      FinishCall(status, {});
      return false;
    }
    {
      std::lock_guard lock(mutex_);
      opening_ = true;
    }
    auto taken = parts_.pushes->OpenPush(header, bytes, *options, self_);
    if (!taken.ok()) {
      FinishCall(taken.status(), {});
      return false;
    }
    taker_ = std::move(taken->taker);
    std::lock_guard lock(mutex_);
    opening_ = false;
    if (finished_) return false;
    if (taken->received_until_s) {
      context_->AddInitialMetadata("x-posewire-held-s",
                                   absl::StrFormat("%.9f", *taken->received_until_s));
    }
    POSEWIRE_BEFORE_START();
    StartSendInitialMetadata();
    return taken->read_on || read_on_;
  }

  void Fault(const absl::Status& status) {
    end_ = PushEnd::kFault;
    fault_ = status;
    FinishCall(status, {});
  }

  // A lost connection may look like a half-close until the call is over.
  void End() {
    if (context_->IsCancelled()) return FinishCall(absl::CancelledError(""), {});
    if (taker_ == nullptr) {
      return FinishCall(absl::FailedPreconditionError("the push ended before its header"), {});
    }
    end_ = PushEnd::kHalfClosed;
    wire::StatusChunk answer = taker_->HalfClosed();
    if (const std::string halves = reader_.HalfSamplesText(); !halves.empty()) {
      absl::StrAppend(&answer.message, answer.message.empty() ? "" : "; ", halves);
    }
    FinishCall(absl::OkStatus(), answer);
  }

  void OnCancel() override {
    POSEWIRE_ENTER_CALLBACK();
    FinishCall(absl::CancelledError("the push was cancelled"), {});
  }

  void OnDone() override {
    POSEWIRE_ENTER_CALLBACK();
    std::shared_ptr<PushReactor> last;
    {
      std::lock_guard lock(mutex_);
      finished_ = true;
      last = std::move(self_);
    }
    if (taker_ == nullptr) return;
    const bool vanished = end_ == PushEnd::kHalfClosed && context_->IsCancelled();
    (void)CatchExceptions(parts_.log, "push",
                          [&] { taker_->Over(vanished ? PushEnd::kCancelled : end_, fault_); });
  }

  void FinishCall(const absl::Status& status, const wire::StatusChunk& answer) {
    std::lock_guard lock(mutex_);
    if (std::exchange(finished_, true)) return;
    if (!status.ok() && !absl::IsCancelled(status)) {
      parts_.log.Warning("push refused", {{"stream_id", ids_.stream_id},
                                          {"request_id", ids_.request_id},
                                          {"code", absl::StatusCodeToString(status.code())},
                                          {"why", status.message()},
                                          {"peer", context_->peer()}});
    }
    if (stream::IsBusy(status)) AddRetryHint(context_);
    if (status.ok()) *response_ = SerializeStatus(answer);
    POSEWIRE_BEFORE_START();
    grpc::ServerReadReactor<grpc::ByteBuffer>::Finish(rpc::ToGrpc(status));
  }

  const StreamServiceParts& parts_;
  grpc::CallbackServerContext* const context_;
  std::shared_ptr<const void> place_;  // the token's reservation
  grpc::ByteBuffer* const response_;
  grpc::ByteBuffer buffer_;  // used by gRPC during a read
  wire::FrameReader reader_;
  wire::Message taken_;
  std::vector<grpc::Slice> slices_;   // reused for its memory
  std::unique_ptr<PushTaker> taker_;  // set when the header arrives
  PushEnd end_ = PushEnd::kCancelled;
  absl::Status fault_;
  wire::StreamIds ids_;  // set when the header arrives
  std::mutex mutex_;
  std::shared_ptr<PushReactor> self_;  // until OnDone
  bool opening_ = false;               // guarded by mutex_: OpenPush is running
  bool read_on_ = false;               // guarded by mutex_: ReadOn was called meanwhile
  bool finished_ = false;              // guarded by mutex_
};

namespace adv1 = nvidia_ace::services::animation_data::v1;
using RawService = adv1::AnimationDataService::WithRawCallbackMethod_PushAnimationDataStream<
    adv1::AnimationDataService::WithRawCallbackMethod_PullAnimationDataStream<
        adv1::AnimationDataService::Service>>;

}  // namespace

class StreamService::Impl final : public RawService {
 public:
  explicit Impl(StreamServiceParts parts) : parts_(std::move(parts)) {}

  grpc::ServerWriteReactor<grpc::ByteBuffer>* PullAnimationDataStream(
      grpc::CallbackServerContext* context, const grpc::ByteBuffer* request) override {
    if (parts_.pulls == nullptr) {
      return new Rejected<grpc::ServerWriteReactor<grpc::ByteBuffer>>(NotServed());
    }
    return PullReactor::Start(parts_, context, *request);
  }
  grpc::ServerReadReactor<grpc::ByteBuffer>* PushAnimationDataStream(
      grpc::CallbackServerContext* context, grpc::ByteBuffer* response) override {
    if (parts_.pushes == nullptr) {
      return new Rejected<grpc::ServerReadReactor<grpc::ByteBuffer>>(NotServed());
    }
    return PushReactor::Start(parts_, context, response);
  }

 private:
  grpc::Status NotServed() const {
    return grpc::Status(grpc::StatusCode::UNIMPLEMENTED, parts_.elsewhere);
  }
  const StreamServiceParts parts_;
};

StreamService::StreamService(StreamServiceParts parts)
    : impl_(std::make_unique<Impl>(std::move(parts))) {}
StreamService::~StreamService() = default;
grpc::Service* StreamService::service() { return impl_.get(); }

}  // namespace posewire::service
