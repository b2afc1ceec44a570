#include "libs/service/health.h"

#include <utility>

namespace posewire::service {

using ::grpc::health::v1::HealthCheckRequest;

// Tells what has changed until the caller goes. Only the queue's thread knows it.
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
    health->Add(this);
    Tell();
  }
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
  Answer answer_;  // UNKNOWN before the first
  bool writing_ = false;
  grpc::ServerAsyncWriter<Answer> writer_{&context_};
  EventOf<Watch, &Watch::OnArrived> arrived_{this};
  EventOf<Watch, &Watch::OnWritten> written_{this};
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
  for (Watch* watch : watches_) watch->Tell();
}

}  // namespace posewire::service
