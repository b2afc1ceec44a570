// The control API over one WebSocket: calls by method name, and events.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_SOCKET_API_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_SOCKET_API_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "libs/service/http/web_socket.h"
#include "libs/service/task_thread.h"
#include "services/anim_graph/runtime/control.h"

namespace posewire::anim_graph {

// JSON-RPC 2.0 in text messages, one call each:
//   -> {"jsonrpc": "2.0", "id": 1, "method": "SetVariable",
//       "params": {"stream_id": "s1", "name": "posture_state", "value": "Talking"}}
//   <- {"jsonrpc":"2.0","id":1,"result":{"avatars":1,"value":"Talking","note":""}}
// The methods are those of posewire.control.v1.ControlService; params is the request message.
// "jsonrpc" may be missing. A call without an id gets no response. An error has JSON-RPC's error
// code, a message, and in "data" the name of the status, such as {"status":"NOT_FOUND"}. Responses
// may arrive in another order than the calls. After WatchEvents, each event is sent as
// {"jsonrpc":"2.0","method":"Event","params":{...}}, until UnwatchEvents. A second WatchEvents
// replaces the first. Thread-safe.
class SocketApi : public service::WebSocketEndpoint {
 public:
  // Concurrent calls per connection. Further calls are rejected with RESOURCE_EXHAUSTED.
  static constexpr int kMostCalls = 64;

  // `control` must outlive this.
  SocketApi(Control* control, std::shared_ptr<service::TaskThread> answers)
      : control_(control), answers_(std::move(answers)) {}

  void OnOpen(const std::shared_ptr<service::WebSocket>& socket) override;
  void OnMessage(const std::shared_ptr<service::WebSocket>& socket, std::string message,
                 bool is_text) override;
  void OnClose(const std::shared_ptr<service::WebSocket>& socket) override;

 private:
  // One connection.
  struct Client {
    std::shared_ptr<service::WebSocket> socket;
    stream::Caller caller;
    std::atomic<int> calls = 0;         // calls in progress
    std::atomic<bool> pumping = false;  // a task that sends events is queued
    std::mutex mutex;
    std::shared_ptr<EventHub::Watch> watch;  // guarded by mutex
    uint64_t watches = 0;                    // changes of it that were asked for; guarded by mutex
  };
  // One call from a client.
  struct Asked {
    std::string id;  // as JSON; empty: no response is wanted
    std::string method;
    std::string params;  // as JSON
  };

  static absl::Status Parse(const std::string& message, Asked* asked);
  void Watch(const std::shared_ptr<Client>& client, const Asked& asked);
  static void PostPump(const std::weak_ptr<Client>& client,
                       const std::weak_ptr<service::TaskThread>& answers);
  static void Pump(Client& client);
  static void Answer(Client& client, const std::string& id, absl::string_view result);
  static void Reject(Client& client, const std::string& id, int code, const absl::Status& status);

  Control* const control_;
  const std::shared_ptr<service::TaskThread> answers_;
  std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Client>> clients_;  // guarded by mutex_
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_SOCKET_API_H_
