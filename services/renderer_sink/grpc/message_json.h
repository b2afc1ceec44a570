// Converts messages to JSON for the page. Includes protobuf; private to this folder.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_GRPC_MESSAGE_JSON_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_GRPC_MESSAGE_JSON_H_

#include <google/protobuf/util/json_util.h>

#include <string>

namespace posewire::renderer_sink {

// Returns JSON with field names as in the .proto file, including unset fields with their defaults.
inline std::string WriteJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(message, &json, options).ok()) return "{}";
  return json;
}

// The same without unset fields.
inline std::string WriteSetJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string json;
  if (!google::protobuf::util::MessageToJsonString(message, &json, options).ok()) return "{}";
  return json;
}

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_GRPC_MESSAGE_JSON_H_
