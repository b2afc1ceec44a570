// The control API over one WebSocket: calls by name, and events.
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
// Methods are those of posewire.control.v1.ControlService, params their requests. "jsonrpc" may be
// missing; without an id nothing is answered. An error has JSON-RPC's code, a message, and in
// "data" the name of the status, such as {"status":"NOT_FOUND"}. Answers may come in another order
// than the calls. After WatchEvents each event comes as
// {"jsonrpc":"2.0","method":"Event","params":{...}}, until UnwatchEvents; a second WatchEvents
// takes the place of the first. Thread-safe.
class SocketApi : public service::WebSocketEndpoint {
 public:
  // Calls under way on one connection; more are refused with RESOURCE_EXHAUSTED.
  static constexpr int kMostCalls = 64;

  // `control` outlives this.
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
    std::atomic<int> calls = 0;         // under way
    std::atomic<bool> pumping = false;  // a task that sends events is posted
    std::mutex mutex;
    std::shared_ptr<EventHub::Watch> watch;  // guarded by mutex
  };
  // One call of it.
  struct Asked {
    std::string id;  // as JSON; empty: no answer is wanted
    std::string method;
    std::string params;  // as JSON
  };

  static absl::Status Parse(const std::string& message, Asked* asked);
  void Watch(const std::shared_ptr<Client>& client, const Asked& asked);
  static void PostPump(const std::weak_ptr<Client>& client,
                       const std::weak_ptr<service::TaskThread>& answers);
  static void Pump(Client& client);
  static void Answer(Client& client, const std::string& id, absl::string_view result);
  static void Refuse(Client& client, const std::string& id, int code, const absl::Status& status);

  Control* const control_;
  const std::shared_ptr<service::TaskThread> answers_;
  std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Client>> clients_;  // guarded by mutex_
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_SOCKET_API_H_
