// SayStream for pages: a WebSocket for each text that is still being written, or voice that is
// still being made.
//
// A text message is a SayPart as JSON, a binary one the samples of a SaySound; each SayEvent comes
// back as JSON. The socket is closed when the text is over; one that the page closes stops the
// avatar. docs/source.md tells of both.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SAY_SOCKETS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SAY_SOCKETS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "libs/service/http/web_socket.h"
#include "services/renderer_sink/grpc/json_calls.h"
#include "services/renderer_sink/view/login.h"

namespace posewire::renderer_sink {

// Thread-safe.
class SaySockets : public service::WebSocketEndpoint {
 public:
  // Both outlive this; `login` may be null: everyone may speak.
  SaySockets(JsonCalls* source, Login* login) : source_(*source), login_(login) {}

  void OnOpen(const std::shared_ptr<service::WebSocket>& socket) override;
  void OnMessage(const std::shared_ptr<service::WebSocket>& socket, std::string message,
                 bool is_text) override;
  void OnClose(const std::shared_ptr<service::WebSocket>& socket) override;

 private:
  struct Saying {
    std::shared_ptr<JsonStream> call;
    Visitor visitor;
    bool begun = false;
  };
  absl::Status Take(Saying& saying, std::string message, bool is_text);

  JsonCalls& source_;
  Login* const login_;
  std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Saying>> sayings_;  // by socket; guarded by mutex_
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SAY_SOCKETS_H_
