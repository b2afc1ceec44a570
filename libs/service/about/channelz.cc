#include "libs/service/about/channelz.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>
#include <grpc/grpc.h>
#include <grpc/support/alloc.h>
#include <grpcpp/ext/channelz_service_plugin.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace posewire::service {
namespace {

using google::protobuf::Message;

// Debian ships the messages in this library without headers; this reference keeps them linked.
[[maybe_unused]] void (*volatile const kKeepsMessages)() =
    &grpc::channelz::experimental::InitChannelzService;

struct Method {
  const char* path;
  const char* message;  // followed by Request or Response
  // gRPC's answer as JSON, from fields 1 to 3 of the request; null: not found
  char* (*ask)(int64_t a, int64_t b, int64_t c);
};

constexpr Method kMethods[] = {
    {"/grpc.channelz.v1.Channelz/GetTopChannels", "grpc.channelz.v1.GetTopChannels",
     [](int64_t start, int64_t, int64_t) { return grpc_channelz_get_top_channels(start); }},
    {"/grpc.channelz.v1.Channelz/GetServers", "grpc.channelz.v1.GetServers",
     [](int64_t start, int64_t, int64_t) { return grpc_channelz_get_servers(start); }},
    {"/grpc.channelz.v1.Channelz/GetServer", "grpc.channelz.v1.GetServer",
     [](int64_t id, int64_t, int64_t) { return grpc_channelz_get_server(id); }},
    {"/grpc.channelz.v1.Channelz/GetServerSockets", "grpc.channelz.v1.GetServerSockets",
     [](int64_t id, int64_t start, int64_t most) {
       return grpc_channelz_get_server_sockets(id, start, most);
     }},
    {"/grpc.channelz.v1.Channelz/GetChannel", "grpc.channelz.v1.GetChannel",
     [](int64_t id, int64_t, int64_t) { return grpc_channelz_get_channel(id); }},
    {"/grpc.channelz.v1.Channelz/GetSubchannel", "grpc.channelz.v1.GetSubchannel",
     [](int64_t id, int64_t, int64_t) { return grpc_channelz_get_subchannel(id); }},
    {"/grpc.channelz.v1.Channelz/GetSocket", "grpc.channelz.v1.GetSocket",
     [](int64_t id, int64_t, int64_t) { return grpc_channelz_get_socket(id); }},
};

std::unique_ptr<Message> MakeMessage(const std::string& name) {
  const auto* const type =
      google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(name);
  if (type == nullptr) return nullptr;
  return std::unique_ptr<Message>(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

int64_t NumberIn(const Message& message, int field) {
  const auto* const of = message.GetDescriptor()->FindFieldByNumber(field);
  const bool number =
      of != nullptr && of->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_INT64;
  return number ? message.GetReflection()->GetInt64(message, of) : 0;
}

}  // namespace

const std::vector<const char*>& ChannelzMethods() {
  static const std::vector<const char*> paths = [] {
    std::vector<const char*> out;
    for (const Method& method : kMethods) out.push_back(method.path);
    return out;
  }();
  return paths;
}

absl::StatusOr<std::string> AnswerChannelz(absl::string_view path, const std::string& request) {
  const auto* const method = std::find_if(std::begin(kMethods), std::end(kMethods),
                                          [&](const Method& m) { return path == m.path; });
  if (method == std::end(kMethods)) return absl::UnimplementedError("");
  const auto asked = MakeMessage(absl::StrCat(method->message, "Request"));
  const auto answer = MakeMessage(absl::StrCat(method->message, "Response"));
  if (asked == nullptr || answer == nullptr) {
    return absl::UnimplementedError("the messages of channelz are not linked");
  }
  if (!asked->ParseFromString(request)) {
    return absl::InvalidArgumentError(absl::StrCat("the message is no ", asked->GetTypeName()));
  }
  const std::unique_ptr<char, void (*)(void*)> json(
      method->ask(NumberIn(*asked, 1), NumberIn(*asked, 2), NumberIn(*asked, 3)), gpr_free);
  if (json == nullptr) return absl::NotFoundError("gRPC knows nothing of this number");
  if (!google::protobuf::util::JsonStringToMessage(json.get(), answer.get()).ok()) {
    return absl::InternalError("gRPC's own answer cannot be read");
  }
  return answer->SerializeAsString();
}

}  // namespace posewire::service
