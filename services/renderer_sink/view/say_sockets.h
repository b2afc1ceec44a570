// Serves SayStream to pages: each WebSocket is one text that is still being written, or one voice
// that is still being made.
//
// A text message is a SayPart as JSON, a binary message the samples of a SaySound. Each SayEvent is
// returned as JSON. The socket is closed when the text has ended; if a page closes it, the avatar
// stops. docs/sources-and-sinks.md documents the protocol and the close codes.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SAY_SOCKETS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SAY_SOCKETS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "libs/service/http/web_socket.h"
#include "services/renderer_sink/grpc/json_calls.h"
#include "services/renderer_sink/view/login.h"

namespace posewire::renderer_sink {

// Thread-safe.
class SaySockets : public service::WebSocketEndpoint {
 public:
  // Both must outlive this. Without a `login`, all visitors may speak.
  SaySockets(JsonCalls* source, Login* login) : source_(*source), login_(login) {}

  void OnOpen(const std::shared_ptr<service::WebSocket>& socket) override;
  void OnMessage(const std::shared_ptr<service::WebSocket>& socket, std::string message,
                 bool is_text) override;
  void OnClose(const std::shared_ptr<service::WebSocket>& socket) override;
  // Ends texts of visitors who have lost the permission. Call each second.
  void CheckRights();

 private:
  struct Saying {
    std::shared_ptr<service::WebSocket> socket;
    std::shared_ptr<JsonStream> call;
    Visitor visitor;
    bool begun = false;     // its begin was accepted
    std::string stream_id;  // named in its begin; guarded by mutex_
  };
  // Sends a message of the page to the source. PERMISSION_DENIED and other errors as in
  // Login::MayCall, INVALID_ARGUMENT for a message that is not a SayPart, and the errors of
  // JsonStream::Write.
  absl::Status Take(Saying& saying, std::string message, bool is_text);

  // Removes the text of a socket; null if there is none.
  std::shared_ptr<Saying> Forget(const service::WebSocket& socket);

  JsonCalls& source_;
  Login* const login_;
  std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Saying>> sayings_;  // by socket; guarded by mutex_
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SAY_SOCKETS_H_
