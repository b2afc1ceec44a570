// Calls methods of one gRPC service by name, with replies as JSON: unary ones, and those that
// stream both ways.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_GRPC_JSON_CALLS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_GRPC_JSON_CALLS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/client/connection.h"
#include "libs/service/logger.h"

namespace posewire::renderer_sink {

struct JsonCallOptions {
  client::ConnectionOptions connection;
  std::string service;  // "posewire.control.v1.ControlService", of this build's own messages
  double timeout_s = 3;
  // What an error calls the server when it is not there: "the source".
  std::string server;
  // Where a fault in taking a reply is told.
  service::Logger log = {};
};

// A call that streams both ways. Thread-safe.
class JsonStream {
 public:
  // The most bytes that wait to be sent.
  static constexpr size_t kMostBytes = size_t{4} << 20;

  virtual ~JsonStream() = default;
  // Queues a message of the request's type, serialized. RESOURCE_EXHAUSTED if more than kMostBytes
  // would wait; CANCELLED once the call is over.
  virtual absl::Status Write(std::string serialized) = 0;
  // Half-closes the call after what is queued.
  virtual void End() = 0;
  // Ends the call at once.
  virtual void Cancel() = 0;
};

// Thread-safe. The destructor cancels what is under way and waits for it.
class JsonCalls {
 public:
  // Gets the reply as JSON, field names as in the .proto file; called once, on any thread. The
  // server's own errors pass through; UNAVAILABLE when it is not there.
  using Answer = std::function<void(absl::StatusOr<std::string> json)>;

  // Whether the call may be made; gets the request's stream_id, or nothing where the request has no
  // such field. An error is the answer.
  using MayCall = std::function<absl::Status(const std::optional<std::string>& stream_id)>;

  // No call is made yet.
  explicit JsonCalls(const JsonCallOptions& options);
  ~JsonCalls();
  JsonCalls(const JsonCalls&) = delete;
  JsonCalls& operator=(const JsonCalls&) = delete;

  // NOT_FOUND for a name that is no unary method, INVALID_ARGUMENT for what is not the JSON of its
  // request. `may_call` is asked before the call is made, on this thread; null: it may.
  void Call(const std::string& method, absl::string_view request_json, Answer answer,
            const MayCall& may_call = nullptr);

  // Opens a call that streams both ways. `on_message` gets each answer as JSON, without fields that
  // are not set. `on_end` gets how the call ended, with the errors of Call; it is called once,
  // last. Both are called on any thread, one at a time, perhaps before this returns. NOT_FOUND for
  // a name that is no such method, RESOURCE_EXHAUSTED when too many calls are in progress,
  // CANCELLED while this is being destroyed.
  absl::StatusOr<std::shared_ptr<JsonStream>> Open(const std::string& method,
                                                   std::function<void(std::string json)> on_message,
                                                   std::function<void(const absl::Status&)> on_end);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_GRPC_JSON_CALLS_H_
