#include "libs/service/health.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/rpc/grpc_status.h"

namespace posewire::service {
namespace {

// Limits on watches.
constexpr int kMostOfConnection = 16;
constexpr size_t kMost = 1024;

}  // namespace

using ::grpc::health::v1::HealthCheckRequest;

// Sends changes until the client disconnects. Used only on the queue's thread.
class Health::Watch : public StreamCall {
 public:
  static void Await(const std::shared_ptr<Health>& health) {
    auto watch = std::make_shared<Watch>(health);
    watch->AwaitArrival(&watch->done_, health->count());
    health->service().RequestWatch(&watch->context_, &watch->request_, &watch->writer_,
                                   health->queue(), health->queue(), watch->arrived_.tag());
  }
  explicit Watch(std::shared_ptr<Health> health) : health_(std::move(health)) {}

  void Tell() {
    const Answer::ServingStatus status = health_->StatusOf(request_.service());
    std::lock_guard lock(mutex_);
    if (writing_ || status == answer_.status() || !Begin()) return;
    answer_.set_status(status);
    writing_ = true;
    writer_.Write(answer_, written_.tag());
  }

 private:
  void OnArrived(bool ok) {
    const std::shared_ptr<Health> health = health_;
    if (!Arrived(ok)) return;
    Await(health);
    if (const absl::Status s = health->Add(this, context_.peer()); !s.ok()) {
      std::lock_guard lock(mutex_);
      if (Begin()) writer_.Finish(rpc::ToGrpc(s), finished_.tag());
      return;
    }
    Tell();
  }
  void OnFinished(bool) { const auto last = ReleaseEvent(); }
  void OnWritten(bool ok) {
    const auto last = ReleaseEvent();
    writing_ = false;
    if (ok) Tell();
  }
  void OnDone(bool) {
    const auto last = ReleaseEvent(/*over=*/true);
    health_->Remove(this);
  }

  const std::shared_ptr<Health> health_;
  HealthCheckRequest request_;
  Answer answer_;  // UNKNOWN before the first response
  bool writing_ = false;
  grpc::ServerAsyncWriter<Answer> writer_{&context_};
  EventOf<Watch, &Watch::OnArrived> arrived_{this};
  EventOf<Watch, &Watch::OnWritten> written_{this};
  EventOf<Watch, &Watch::OnFinished> finished_{this};
  EventOf<Watch, &Watch::OnDone> done_{this};
};

void Health::Serve(const std::vector<std::string>& names, grpc::ServerCompletionQueue* queue,
                   CallCount* count) {
  queue_ = queue;
  count_ = count;
  serving_[""] = true;
  for (const std::string& name : names) serving_[name] = true;
  waker_ = std::make_unique<QueueWaker>(queue, [this] {
    std::shared_ptr<Health> self;
    {
      std::lock_guard lock(mutex_);
      self = std::move(rung_);
    }
    TellWatches();
  });
  ServeUnary(&service_, queue, count, &AsyncService::RequestCheck,
             [self = shared_from_this()](const grpc::ServerContext&,
                                         const HealthCheckRequest& request, Answer* answer,
                                         const UnaryCall<HealthCheckRequest, Answer>::Done& done) {
               answer->set_status(self->StatusOf(request.service()));
               done(answer->status() == Answer::SERVICE_UNKNOWN
                        ? grpc::Status(grpc::StatusCode::NOT_FOUND, "service name unknown")
                        : grpc::Status::OK);
             });
  Watch::Await(shared_from_this());
}

void Health::SetServing(bool serving) {
  std::lock_guard lock(mutex_);
  for (auto& [name, serves] : serving_) serves = serving;
  if (waker_ == nullptr || rung_ != nullptr) return;
  rung_ = shared_from_this();
  waker_->Wake();
}

Health::Answer::ServingStatus Health::StatusOf(const std::string& name) const {
  std::lock_guard lock(mutex_);
  const auto it = serving_.find(name);
  if (it == serving_.end()) return Answer::SERVICE_UNKNOWN;
  return it->second ? Answer::SERVING : Answer::NOT_SERVING;
}

void Health::TellWatches() {
  for (const auto& [watch, peer] : watches_) watch->Tell();
}

absl::Status Health::Add(Watch* watch, const std::string& peer) {
  const int same = by_peer_[peer];
  if (same >= kMostOfConnection || watches_.size() >= kMost) {
    if (same == 0) by_peer_.erase(peer);
    return absl::ResourceExhaustedError(absl::StrCat(
        "there are ", watches_.size(), " watches of health, ", same,
        " on this connection; at most ", kMost, " and ", kMostOfConnection, " may be"));
  }
  ++by_peer_[peer];
  watches_.emplace(watch, peer);
  return absl::OkStatus();
}

void Health::Remove(Watch* watch) {
  const auto it = watches_.find(watch);
  if (it == watches_.end()) return;
  const auto of_peer = by_peer_.find(it->second);
  if (--of_peer->second == 0) by_peer_.erase(of_peer);
  watches_.erase(it);
}

}  // namespace posewire::service
