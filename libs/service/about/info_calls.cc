#include "libs/service/about/info_calls.h"

#include <grpcpp/alarm.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/rpc/grpc_status.h"

namespace posewire::service {

// Answers one message after the other until the client half-closes.
class InfoCalls::Call : public StreamCall {
 public:
  static void Await(const std::shared_ptr<InfoCalls>& calls, Service* service, int method) {
    auto call = std::make_shared<Call>(calls, service, method);
    call->AwaitArrival(&call->done_, calls->count_);
    service->Await(method, &call->context_, &call->stream_, calls->queue_, call->arrived_.tag());
  }
  Call(std::shared_ptr<InfoCalls> calls, Service* service, int method)
      : calls_(std::move(calls)), service_(service), method_(method) {}

  const std::string& peer() const { return peer_; }

  void End(const absl::Status& status) {
    std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
    // A client that does not read its response does not read its status either.
    if (writing_) return context_.TryCancel();
    if (Begin()) stream_.Finish(rpc::ToGrpc(status), finished_.tag());
  }

 private:
  void Fail(const absl::Status& status) override { End(status); }

  void OnArrived(bool ok) {
    const std::shared_ptr<InfoCalls> calls = calls_;
    if (!Arrived(ok)) return;
    Await(calls, service_, method_);
    peer_ = context_.peer();
    if (const absl::Status s = calls->Enter(this); !s.ok()) return End(s);
    std::lock_guard lock(mutex_);
    if (!Begin()) return;
    alarm_.Set(calls->queue_,
               std::chrono::system_clock::now() +
                   std::chrono::milliseconds(static_cast<int64_t>(calls->limits_.longest_s * 1000)),
               alarmed_.tag());
    Read();
  }
  // Requires mutex_.
  void Read() {
    if (!ended_ && Begin()) stream_.Read(&message_, read_.tag());
  }
  void OnRead(bool ok) {
    const auto last = ReleaseEvent();
    if (!ok) return End(absl::OkStatus());
    const absl::StatusOr<std::string> answer = Answered();
    if (!answer.ok()) return End(answer.status());
    const grpc::Slice slice(*answer);
    const grpc::ByteBuffer bytes(&slice, 1);
    std::lock_guard lock(mutex_);
    if (ended_ || !Begin()) return;
    writing_ = true;
    stream_.Write(bytes, written_.tag());
  }
  absl::StatusOr<std::string> Answered() const {
    grpc::Slice whole;
    if (!message_.DumpToSingleSlice(&whole).ok()) {
      return absl::InvalidArgumentError("the message cannot be read");
    }
    return calls_->answer_(service_->paths[static_cast<size_t>(method_)],
                           std::string(whole.begin(), whole.end()));
  }
  void OnWritten(bool ok) {
    const auto last = ReleaseEvent();
    std::lock_guard lock(mutex_);
    writing_ = false;
    if (ok) Read();
  }
  void OnAlarm(bool ok) {
    const auto last = ReleaseEvent();
    if (!ok) return;  // cancelled
    End(absl::DeadlineExceededError(
        absl::StrCat("the call was open for ", calls_->limits_.longest_s, " s; call again")));
  }
  void OnFinished(bool) { const auto last = ReleaseEvent(); }
  void OnDone(bool) {
    const auto last = ReleaseEvent(/*over=*/true);
    calls_->Leave(this);
    alarm_.Cancel();
  }

  const std::shared_ptr<InfoCalls> calls_;
  Service* const service_;
  const int method_;
  std::string peer_;
  grpc::ByteBuffer message_;
  bool writing_ = false;
  bool ended_ = false;
  grpc::Alarm alarm_;
  Stream stream_{&context_};
  EventOf<Call, &Call::OnArrived> arrived_{this};
  EventOf<Call, &Call::OnRead> read_{this};
  EventOf<Call, &Call::OnWritten> written_{this};
  EventOf<Call, &Call::OnAlarm> alarmed_{this};
  EventOf<Call, &Call::OnFinished> finished_{this};
  EventOf<Call, &Call::OnDone> done_{this};
};

void InfoCalls::Service::Add(const char* path) {
  AddMethod(new grpc::internal::RpcServiceMethod(path, grpc::internal::RpcMethod::BIDI_STREAMING,
                                                 nullptr));
  MarkMethodAsync(static_cast<int>(paths.size()));
  paths.push_back(path);
}

InfoCalls::InfoCalls(const std::vector<const char*>& methods, const InfoLimits& limits)
    : limits_(limits) {
  for (const char* path : methods) {
    const std::string text(path);
    services_[text.substr(0, text.rfind('/'))].Add(path);
  }
}

std::vector<grpc::Service*> InfoCalls::services() {
  std::vector<grpc::Service*> out;
  for (auto& [name, service] : services_) out.push_back(&service);
  return out;
}

void InfoCalls::Serve(Answer answer, grpc::ServerCompletionQueue* queue, CallCount* count) {
  answer_ = std::move(answer);
  queue_ = queue;
  count_ = count;
  for (auto& [name, service] : services_) {
    for (size_t i = 0; i < service.paths.size(); ++i) {
      Call::Await(shared_from_this(), &service, static_cast<int>(i));
    }
  }
}

absl::Status InfoCalls::Enter(Call* call) {
  const auto same = std::count_if(open_.begin(), open_.end(), [call](const Call* other) {
    return other->peer() == call->peer();
  });
  if (same >= limits_.of_connection) {
    return absl::ResourceExhaustedError(absl::StrCat(
        same, " calls of reflection and channelz are open on this connection; at most ",
        limits_.of_connection, " may be"));
  }
  if (open_.size() >= static_cast<size_t>(limits_.all)) {
    Call* const oldest = open_.front();
    open_.pop_front();
    oldest->End(absl::ResourceExhaustedError(
        absl::StrCat("over ", limits_.all,
                     " calls of reflection and channelz are open, and this "
                     "one is the oldest; call again")));
  }
  open_.push_back(call);
  return absl::OkStatus();
}

}  // namespace posewire::service
