// Calls posewire.control.v1 by method name with JSON, for both HTTP and WebSocket.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_CALL_JSON_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_CALL_JSON_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/stream/budget.h"

namespace posewire::anim_graph {

// The messages of one call. Destroyed after the call has finished and its response is written.
struct ControlCall {
  std::string method;
  stream::Reservation place;  // in the budget of concurrent calls
  std::unique_ptr<google::protobuf::Message> request, response;
};

// Returns null if the service has no method with this name.
const google::protobuf::MethodDescriptor* FindControlMethod(absl::string_view name);

// Makes a call with empty messages. NOT_FOUND lists the methods. WatchEvents is not available
// because it has no single response.
absl::StatusOr<std::shared_ptr<ControlCall>> MakeControlCall(absl::string_view method);

// Merges `json` into `message`. Field names may be those of the .proto file or their camel case.
// INVALID_ARGUMENT for invalid JSON and for unknown fields. An empty text counts as {}.
absl::Status ReadJson(absl::string_view json, google::protobuf::Message* message);
// Uses the field names of the .proto file. Numbers, strings and lists are written even if they are
// empty.
std::string WriteJson(const google::protobuf::Message& message);

// Sets a field by its path ("user.name"); appends to a list. INVALID_ARGUMENT names the field, its
// type and the text, also if the text is not UTF-8.
absl::Status SetField(absl::string_view path, const std::string& text,
                      google::protobuf::Message* message);

// Returns the message in the field `path`, or `message` itself if the path is empty.
google::protobuf::Message* SubMessage(absl::string_view path, google::protobuf::Message* message);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_CALL_JSON_H_
