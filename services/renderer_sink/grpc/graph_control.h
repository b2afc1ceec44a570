// anim_graph's ControlService by method name and JSON, for the page of `renderer_sink view`.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_GRPC_GRAPH_CONTROL_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_GRPC_GRAPH_CONTROL_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/client/connection.h"
#include "libs/service/logger.h"

namespace posewire::renderer_sink {

// Thread-safe. The destructor cancels what is under way and waits for it.
class GraphControl {
 public:
  // Gets the reply as JSON, field names as in the .proto file; called once, on any thread. The
  // server's own errors pass through; UNAVAILABLE when it is not there.
  using Answer = std::function<void(absl::StatusOr<std::string> json)>;

  // No call is made yet.
  GraphControl(const client::ConnectionOptions& connection, service::Logger log);
  ~GraphControl();
  GraphControl(const GraphControl&) = delete;
  GraphControl& operator=(const GraphControl&) = delete;

  // Any unary method of posewire.control.v1.ControlService, within 3 s. NOT_FOUND for another
  // name, INVALID_ARGUMENT for what is not the JSON of its request.
  void Call(const std::string& method, absl::string_view request_json, Answer answer);

  // WatchEvents of all streams from now on, over reconnections. `on_event` gets each event as JSON,
  // on one thread of this object. Called once.
  void Watch(std::function<void(std::string event_json)> on_event);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_GRPC_GRAPH_CONTROL_H_
