#include "services/renderer_sink/grpc/graph_control.h"

#include <google/protobuf/util/json_util.h>
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/client/channel.h"
#include "posewire.control.v1.grpc.pb.h"

namespace posewire::renderer_sink {
namespace {

namespace cv1 = posewire::control::v1;
namespace pb = google::protobuf;

constexpr std::chrono::seconds kCallTimeout{3};
// Between attempts to watch.
constexpr std::chrono::milliseconds kRetry{500};

std::string WriteJson(const pb::Message& message) {
  pb::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string json;
  if (!pb::util::MessageToJsonString(message, &json, options).ok()) return "{}";
  return json;
}

absl::Status FromGrpc(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

std::shared_ptr<grpc::Channel> MakeChannelTo(const std::string& address) {
  client::ConnectionOptions options;
  options.address = address;
  return client::MakeChannel(options);
}

const pb::MethodDescriptor* FindMethod(const std::string& name) {
  const pb::FileDescriptor* file =
      pb::DescriptorPool::generated_pool()->FindFileByName("posewire.control.v1.proto");
  const pb::ServiceDescriptor* service =
      file == nullptr ? nullptr : file->FindServiceByName("ControlService");
  const pb::MethodDescriptor* method =
      service == nullptr ? nullptr : service->FindMethodByName(name);
  return method == nullptr || method->server_streaming() ? nullptr : method;
}

std::unique_ptr<pb::Message> New(const pb::Descriptor* type) {
  return std::unique_ptr<pb::Message>(
      pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

absl::StatusOr<std::string> ReadReply(const pb::MethodDescriptor& method, grpc::ByteBuffer* bytes) {
  grpc::Slice slice;
  if (!bytes->TrySingleSlice(&slice).ok() && !bytes->DumpToSingleSlice(&slice).ok()) {
    return absl::InternalError("the reply cannot be read");
  }
  std::unique_ptr<pb::Message> reply = New(method.output_type());
  if (!reply->ParseFromArray(slice.begin(), static_cast<int>(slice.size()))) {
    return absl::InternalError(absl::StrCat("the reply is no ", method.output_type()->name()));
  }
  return WriteJson(*reply);
}

}  // namespace

struct GraphControl::Impl {
  // One call under way.
  struct Pending {
    grpc::ClientContext context;
    grpc::ByteBuffer request, reply;
    const pb::MethodDescriptor* method = nullptr;
    Answer answer;
  };

  explicit Impl(const std::string& address) : channel(MakeChannelTo(address)), generic(channel) {}

  bool Begin(Pending* call) {
    std::lock_guard lock(mutex);
    if (stopping) return false;
    pending.insert(call);
    return true;
  }
  void End(Pending* call) {
    std::lock_guard lock(mutex);
    pending.erase(call);
    idle.notify_all();
  }
  void Stop() {
    std::unique_lock lock(mutex);
    stopping = true;
    for (Pending* call : pending) call->context.TryCancel();
    if (watch != nullptr) watch->TryCancel();
    idle.notify_all();
    idle.wait(lock, [this] { return pending.empty(); });
  }

  void RunWatch(const std::function<void(std::string)>& on_event);

  std::shared_ptr<grpc::Channel> channel;
  grpc::GenericStub generic;
  std::mutex mutex;
  std::condition_variable idle;
  bool stopping = false;                 // guarded by mutex
  std::set<Pending*> pending;            // guarded by mutex
  grpc::ClientContext* watch = nullptr;  // guarded by mutex
  std::thread watcher;
};

void GraphControl::Impl::RunWatch(const std::function<void(std::string)>& on_event) {
  const auto stub = cv1::ControlService::NewStub(channel);
  std::unique_lock lock(mutex);
  while (!stopping) {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    watch = &context;
    lock.unlock();
    const auto reader = stub->WatchEvents(&context, cv1::WatchEventsRequest());
    cv1::Event event;
    while (reader->Read(&event)) on_event(WriteJson(event));
    reader->Finish();
    lock.lock();
    watch = nullptr;
    idle.wait_for(lock, kRetry, [this] { return stopping; });
  }
}

GraphControl::GraphControl(const std::string& address) : impl_(std::make_unique<Impl>(address)) {}

GraphControl::~GraphControl() {
  impl_->Stop();
  if (impl_->watcher.joinable()) impl_->watcher.join();
}

void GraphControl::Call(const std::string& method, absl::string_view request_json, Answer answer) {
  auto call = std::make_shared<Impl::Pending>();
  call->method = FindMethod(method);
  if (call->method == nullptr) {
    return answer(absl::NotFoundError(absl::StrCat("there is no call ", method)));
  }
  std::unique_ptr<pb::Message> request = New(call->method->input_type());
  const auto parsed =
      pb::util::JsonStringToMessage({request_json.data(), request_json.size()}, request.get());
  if (!parsed.ok()) {
    return answer(absl::InvalidArgumentError(
        absl::StrCat("not the JSON of ", request->GetDescriptor()->name(), ": ",
                     absl::string_view(parsed.message().data(), parsed.message().size()))));
  }
  const grpc::Slice slice(request->SerializeAsString());
  call->request = grpc::ByteBuffer(&slice, 1);
  call->answer = std::move(answer);
  call->context.set_deadline(std::chrono::system_clock::now() + kCallTimeout);
  if (!impl_->Begin(call.get()))
    return call->answer(absl::CancelledError("the server is stopping"));
  const std::string path =
      absl::StrCat("/", call->method->service()->full_name(), "/", call->method->name());
  impl_->generic.UnaryCall(&call->context, path, {}, &call->request, &call->reply,
                           [impl = impl_.get(), call](const grpc::Status& status) {
                             call->answer(status.ok()
                                              ? ReadReply(*call->method, &call->reply)
                                              : absl::StatusOr<std::string>(FromGrpc(status)));
                             impl->End(call.get());
                           });
}

void GraphControl::Watch(std::function<void(std::string)> on_event) {
  impl_->watcher = std::thread(
      [impl = impl_.get(), on_event = std::move(on_event)] { impl->RunWatch(on_event); });
}

}  // namespace posewire::renderer_sink
