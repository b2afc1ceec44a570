#include "services/renderer_sink/grpc/json_calls.h"

#include <google/protobuf/util/json_util.h>
#include <grpcpp/generic/generic_stub.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/client/channel.h"
#include "libs/client/open_calls.h"
#include "libs/service/catch_exceptions.h"
#include "services/renderer_sink/grpc/message_json.h"

namespace posewire::renderer_sink {
namespace {

namespace pb = google::protobuf;

// Maximum number of open calls; a page has one or two. Prevents clients that are faster than the
// responses from filling the memory.
constexpr int kMostCalls = 256;

std::unique_ptr<pb::Message> New(const pb::Descriptor* type) {
  return std::unique_ptr<pb::Message>(
      pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

// Reads the parsed field, because JSON may have it twice, in two spellings.
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
  class Stream;

  // One open call.
  struct Pending {
    grpc::ClientContext context;
    grpc::ByteBuffer request, reply;
    const pb::MethodDescriptor* method = nullptr;
    Answer answer;
  };

  explicit Impl(const JsonCallOptions& o)
      : options(o), channel(client::MakeCallChannel(o.connection)), generic(channel) {}

  const pb::MethodDescriptor* Find(const std::string& name, bool streams) const {
    const pb::MethodDescriptor* method =
        pb::DescriptorPool::generated_pool()->FindMethodByName(options.service + "." + name);
    const bool matches = method != nullptr && method->server_streaming() == streams &&
                         method->client_streaming() == streams;
    return matches ? method : nullptr;
  }
  // Counts a call, until Leave. RESOURCE_EXHAUSTED, CANCELLED.
  absl::Status Enter(grpc::ClientContext* context) {
    if (open.fetch_add(1) >= kMostCalls) {
      --open;
      return absl::ResourceExhaustedError(
          absl::StrCat(kMostCalls, " calls are open already, which is the limit; try again later"));
    }
    if (calls.Begin(context)) return absl::OkStatus();
    --open;
    return absl::CancelledError("the server is stopping");
  }
  void Leave(grpc::ClientContext* context, std::shared_ptr<const void> owner) {
    --open;
    calls.End(context, std::move(owner));
  }
  absl::Status FromGrpc(const grpc::Status& status) const {
    const auto code = static_cast<absl::StatusCode>(status.error_code());
    // A server that returns the same status codes itself is reachable.
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
  call->method = impl_->Find(method, /*streams=*/false);
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
  if (absl::Status s = impl_->Enter(&call->context); !s.ok()) return call->answer(s);
  const std::string path =
      absl::StrCat("/", call->method->service()->full_name(), "/", call->method->name());
  impl_->generic.UnaryCall(
      &call->context, path, {}, &call->request, &call->reply,
      [impl = impl_.get(), call](const grpc::Status& status) mutable {
        (void)service::CatchExceptions(impl->options.log, call->method->full_name(), [&] {
          call->answer(status.ok() ? ReadReply(*call->method, &call->reply)
                                   : absl::StatusOr<std::string>(impl->FromGrpc(status)));
        });
        call->answer = nullptr;
        call->reply.Clear();
        grpc::ClientContext* const context = &call->context;
        impl->Leave(context, std::move(call));
      });
}

// Keeps itself alive until OnDone. A hold prevents gRPC from calling that while something may still
// be written from outside.
class JsonCalls::Impl::Stream final
    : public JsonStream,
      public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Stream(Impl* impl, const pb::MethodDescriptor* method,
         std::function<void(std::string)> on_message,
         std::function<void(const absl::Status&)> on_end)
      : impl_(*impl),
        method_(*method),
        on_message_(std::move(on_message)),
        on_end_(std::move(on_end)) {}

  absl::Status Start(std::shared_ptr<Stream> self) {
    if (absl::Status s = impl_.Enter(&context_); !s.ok()) return s;
    self_ = std::move(self);
    const std::string path = absl::StrCat("/", method_.service()->full_name(), "/", method_.name());
    impl_.generic.PrepareBidiStreamingCall(&context_, path, {}, this);
    AddHold();
    StartRead(&in_);
    StartCall();
    return absl::OkStatus();
  }

  absl::Status Write(std::string serialized) override {
    std::lock_guard lock(mutex_);
    if (closed_) return absl::CancelledError("the call is over");
    if (bytes_ + serialized.size() > kMostBytes) {
      return absl::ResourceExhaustedError(absl::StrCat(
          kMostBytes, " bytes already wait to be sent on, which is the limit; send slower"));
    }
    bytes_ += serialized.size();
    out_.push_back(std::move(serialized));
    if (!writing_) WriteNext();
    return absl::OkStatus();
  }

  void End() override {
    std::lock_guard lock(mutex_);
    if (closed_) return;
    closed_ = ending_ = true;
    if (!writing_) StartWritesDone();
  }

  void Cancel() override { context_.TryCancel(); }

 private:
  // These two require mutex_.
  void WriteNext() {
    const grpc::Slice slice(out_.front());
    sent_ = grpc::ByteBuffer(&slice, 1);
    writing_ = true;
    StartWrite(&sent_);
  }
  void Release() {
    if (std::exchange(held_, false)) RemoveHold();
  }

  void OnWriteDone(bool ok) override {
    std::lock_guard lock(mutex_);
    writing_ = false;
    bytes_ -= out_.front().size();
    out_.pop_front();
    if (ok && !out_.empty()) return WriteNext();
    if (ok && ending_) return StartWritesDone();
    if (!ok) closed_ = true;
    if (closed_) Release();
  }
  void OnWritesDoneDone(bool) override {
    std::lock_guard lock(mutex_);
    Release();
  }
  void OnReadDone(bool ok) override {
    if (!ok) {
      std::lock_guard lock(mutex_);
      closed_ = true;
      if (!writing_ && !ending_) Release();
      return;
    }
    (void)service::CatchExceptions(impl_.options.log, method_.full_name(), [&] {
      const std::unique_ptr<pb::Message> message = New(method_.output_type());
      grpc::Slice slice;
      if (!in_.TrySingleSlice(&slice).ok() && !in_.DumpToSingleSlice(&slice).ok()) return;
      if (!message->ParseFromArray(slice.begin(), static_cast<int>(slice.size()))) return;
      on_message_(WriteSetJson(*message));
    });
    StartRead(&in_);
  }
  void OnDone(const grpc::Status& status) override {
    (void)service::CatchExceptions(impl_.options.log, method_.full_name(), [&] {
      on_end_(status.ok() ? absl::OkStatus() : impl_.FromGrpc(status));
    });
    on_message_ = nullptr;
    on_end_ = nullptr;
    impl_.Leave(&context_, std::move(self_));
  }

  Impl& impl_;
  const pb::MethodDescriptor& method_;
  std::function<void(std::string)> on_message_;
  std::function<void(const absl::Status&)> on_end_;
  grpc::ClientContext context_;
  grpc::ByteBuffer in_, sent_;  // owned by gRPC while it reads and writes
  std::shared_ptr<Stream> self_;
  std::mutex mutex_;
  // All below is guarded by mutex_.
  std::deque<std::string> out_;  // the first one is being written
  size_t bytes_ = 0;
  bool writing_ = false, closed_ = false, ending_ = false, held_ = true;
};

absl::StatusOr<std::shared_ptr<JsonStream>> JsonCalls::Open(
    const std::string& method, std::function<void(std::string json)> on_message,
    std::function<void(const absl::Status&)> on_end) {
  const pb::MethodDescriptor* found = impl_->Find(method, /*streams=*/true);
  if (found == nullptr) return absl::NotFoundError(absl::StrCat("there is no call ", method));
  auto stream =
      std::make_shared<Impl::Stream>(impl_.get(), found, std::move(on_message), std::move(on_end));
  if (absl::Status s = stream->Start(stream); !s.ok()) return s;
  return stream;
}

}  // namespace posewire::renderer_sink
