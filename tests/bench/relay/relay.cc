#include "tests/bench/relay/relay.h"

#include <deque>
#include <utility>

#include "absl/strings/match.h"

namespace posewire::bench {
namespace {

constexpr int kFps = 30;
// A pull that is this far behind loses its oldest messages.
constexpr size_t kMostWaiting = 150;

grpc::ByteBuffer Wrap(const std::string& message) {
  const grpc::Slice slice(message);
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace

// One call, of either kind. Lives until all that it asked of the queue has come back.
class RelayCall {
 public:
  // What comes back from the queue.
  struct Tag {
    enum What { kCame, kRead, kWritten, kFinished, kDone };
    RelayCall* call;
    What what;
  };

  explicit RelayCall(Relay& relay) : relay_(relay) {
    context_.AsyncNotifyWhenDone(&done_);
    relay_.service()->RequestCall(&context_, &stream_, relay_.queue(), relay_.queue(), &came_);
  }

  // False: the call is over and to be deleted.
  bool Proceed(Tag::What what, bool ok) {
    switch (what) {
      case Tag::kCame:
        if (!ok) return false;  // the server is going; nothing else will come back
        Open();
        break;
      case Tag::kRead:
        --pending_;
        OnRead(ok);
        break;
      case Tag::kWritten:
        --pending_;
        writing_ = false;
        if (ok && !finished_ && !waiting_.empty()) Write();
        break;
      case Tag::kFinished:
        --pending_;
        break;
      case Tag::kDone:
        --pending_;
        Finish();
        break;
    }
    if (pending_ > 0) return true;
    if (!push_) relay_.RemovePull(stream_id_, this);
    relay_.CountCall(-1);
    return false;
  }

  void Send(grpc::ByteBuffer message) {
    if (finished_) return;
    if (waiting_.size() >= kMostWaiting) waiting_.pop_front();
    waiting_.push_back(std::move(message));
    if (!writing_) Write();
  }

 private:
  void Open() {
    relay_.AwaitCall();
    relay_.CountCall(1);
    pending_ = 1;  // `done_`
    const auto it = context_.client_metadata().find("x-stream-id");
    if (it != context_.client_metadata().end()) {
      stream_id_.assign(it->second.data(), it->second.size());
    }
    push_ = absl::EndsWith(context_.method(), "/PushAnimationDataStream");
    Read();
    if (push_) return;
    relay_.AddPull(stream_id_, this);
    // At once, as anim_graph does. When something is pushed its header follows, with its epoch.
    Send(relay_.Header());
  }
  void OnRead(bool ok) {
    if (!push_) return;
    if (!ok) {
      Finish();
      return;
    }
    RelayCall* const pull = relay_.idle() ? nullptr : relay_.FindPull(stream_id_);
    if (pull != nullptr) pull->Send(std::move(message_));
    message_.Clear();
    Read();
  }
  void Read() {
    ++pending_;
    stream_.Read(&message_, &read_);
  }
  void Write() {
    writing_ = true;
    ++pending_;
    stream_.Write(waiting_.front(), &written_);
    waiting_.pop_front();
  }
  void Finish() {
    if (std::exchange(finished_, true)) return;
    ++pending_;
    stream_.Finish(grpc::Status::OK, &finish_);
  }

  Relay& relay_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_{&context_};
  bool push_ = false;
  std::string stream_id_;
  grpc::ByteBuffer message_;
  std::deque<grpc::ByteBuffer> waiting_;
  bool writing_ = false;
  bool finished_ = false;
  int pending_ = 0;
  Tag came_{this, Tag::kCame}, read_{this, Tag::kRead}, written_{this, Tag::kWritten},
      finish_{this, Tag::kFinished}, done_{this, Tag::kDone};
};

Relay::Relay(bool idle, loadgen::PushMessage message, grpc::AsyncGenericService* service,
             grpc::ServerCompletionQueue* queue)
    : idle_(idle),
      message_(std::move(message)),
      service_(service),
      queue_(queue),
      start_(std::chrono::system_clock::now()) {}

Relay::~Relay() = default;

void Relay::Run() {
  AwaitCall();
  while (true) {
    void* tag = nullptr;
    bool ok = false;
    const auto next = queue_->AsyncNext(&tag, &ok, NextWake());
    if (next == grpc::CompletionQueue::SHUTDOWN) return;
    if (next == grpc::CompletionQueue::GOT_EVENT) {
      const auto& of = *static_cast<const RelayCall::Tag*>(tag);
      if (RelayCall* const call = of.call; !call->Proceed(of.what, ok)) delete call;
    }
    while (idle_ && std::chrono::system_clock::now() >= NextWake()) Tick();
  }
}

void Relay::AwaitCall() { new RelayCall(*this); }

RelayCall* Relay::FindPull(const std::string& stream_id) const {
  const auto it = pulls_.find(stream_id);
  return it == pulls_.end() ? nullptr : it->second;
}

void Relay::AddPull(const std::string& stream_id, RelayCall* pull) {
  pulls_[stream_id] = pull;
  by_slot_[opened_++ % kSlots].push_back(pull);
}

void Relay::RemovePull(const std::string& stream_id, const RelayCall* pull) {
  const auto it = pulls_.find(stream_id);
  if (it != pulls_.end() && it->second == pull) pulls_.erase(it);
  for (auto& slot : by_slot_) std::erase(slot, pull);
}

grpc::ByteBuffer Relay::Header() const {
  const double slot_s = static_cast<double>((opened_ - 1) % kSlots) / (kSlots * kFps);
  const double start_s = std::chrono::duration<double>(start_.time_since_epoch()).count();
  return Wrap(message_.Header("relay", start_s + slot_s));
}

std::chrono::system_clock::time_point Relay::NextWake() const {
  if (!idle_) return std::chrono::system_clock::now() + std::chrono::hours(1);
  return start_ + std::chrono::nanoseconds(slot_ * 1'000'000'000 / (kSlots * kFps));
}

void Relay::Tick() {
  for (RelayCall* pull : by_slot_[static_cast<size_t>(slot_ % kSlots)]) {
    pull->Send(Wrap(message_.Frame(slot_ / kSlots)));
  }
  ++slot_;
}

}  // namespace posewire::bench
