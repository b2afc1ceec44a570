// Whatever bytes come to the HTTP port, what goes back is HTTP, and on a WebSocket whole frames
// with answers in JSON; and the next client is served. A whole HttpApi behind a socket, with an
// engine. A libFuzzer target in the fuzz preset; elsewhere its corpus is replayed as a test.
//
// An input is one byte that chooses what is made of the rest: bytes as they are; the target (two
// bytes of length, the lower first) and then the body of a call; the frames of a WebSocket as
// bytes; or its messages (each a byte for kind and pieces, two of length), in frames as clients
// send them.
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/stubs/logging.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/service/connection_table.h"
#include "services/anim_graph/config.h"
#include "services/anim_graph/http/call_json.h"
#include "services/anim_graph/http/http_api.h"
#include "tests/fuzz/input.h"
#include "tests/unit/anim_graph/bell_waiter.h"
#include "tests/unit/service/http_client.h"

namespace posewire::anim_graph {
namespace {

[[noreturn]] void Fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  std::abort();
}

// As main.cc puts it together, without gRPC. Never ends.
class Server {
 public:
  Server() {
    events_ = std::make_unique<EventHub>(nullptr);
    made_.parts.observer = events_.get();
    workers_ = std::make_unique<Workers>(1, made_.parts);
    workers_->all()[0]->Start(std::make_unique<BellWaiter>());
    CallParts parts{workers_.get(), &authorizer_, &directory_, {}};
    parts.capacity = made_.parts.capacity;
    control_ = std::make_unique<Control>(parts, made_.graphs.get(), events_.get());
    readiness_ = std::make_unique<Readiness>(made_.parts);
    metrics_ = std::make_unique<Metrics>(workers_.get(), parts.capacity, &connections_,
                                         &directory_.counters(), &relayed_, log_);
    service::HttpOptions options{.listen = "127.0.0.1:0"};
    options.max_body_bytes = 64 << 10;
    options.max_websocket_message_bytes = 16 << 10;
    auto api = HttpApi::Start(options, control_.get(), readiness_.get(), metrics_.get(), "1", log_);
    if (!api.ok()) Fail("no server", api.status().ToString());
    api_ = *std::move(api);
  }

  int port() const { return api_->port(); }

 private:
  const service::Logger log_;
  Made made_ = *MakeParts(Config());
  std::unique_ptr<EventHub> events_;
  std::unique_ptr<Workers> workers_;
  stream::AllowAll authorizer_;
  AllHere directory_;
  RelayCounts relayed_;
  std::unique_ptr<Control> control_;
  std::unique_ptr<Readiness> readiness_;
  service::ConnectionTable connections_;
  std::unique_ptr<Metrics> metrics_;
  std::unique_ptr<HttpApi> api_;
};

// Of a client: masked, with a mask of zeros.
std::string Frame(int first, const std::string& payload) {
  std::string frame(1, static_cast<char>(first));
  if (payload.size() < 126) {
    frame += static_cast<char>(0x80 | payload.size());
  } else {
    frame += {static_cast<char>(0x80 | 126), static_cast<char>(payload.size() >> 8),
              static_cast<char>(payload.size() & 255)};
  }
  return frame + std::string(4, '\0') + payload;
}

// A message for each byte that says how: text, bytes, ping, pong or close, in one piece or two.
std::string Messages(FuzzInput* in) {
  static constexpr std::array kOpcodes = {1, 1, 1, 2, 9, 10, 8, 1};
  std::string frames;
  while (!in->done()) {
    const uint8_t how = in->Byte();
    const int opcode = kOpcodes[how % kOpcodes.size()];
    const std::string text = in->Text();
    if ((how & 8) == 0) {
      frames += Frame(0x80 | opcode, text);
    } else {
      const size_t cut = text.size() / 2;
      frames += Frame(opcode, text.substr(0, cut)) + Frame(0x80, text.substr(cut));
    }
  }
  return frames;
}

std::string Call(FuzzInput* in) {
  static constexpr std::array kMethods = {"GET", "PUT", "POST", "DELETE", "HEAD", "OPTIONS"};
  const char* const method = kMethods[in->Choose(kMethods.size())];
  const std::string target = in->Text();
  const std::string body = in->Rest();
  return absl::StrCat(method, " ", target,
                      " HTTP/1.1\r\nHost: localhost\r\nContent-Length: ", body.size(), "\r\n\r\n",
                      body);
}

// What a server says on a WebSocket: whole frames of the shortest form, unmasked, answers in JSON.
void CheckFrames(service::HttpClient* client) {
  for (service::HttpClient::Frame frame = client->ReadFrame(); frame.opcode >= 0;
       frame = client->ReadFrame()) {
    if (frame.opcode >= 8 && frame.opcode <= 10) continue;  // close, ping, pong
    google::protobuf::Struct answer;
    if (frame.opcode != 1 || !ReadJson(frame.payload, &answer).ok() ||
        answer.fields().count("jsonrpc") == 0) {
      Fail("this is no answer", frame.payload);
    }
  }
}

void Take(const uint8_t* data, size_t size) {
  static const Server& server = *new Server();
  FuzzInput in(data, size);
  const size_t kind = in.Choose(4);
  service::HttpClient client(server.port());
  if (!client.connected()) Fail("nobody answers", "");
  if (kind < 2) {
    client.Send(kind == 0 ? in.Rest() : Call(&in));
    client.EndSending();
    const std::string replies = client.ReadUntil("");
    if (!replies.empty() && !absl::StartsWith(replies, "HTTP/1.")) Fail("no HTTP", replies);
    return;
  }
  if (client.OpenWebSocket("/ws").status != 101) Fail("no WebSocket", "");
  client.Send(kind == 2 ? in.Rest() : Messages(&in));
  client.EndSending();
  CheckFrames(&client);
}

}  // namespace
}  // namespace posewire::anim_graph

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const google::protobuf::LogSilencer silence;
  posewire::anim_graph::Take(data, size);
  return 0;
}
