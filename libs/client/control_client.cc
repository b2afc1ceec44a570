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
  enum Kind { kEvent, kVariable, kProp, kUser, kKinds };
  bool Waits(int kind) const {
    return kind == kEvent      ? !events.empty()
           : kind == kVariable ? !variables.empty()
           : kind == kProp     ? !props.empty()
                               : !users.empty();
  }
  // Replaces what waits under this name.
  template <typename Value>
  void Keep(const std::string& name, const Value& value, std::map<std::string, Value>& in);
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
  std::map<std::string, std::string> variables;
  std::map<std::string, cv1::MovePropRequest> props;
  std::deque<std::string> events;
  int turn = kUser;  // the kind of the last call
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
    changed.wait(lock, [this] {
      return stopping || Waits(kEvent) || Waits(kVariable) || Waits(kProp) || Waits(kUser);
    });
    if (stopping) return;
    // Each kind has its turn.
    for (turn = (turn + 1) % kKinds; !Waits(turn);) turn = (turn + 1) % kKinds;
    if (turn == kEvent) {
      cv1::FireEventRequest request;
      request.set_stream_id(options.stream_id);
      request.set_event(events.front());
      events.pop_front();
      lock.unlock();
      Call("FireEvent", request, &cv1::ControlService::Stub::FireEvent);
    } else if (turn == kVariable) {
      cv1::SetVariableRequest request;
      request.set_stream_id(options.stream_id);
      request.set_name(variables.begin()->first);
      request.set_value(variables.begin()->second);
      variables.erase(variables.begin());
      lock.unlock();
      Call("SetVariable", request, &cv1::ControlService::Stub::SetVariable);
    } else if (turn == kProp) {
      cv1::MovePropRequest request = std::move(props.begin()->second);
      request.set_stream_id(options.stream_id);
      props.erase(props.begin());
      lock.unlock();
      Call("MoveProp", request, &cv1::ControlService::Stub::MoveProp);
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

template <typename Value>
void ControlClient::Impl::Keep(const std::string& name, const Value& value,
                               std::map<std::string, Value>& in) {
  {
    std::lock_guard lock(mutex);
    if (in.size() >= kMostWaiting && !in.contains(name)) {
      ++counters.dropped;
      return;
    }
    in[name] = value;
  }
  changed.notify_one();
}

void ControlClient::SetUser(const cv1::User& user) { impl_->Keep(user.name(), user, impl_->users); }

void ControlClient::SetVariable(const std::string& name, const std::string& value) {
  impl_->Keep(name, value, impl_->variables);
}

void ControlClient::MoveProp(const cv1::MovePropRequest& place) {
  impl_->Keep(place.prop(), place, impl_->props);
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
