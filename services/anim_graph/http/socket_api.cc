#include "services/anim_graph/http/socket_api.h"

#include <google/protobuf/struct.pb.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/service/access/token_table.h"
#include "services/anim_graph/http/call_json.h"
#include "services/anim_graph/http/json_writer.h"

namespace posewire::anim_graph {
namespace {

// Error codes of JSON-RPC 2.0. Its range for servers begins at -32000.
constexpr int kNoJson = -32700;
constexpr int kNoRequest = -32600;
constexpr int kNoMethod = -32601;
constexpr int kBadParams = -32602;
constexpr int kFailed = -32000;

using google::protobuf::Value;

const Value* Member(const google::protobuf::Struct& object, const char* name) {
  const auto at = object.fields().find(name);
  return at == object.fields().end() ? nullptr : &at->second;
}

int CodeOf(const absl::Status& status) {
  return absl::IsInvalidArgument(status) ? kBadParams : kFailed;
}

}  // namespace

void SocketApi::OnOpen(const std::shared_ptr<service::WebSocket>& socket) {
  auto client = std::make_shared<Client>();
  client->socket = socket;
  const service::HttpRequest& request = socket->request();
  client->caller = service::CallerOf(request.peer, request.Header("authorization"));
  client->caller.authorization = std::string(request.Header("authorization"));
  // 1008: policy violation.
  const absl::Status s = control_->MayCall("ListStreams", client->caller).status();
  if (absl::IsUnauthenticated(s)) socket->Close(1008, std::string(s.message()).substr(0, 120));
  std::lock_guard lock(mutex_);
  clients_[socket->id()] = std::move(client);
}

void SocketApi::OnClose(const std::shared_ptr<service::WebSocket>& socket) {
  std::shared_ptr<Client> client;
  {
    std::lock_guard lock(mutex_);
    client = std::move(clients_.extract(socket->id()).mapped());
  }
  std::lock_guard lock(client->mutex);
  client->watch = nullptr;
  ++client->watches;
}

absl::Status SocketApi::Parse(const std::string& message, Asked* asked) {
  google::protobuf::Struct call;
  if (absl::Status s = ReadJson(message, &call); !s.ok()) {
    return absl::DataLossError("the message is not a JSON object");
  }
  if (const Value* id = Member(call, "id"); id != nullptr) {
    if (id->kind_case() != Value::kStringValue && id->kind_case() != Value::kNumberValue) {
      return absl::InvalidArgumentError("id must be a string or a number");
    }
    asked->id = WriteJson(*id);
  }
  const Value* method = Member(call, "method");
  if (method == nullptr || method->kind_case() != Value::kStringValue) {
    return absl::InvalidArgumentError("method is missing, or is not a string");
  }
  asked->method = method->string_value();
  const Value* params = Member(call, "params");
  if (params == nullptr) return absl::OkStatus();
  if (params->kind_case() != Value::kStructValue) {
    return absl::InvalidArgumentError("params must be an object");
  }
  asked->params = WriteJson(params->struct_value());
  return absl::OkStatus();
}

void SocketApi::OnMessage(const std::shared_ptr<service::WebSocket>& socket, std::string message,
                          bool is_text) {
  std::shared_ptr<Client> client;
  {
    std::lock_guard lock(mutex_);
    client = clients_[socket->id()];
  }
  Asked asked;
  absl::Status status =
      is_text ? Parse(message, &asked)
              : absl::DataLossError("a call must be a text message, not a binary one");
  if (!status.ok()) {
    const bool no_json = absl::IsDataLoss(status);
    return Reject(*client, asked.id.empty() ? "null" : asked.id, no_json ? kNoJson : kNoRequest,
                  absl::InvalidArgumentError(status.message()));
  }
  if (asked.method == "WatchEvents") return Watch(client, asked);
  if (asked.method == "UnwatchEvents") {
    {
      std::lock_guard lock(client->mutex);
      client->watch = nullptr;
      ++client->watches;
    }
    return Answer(*client, asked.id, "{}");
  }
  auto call = MakeControlCall(asked.method);
  if (!call.ok()) return Reject(*client, asked.id, kNoMethod, call.status());
  status = ReadJson(asked.params, (*call)->request.get());
  if (!status.ok()) return Reject(*client, asked.id, kBadParams, status);
  if (client->calls.fetch_add(1) >= kMostCalls) {
    --client->calls;
    return Reject(*client, asked.id, kFailed,
                  absl::ResourceExhaustedError(absl::StrCat(
                      "there are ", kMostCalls, " calls under way; wait for their answers")));
  }
  ControlCall& c = **call;
  c.place = stream::Reservation(&control_->parts().capacity->calls);
  if (absl::Status s = c.place.Take(); !s.ok()) {
    control_->LogRejection(client->caller.peer, s);
    --client->calls;
    return Reject(*client, asked.id, kFailed, s);
  }
  control_->Call(c.method, client->caller, *c.request, c.response.get(),
                 [client, call = *std::move(call), answers = answers_,
                  id = std::move(asked.id)](const absl::Status& done) mutable {
                   answers->Post([client = std::move(client), call = std::move(call),
                                  id = std::move(id), done] {
                     --client->calls;
                     if (!done.ok()) return Reject(*client, id, CodeOf(done), done);
                     Answer(*client, id, WriteJson(*call->response));
                   });
                 });
}

void SocketApi::Watch(const std::shared_ptr<Client>& client, const Asked& asked) {
  cv1::WatchEventsRequest request;
  absl::Status status = ReadJson(asked.params, &request);
  if (!status.ok()) return Reject(*client, asked.id, kBadParams, status);
  uint64_t number = 0;
  {
    std::lock_guard lock(client->mutex);
    number = ++client->watches;
  }
  control_->Watch(
      request.stream_id(), client->caller,
      [weak = std::weak_ptr<Client>(client),
       answers = std::weak_ptr<service::TaskThread>(answers_)] { PostPump(weak, answers); },
      [client, number, id = asked.id, answers = answers_](Control::Watching watch) {
        if (!watch.ok()) return Reject(*client, id, CodeOf(watch.status()), watch.status());
        // Answer first, because an event may already be available.
        Answer(*client, id, "{}");
        {
          std::lock_guard lock(client->mutex);
          // Unless a later WatchEvents or UnwatchEvents was answered before.
          if (client->watches == number) client->watch = *std::move(watch);
        }
        PostPump(client, answers);
      });
}

void SocketApi::PostPump(const std::weak_ptr<Client>& client,
                         const std::weak_ptr<service::TaskThread>& answers) {
  const std::shared_ptr<Client> there = client.lock();
  const std::shared_ptr<service::TaskThread> thread = answers.lock();
  if (there == nullptr || thread == nullptr || there->pumping.exchange(true)) return;
  thread->Post([there] { Pump(*there); });
}

void SocketApi::Pump(Client& client) {
  client.pumping = false;
  std::shared_ptr<EventHub::Watch> watch;
  {
    std::lock_guard lock(client.mutex);
    watch = client.watch;
  }
  while (watch != nullptr) {
    const std::optional<cv1::Event> event = watch->Take();
    if (!event) {
      // 1001: going away.
      const auto why = watch->over();
      if (why) client.socket->Close(1001, std::string(why->message()).substr(0, 120));
      return;
    }
    const bool sent = client.socket->Send(
        absl::StrCat(R"({"jsonrpc":"2.0","method":"Event","params":)", WriteJson(*event), "}"));
    if (!sent) return;
  }
}

void SocketApi::Answer(Client& client, const std::string& id, absl::string_view result) {
  if (id.empty()) return;
  client.socket->Send(absl::StrCat(R"({"jsonrpc":"2.0","id":)", id, R"(,"result":)", result, "}"));
}

void SocketApi::Reject(Client& client, const std::string& id, int code,
                       const absl::Status& status) {
  if (id.empty()) return;
  JsonWriter out;
  out.Open('{').Pair("jsonrpc", "2.0").Key("id").Raw(id).Key("error").Open('{');
  out.Key("code").Raw(absl::StrCat(code)).Pair("message", status.message());
  out.Key("data").Open('{').Pair("status", absl::StatusCodeToString(status.code())).Close('}');
  out.Close('}').Close('}');
  client.socket->Send(out.Take());
}

}  // namespace posewire::anim_graph
