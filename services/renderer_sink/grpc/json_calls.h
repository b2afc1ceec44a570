// Calls methods of one gRPC service by name, with replies as JSON: unary and bidirectional
// streaming ones.
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
  std::string service;  // "posewire.control.v1.ControlService"; its messages must be in this build
  double timeout_s = 3;
  // Name of the server in errors when it is not reachable: "the source".
  std::string server;
  // Logs failures of processing a reply.
  service::Logger log = {};
};

// A bidirectional streaming call. Thread-safe.
class JsonStream {
 public:
  // Maximum number of bytes queued for sending.
  static constexpr size_t kMostBytes = size_t{4} << 20;

  virtual ~JsonStream() = default;
  // Queues a serialized message of the request's type. RESOURCE_EXHAUSTED if more than kMostBytes
  // would be queued; CANCELLED once the call is over.
  virtual absl::Status Write(std::string serialized) = 0;
  // Half-closes the call after the queued messages.
  virtual void End() = 0;
  // Ends the call at once.
  virtual void Cancel() = 0;
};

// Thread-safe. The destructor cancels open calls and waits for them.
class JsonCalls {
 public:
  // Called once, on any thread, with the reply as JSON, field names as in the .proto file. The
  // server's own errors pass through; UNAVAILABLE if it is not reachable.
  using Answer = std::function<void(absl::StatusOr<std::string> json)>;

  // Decides whether the call may be made, by the request's stream_id, or nothing if the request has
  // no such field. Its error becomes the call's.
  using MayCall = std::function<absl::Status(const std::optional<std::string>& stream_id)>;

  // Makes no call yet.
  explicit JsonCalls(const JsonCallOptions& options);
  ~JsonCalls();
  JsonCalls(const JsonCalls&) = delete;
  JsonCalls& operator=(const JsonCalls&) = delete;

  // NOT_FOUND for a name that is not a unary method, INVALID_ARGUMENT if the JSON does not match
  // its request. `may_call` is called before the call is made, on this thread; null: always
  // allowed.
  void Call(const std::string& method, absl::string_view request_json, Answer answer,
            const MayCall& may_call = nullptr);

  // Opens a bidirectional streaming call. `on_message` is called with each reply as JSON, without
  // unset fields. `on_end` is called once, last, with how the call ended, with the errors of Call.
  // Both are called on any thread, one at a time, possibly before this returns. NOT_FOUND for a
  // name that is not such a method, RESOURCE_EXHAUSTED if too many calls are open, CANCELLED while
  // this is being destroyed.
  absl::StatusOr<std::shared_ptr<JsonStream>> Open(const std::string& method,
                                                   std::function<void(std::string json)> on_message,
                                                   std::function<void(const absl::Status&)> on_end);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_GRPC_JSON_CALLS_H_
