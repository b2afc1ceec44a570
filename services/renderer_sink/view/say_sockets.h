// Serves SayStream to pages: one WebSocket is one text that is still being written, or one voice
// that is still being made.
//
// A text message is a SayPart as JSON, a binary message the samples of a SaySound. Each SayEvent
// comes back as JSON. The socket is closed when the text has ended; a page that closes it stops the
// avatar. docs/sources-and-sinks.md documents the protocol and the codes of closing.
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
  // Both outlive this. Without a `login`, everyone may speak.
  SaySockets(JsonCalls* source, Login* login) : source_(*source), login_(login) {}

  void OnOpen(const std::shared_ptr<service::WebSocket>& socket) override;
  void OnMessage(const std::shared_ptr<service::WebSocket>& socket, std::string message,
                 bool is_text) override;
  void OnClose(const std::shared_ptr<service::WebSocket>& socket) override;
  // Ends what is said by those who may not any more. For a call each second.
  void CheckRights();

 private:
  struct Saying {
    std::shared_ptr<service::WebSocket> socket;
    std::shared_ptr<JsonStream> call;
    Visitor visitor;
    bool begun = false;     // its begin was admitted
    std::string stream_id;  // that begin named; guarded by mutex_
  };
  // Sends a message of the page to the source. PERMISSION_DENIED and others as of Login::MayCall,
  // INVALID_ARGUMENT for what is no SayPart, and as of JsonStream::Write.
  absl::Status Take(Saying& saying, std::string message, bool is_text);

  // Removes what is said over a socket; null if there is nothing.
  std::shared_ptr<Saying> Forget(const service::WebSocket& socket);

  JsonCalls& source_;
  Login* const login_;
  std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Saying>> sayings_;  // by socket; guarded by mutex_
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_SAY_SOCKETS_H_
