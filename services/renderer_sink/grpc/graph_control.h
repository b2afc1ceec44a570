// Calls anim_graph's ControlService by method name and JSON, for the page of `renderer_sink view`.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_GRPC_GRAPH_CONTROL_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_GRPC_GRAPH_CONTROL_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/client/connection.h"
#include "libs/service/logger.h"
#include "services/renderer_sink/grpc/json_calls.h"

namespace posewire::renderer_sink {

// Thread-safe. The destructor cancels open calls and waits for them.
class GraphControl {
 public:
  // Makes no call yet.
  GraphControl(const client::ConnectionOptions& connection, service::Logger log);
  ~GraphControl();
  GraphControl(const GraphControl&) = delete;
  GraphControl& operator=(const GraphControl&) = delete;

  // Calls any unary method of posewire.control.v1.ControlService, with a timeout of 3 s. See
  // JsonCalls.
  void Call(const std::string& method, absl::string_view request_json, JsonCalls::Answer answer,
            const JsonCalls::MayCall& may_call = nullptr);

  // Called with an event as JSON, and its stream.
  using OnEvent = std::function<void(const std::string& stream_id, std::string event_json)>;
  // Watches the events of all streams from now on, over reconnections. `on_event` is called on one
  // thread of this object. Call once.
  void Watch(OnEvent on_event);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_GRPC_GRAPH_CONTROL_H_
