#include "libs/client/control_client.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "grpcpp/client_context.h"
#include "libs/client/channel.h"
#include "libs/rpc/grpc_status.h"
#include "posewire.control.v1.grpc.pb.h"

namespace posewire::client {
namespace {

namespace cv1 = posewire::control::v1;

constexpr size_t kMostWaiting = 64;

}  // namespace

struct ControlClient::Impl {
  explicit Impl(ControlOptions o)
      : options(std::move(o)),
        stub(cv1::ControlService::NewStub(MakeChannel(options.connection))),
        thread([this] { Run(); }) {}

  void Run();
  // Makes one call, without holding the lock.
  template <typename Request, typename Response>
  void Call(const char* name, const Request& request,
            grpc::Status (cv1::ControlService::Stub::*method)(grpc::ClientContext*, const Request&,
                                                              Response*));

  const ControlOptions options;
  const std::unique_ptr<cv1::ControlService::Stub> stub;

  std::mutex mutex;
  std::condition_variable changed;
  bool stopping = false;
  std::map<std::string, cv1::User> users;
  std::deque<std::string> events;
  grpc::ClientContext* running = nullptr;
  Counters counters;

  std::thread thread;  // last, because it uses all of the above
};

template <typename Request, typename Response>
void ControlClient::Impl::Call(const char* name, const Request& request,
                               grpc::Status (cv1::ControlService::Stub::*method)(
                                   grpc::ClientContext*, const Request&, Response*)) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::duration_cast<std::chrono::system_clock::duration>(
                           std::chrono::duration<double>(options.call_timeout_s)));
  {
    std::lock_guard lock(mutex);
    if (stopping) return;
    running = &context;
  }
  grpc::Status status;
  try {
    Response response;
    status = ((*stub).*method)(&context, request, &response);
  } catch (const std::exception& e) {
    status = {grpc::StatusCode::INTERNAL, e.what()};
  }
  {
    std::lock_guard lock(mutex);
    running = nullptr;
    ++counters.calls;
    if (status.ok() || stopping) return;
    ++counters.failed;
  }
  if (options.on_error) {
    options.on_error(name, rpc::FromGrpc(status));
  }
}

void ControlClient::Impl::Run() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return stopping || !users.empty() || !events.empty(); });
    if (stopping) return;
    if (!events.empty()) {
      cv1::FireEventRequest request;
      request.set_stream_id(options.stream_id);
      request.set_event(events.front());
      events.pop_front();
      lock.unlock();
      Call("FireEvent", request, &cv1::ControlService::Stub::FireEvent);
    } else {
      cv1::SetUserRequest request;
      request.set_stream_id(options.stream_id);
      *request.mutable_user() = std::move(users.begin()->second);
      users.erase(users.begin());
      lock.unlock();
      Call("SetUser", request, &cv1::ControlService::Stub::SetUser);
    }
    lock.lock();
  }
}

ControlClient::ControlClient(ControlOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

ControlClient::~ControlClient() {
  {
    std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
    if (impl_->running != nullptr) impl_->running->TryCancel();
  }
  impl_->changed.notify_all();
  impl_->thread.join();
}

void ControlClient::SetUser(const cv1::User& user) {
  {
    std::lock_guard lock(impl_->mutex);
    if (impl_->users.size() >= kMostWaiting && !impl_->users.contains(user.name())) {
      ++impl_->counters.dropped;
      return;
    }
    impl_->users[user.name()] = user;
  }
  impl_->changed.notify_one();
}

void ControlClient::FireEvent(const std::string& event) {
  {
    std::lock_guard lock(impl_->mutex);
    if (impl_->events.size() >= kMostWaiting) {
      ++impl_->counters.dropped;
      return;
    }
    impl_->events.push_back(event);
  }
  impl_->changed.notify_one();
}

ControlClient::Counters ControlClient::counters() const {
  std::lock_guard lock(impl_->mutex);
  return impl_->counters;
}

}  // namespace posewire::client
