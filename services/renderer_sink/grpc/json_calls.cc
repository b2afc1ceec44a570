#include "services/renderer_sink/grpc/json_calls.h"

#include <google/protobuf/util/json_util.h>
#include <grpcpp/generic/generic_stub.h>

#include <atomic>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/client/channel.h"
#include "libs/client/open_calls.h"
#include "libs/service/contain.h"
#include "services/renderer_sink/grpc/message_json.h"

namespace posewire::renderer_sink {
namespace {

namespace pb = google::protobuf;

// At once; a page has one or two. Keeps who asks faster than answers come from filling the memory.
constexpr int kMostCalls = 256;

std::unique_ptr<pb::Message> New(const pb::Descriptor* type) {
  return std::unique_ptr<pb::Message>(
      pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

// Of the request's own field: JSON may name it twice, in two spellings.
std::optional<std::string> StreamIdOf(const pb::Message& request) {
  const pb::FieldDescriptor* field = request.GetDescriptor()->FindFieldByName("stream_id");
  if (field == nullptr) return std::nullopt;
  return request.GetReflection()->GetString(request, field);
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

struct JsonCalls::Impl {
  // One call under way.
  struct Pending {
    grpc::ClientContext context;
    grpc::ByteBuffer request, reply;
    const pb::MethodDescriptor* method = nullptr;
    Answer answer;
  };

  explicit Impl(const JsonCallOptions& o)
      : options(o), channel(client::MakeCallChannel(o.connection)), generic(channel) {}

  const pb::MethodDescriptor* Find(const std::string& name) const {
    const pb::MethodDescriptor* method =
        pb::DescriptorPool::generated_pool()->FindMethodByName(options.service + "." + name);
    const bool unary =
        method != nullptr && !method->server_streaming() && !method->client_streaming();
    return unary ? method : nullptr;
  }
  absl::Status FromGrpc(const grpc::Status& status) const {
    const auto code = static_cast<absl::StatusCode>(status.error_code());
    // A server that answers with the same codes itself is there.
    const bool there = channel->GetState(false) == GRPC_CHANNEL_READY;
    const bool away = code == absl::StatusCode::kUnavailable && !there;
    if (!away && code != absl::StatusCode::kDeadlineExceeded) {
      return absl::Status(code, status.error_message());
    }
    return absl::Status(code, absl::StrCat(options.server, " at ", options.connection.address,
                                           " does not answer: ", status.error_message()));
  }

  const JsonCallOptions options;
  const std::shared_ptr<grpc::Channel> channel;
  grpc::GenericStub generic;
  std::atomic<int> open = 0;  // calls
  client::OpenCalls calls;
};

JsonCalls::JsonCalls(const JsonCallOptions& options) : impl_(std::make_unique<Impl>(options)) {}

JsonCalls::~JsonCalls() { impl_->calls.CancelAll(); }

void JsonCalls::Call(const std::string& method, absl::string_view request_json, Answer answer,
                     const MayCall& may_call) {
  auto call = std::make_shared<Impl::Pending>();
  call->method = impl_->Find(method);
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
  if (may_call) {
    if (absl::Status s = may_call(StreamIdOf(*request)); !s.ok()) return answer(s);
  }
  const grpc::Slice slice(request->SerializeAsString());
  call->request = grpc::ByteBuffer(&slice, 1);
  call->answer = std::move(answer);
  call->context.set_deadline(
      std::chrono::system_clock::now() +
      std::chrono::milliseconds(static_cast<int64_t>(impl_->options.timeout_s * 1000)));
  if (impl_->open.fetch_add(1) >= kMostCalls) {
    --impl_->open;
    return call->answer(absl::ResourceExhaustedError(
        absl::StrCat(kMostCalls, " calls are under way, which is the most; call later")));
  }
  if (!impl_->calls.Begin(&call->context)) {
    --impl_->open;
    return call->answer(absl::CancelledError("the server is stopping"));
  }
  const std::string path =
      absl::StrCat("/", call->method->service()->full_name(), "/", call->method->name());
  impl_->generic.UnaryCall(
      &call->context, path, {}, &call->request, &call->reply,
      [impl = impl_.get(), call](const grpc::Status& status) {
        --impl->open;
        (void)service::Contain(impl->options.log, call->method->full_name(), [&] {
          call->answer(status.ok() ? ReadReply(*call->method, &call->reply)
                                   : absl::StatusOr<std::string>(impl->FromGrpc(status)));
        });
        impl->calls.End(&call->context);
      });
}

}  // namespace posewire::renderer_sink
