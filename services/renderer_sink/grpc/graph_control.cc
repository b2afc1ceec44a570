#include "services/renderer_sink/grpc/graph_control.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "libs/client/channel.h"
#include "libs/service/catch_exceptions.h"
#include "posewire.control.v1.grpc.pb.h"
#include "services/renderer_sink/grpc/message_json.h"

namespace posewire::renderer_sink {
namespace {

namespace cv1 = posewire::control::v1;

// Between attempts to watch.
constexpr std::chrono::milliseconds kRetry{500};

}  // namespace

struct GraphControl::Impl {
  Impl(const client::ConnectionOptions& connection, service::Logger to)
      : log(std::move(to)),
        calls({.connection = connection,
               .service = "posewire.control.v1.ControlService",
               .timeout_s = 3,
               .server = "anim_graph",
               .log = log}),
        channel(client::MakeCallChannel(connection)) {}

  void Stop() {
    std::lock_guard lock(mutex);
    stopping = true;
    if (watch != nullptr) watch->TryCancel();
    woken.notify_all();
  }

  void RunWatch(const OnEvent& on_event);

  const service::Logger log;
  JsonCalls calls;
  std::shared_ptr<grpc::Channel> channel;
  std::mutex mutex;
  std::condition_variable woken;
  bool stopping = false;                 // guarded by mutex
  grpc::ClientContext* watch = nullptr;  // guarded by mutex
  std::thread watcher;
};

void GraphControl::Impl::RunWatch(const OnEvent& on_event) {
  const auto stub = cv1::ControlService::NewStub(channel);
  std::unique_lock lock(mutex);
  while (!stopping) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    watch = &context;
    lock.unlock();
    const auto reader = stub->WatchEvents(&context, cv1::WatchEventsRequest());
    cv1::Event event;
    while (reader->Read(&event)) {
      (void)service::CatchExceptions(log, "event",
                                     [&] { on_event(event.stream_id(), WriteJson(event)); });
    }
    reader->Finish();
    lock.lock();
    watch = nullptr;
    woken.wait_for(lock, kRetry, [this] { return stopping; });
  }
}

GraphControl::GraphControl(const client::ConnectionOptions& connection, service::Logger log)
    : impl_(std::make_unique<Impl>(connection, std::move(log))) {}

GraphControl::~GraphControl() {
  impl_->Stop();
  if (impl_->watcher.joinable()) impl_->watcher.join();
}

void GraphControl::Call(const std::string& method, absl::string_view request_json,
                        JsonCalls::Answer answer, const JsonCalls::MayCall& may_call) {
  impl_->calls.Call(method, request_json, std::move(answer), may_call);
}

void GraphControl::Watch(OnEvent on_event) {
  impl_->watcher = std::thread([impl = impl_.get(), on_event = std::move(on_event)] {
    service::CatchExceptionsInLoop(impl->log, "watch of events", [&] { impl->RunWatch(on_event); });
  });
}

}  // namespace posewire::renderer_sink
