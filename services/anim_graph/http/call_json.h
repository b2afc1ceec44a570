// Calls of posewire.control.v1 by name, with JSON: what HTTP and the WebSocket share.
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

// The messages of one call; lives until the call is done, and its answer written.
struct ControlCall {
  std::string method;
  stream::Share place;  // among the calls under way
  std::unique_ptr<google::protobuf::Message> request, response;
};

// Null for a name that the service does not have.
const google::protobuf::MethodDescriptor* FindControlMethod(absl::string_view name);

// Empty messages. NOT_FOUND lists the methods; WatchEvents is none that is answered once.
absl::StatusOr<std::shared_ptr<ControlCall>> MakeControlCall(absl::string_view method);

// Adds what `json` holds to `message`. Field names are those of the .proto file or their camel
// case. INVALID_ARGUMENT for what is no JSON and for fields that are not known. No text counts as
// {}.
absl::Status ReadJson(absl::string_view json, google::protobuf::Message* message);
// Field names as in the .proto file; numbers, texts and lists are there even when they are empty.
std::string WriteJson(const google::protobuf::Message& message);

// Sets a field by its path ("user.name"); a list gets one more. INVALID_ARGUMENT names the field,
// its type and the text, also for text that is not UTF-8.
absl::Status SetField(absl::string_view path, const std::string& text,
                      google::protobuf::Message* message);

// The message in the field `path`, or `message` itself for an empty path.
google::protobuf::Message* SubMessage(absl::string_view path, google::protobuf::Message* message);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_CALL_JSON_H_
