#include "tests/bench/relay/relay.h"

#include <deque>
#include <utility>

#include "absl/strings/match.h"

namespace posewire::bench {
namespace {

constexpr int kSlots = 16;  // of a frame
constexpr int kFps = 30;
// A pull that is this far behind loses its oldest messages.
constexpr size_t kMostWaiting = 150;

std::string StreamIdOf(const grpc::GenericCallbackServerContext& context) {
  const auto it = context.client_metadata().find("x-stream-id");
  if (it == context.client_metadata().end()) return "";
  return std::string(it->second.data(), it->second.size());
}

grpc::ByteBuffer Wrap(const std::string& message) {
  const grpc::Slice slice(message);
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace

// Writes what it is given, in order. gRPC owns it by `self_` until its end.
class RelayPull final : public grpc::ServerGenericBidiReactor {
 public:
  RelayPull(Relay& relay, std::string stream_id, int slot)
      : slot(slot), relay_(relay), stream_id_(std::move(stream_id)) {}
  void Begin(std::shared_ptr<RelayPull> self) { self_ = std::move(self); }

  void Send(grpc::ByteBuffer message) {
    std::lock_guard lock(mutex_);
    if (finished_) return;
    if (waiting_.size() >= kMostWaiting) waiting_.pop_front();
    waiting_.push_back(std::move(message));
    if (!writing_) Write();
  }
  void End() {
    std::lock_guard lock(mutex_);
    if (!std::exchange(finished_, true)) Finish(grpc::Status::OK);
  }

  const int slot;

 private:
  void Write() {
    writing_ = true;
    message_ = std::move(waiting_.front());
    waiting_.pop_front();
    StartWrite(&message_);
  }
  void OnWriteDone(bool ok) override {
    std::lock_guard lock(mutex_);
    writing_ = false;
    if (ok && !finished_ && !waiting_.empty()) Write();
  }
  void OnCancel() override { End(); }
  void OnDone() override {
    relay_.RemovePull(stream_id_);
    self_.reset();
  }

  Relay& relay_;
  const std::string stream_id_;
  std::shared_ptr<RelayPull> self_;
  std::mutex mutex_;
  std::deque<grpc::ByteBuffer> waiting_;  // guarded by mutex_
  bool writing_ = false;                  // guarded by mutex_
  bool finished_ = false;                 // guarded by mutex_
  grpc::ByteBuffer message_;
};

namespace {

// Reads, and hands each message on.
class RelayPush final : public grpc::ServerGenericBidiReactor {
 public:
  RelayPush(Relay& relay, const std::string& stream_id) : pull_(relay.FindPull(stream_id)) {
    if (relay.idle()) pull_.reset();
    StartRead(&message_);
  }

 private:
  void OnReadDone(bool ok) override {
    if (!ok) {
      Finish(grpc::Status::OK);
      return;
    }
    if (pull_ != nullptr) pull_->Send(std::move(message_));
    message_.Clear();
    StartRead(&message_);
  }
  void OnDone() override { delete this; }

  std::shared_ptr<RelayPull> pull_;
  grpc::ByteBuffer message_;
};

}  // namespace

Relay::Relay(bool idle, loadgen::PushMessage message)
    : idle_(idle), message_(std::move(message)), start_(std::chrono::steady_clock::now()) {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  epoch_s_ = std::chrono::duration<double>(wall).count();
  if (idle_) ticker_ = std::thread([this] { RunTicker(); });
}

Relay::~Relay() { Stop(); }

void Relay::Stop() {
  stop_ = true;
  if (ticker_.joinable()) ticker_.join();
  std::map<std::string, std::shared_ptr<RelayPull>> pulls;
  {
    std::lock_guard lock(mutex_);
    pulls = pulls_;
  }
  for (const auto& [id, pull] : pulls) pull->End();
}

std::shared_ptr<RelayPull> Relay::FindPull(const std::string& stream_id) {
  std::lock_guard lock(mutex_);
  const auto it = pulls_.find(stream_id);
  return it == pulls_.end() ? nullptr : it->second;
}

void Relay::RemovePull(const std::string& stream_id) {
  std::lock_guard lock(mutex_);
  pulls_.erase(stream_id);
}

grpc::ServerGenericBidiReactor* Relay::CreateReactor(grpc::GenericCallbackServerContext* context) {
  const std::string stream_id = StreamIdOf(*context);
  if (absl::EndsWith(context->method(), "/PushAnimationDataStream")) {
    return new RelayPush(*this, stream_id);
  }
  int slot = 0;
  {
    std::lock_guard lock(mutex_);
    slot = next_slot_++ % kSlots;
  }
  auto pull = std::make_shared<RelayPull>(*this, stream_id, slot);
  pull->Begin(pull);
  // At once, as anim_graph does. When something is pushed its header follows, with its epoch.
  const double slot_s = static_cast<double>(slot) / (kSlots * kFps);
  pull->Send(Wrap(message_.Header("relay", epoch_s_ + slot_s)));
  std::lock_guard lock(mutex_);
  pulls_[stream_id] = pull;
  return pull.get();
}

void Relay::RunTicker() {
  std::vector<std::shared_ptr<RelayPull>> due;
  for (int64_t slot = 0; !stop_; ++slot) {
    std::this_thread::sleep_until(start_ +
                                  std::chrono::nanoseconds(slot * 1'000'000'000 / (kSlots * kFps)));
    due.clear();
    {
      std::lock_guard lock(mutex_);
      for (const auto& [id, pull] : pulls_) {
        if (pull->slot == slot % kSlots) due.push_back(pull);
      }
    }
    for (const auto& pull : due) pull->Send(Wrap(message_.Frame(slot / kSlots)));
  }
}

}  // namespace posewire::bench
