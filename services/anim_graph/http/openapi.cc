#include "services/anim_graph/http/openapi.h"

#include <google/protobuf/descriptor.h>

#include <map>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "services/anim_graph/http/call_json.h"
#include "services/anim_graph/http/endpoints.h"
#include "services/anim_graph/http/json_writer.h"

namespace posewire::anim_graph {
namespace {

namespace pb = google::protobuf;

// Writes the paths and collects the messages that they refer to, then writes those.
class Document {
 public:
  explicit Document(absl::string_view version) : version_(version) {}

  std::string Write() {
    out_.Open('{').Pair("openapi", "3.0.3");
    out_.Key("info").Open('{').Pair("title", "Posewire anim_graph").Pair("version", version_);
    out_.Pair(
        "description",
        "Control of a running anim_graph. Errors are {\"error\": text} with a status from 400 "
        "on. {graph} is avatar or the name of the graph that runs. When a request has the "
        "header x-stream-id, it must equal the stream_id of the path.");
    out_.Close('}').Key("paths").Open('{');
    WritePaths();
    out_.Close('}').Key("components").Open('{').Key("schemas").Open('{');
    WriteSchemas();
    out_.Close('}').Close('}').Close('}');
    return out_.Take();
  }

 private:
  void WritePaths() {
    std::vector<std::string> order;
    std::map<std::string, std::vector<const Endpoint*>> by_path;
    for (const Endpoint& e : Endpoints()) {
      auto& of_path = by_path[e.pattern];
      if (of_path.empty()) order.emplace_back(e.pattern);
      of_path.push_back(&e);
    }
    for (const std::string& path : order) {
      out_.Key(path).Open('{');
      for (const Endpoint* e : by_path[path]) WriteOperation(*e);
      out_.Close('}');
    }
    WriteWebSocket();
  }

  void WriteOperation(const Endpoint& e) {
    const pb::MethodDescriptor* method = FindControlMethod(e.call);
    out_.Key(absl::AsciiStrToLower(e.method)).Open('{').Pair("summary", e.summary);
    out_.Key("tags").Open('[').Text(e.group).Close(']');
    out_.Key("parameters").Open('[');
    for (const std::string& name : NamesIn(e.pattern)) {
      out_.Open('{').Pair("name", name).Pair("in", "path").Key("required").Raw("true");
      out_.Key("schema").Raw(R"({"type":"string"})").Close('}');
    }
    for (const char* name : e.query) {
      out_.Open('{').Pair("name", name).Pair("in", "query").Key("schema");
      WriteField(*method->input_type()->FindFieldByName(name));
      out_.Close('}');
    }
    out_.Close(']');
    WriteBody(e, method);
    out_.Key("responses").Open('{').Key("200").Open('{').Pair("description", "Done.");
    out_.Key("content").Open('{').Key("application/json").Open('{').Key("schema");
    if (IsProbe(e)) {
      out_.Raw(R"({"type":"object","properties":{"status":{"type":"string"}}})");
    } else {
      WriteReference(*method->output_type());
    }
    out_.Close('}').Close('}').Close('}');
    out_.Key("default").Open('{').Pair("description", "Refused.").Key("content").Open('{');
    out_.Key("application/json").Raw(R"({"schema":{"$ref":"#/components/schemas/Error"}})");
    out_.Close('}').Close('}').Close('}').Close('}');
  }

  void WriteBody(const Endpoint& e, const pb::MethodDescriptor* method) {
    if (e.body == Endpoint::kIgnored) return;
    out_.Key("requestBody").Open('{').Key("required").Raw("true").Key("content").Open('{');
    out_.Key(e.body == Endpoint::kBytes ? "application/octet-stream" : "application/json");
    out_.Open('{').Key("schema");
    if (e.body == Endpoint::kBytes) {
      out_.Raw(R"({"type":"string","format":"binary"})");
    } else if (e.body == Endpoint::kSdrEvent) {
      out_.Raw(R"({"type":"object","required":["event"],"properties":{"event":{"type":"object",)"
               R"("required":["camera_id"],"properties":{"camera_id":{"type":"string"}}}}})");
    } else if (*e.body_field == '\0') {
      WriteReference(*method->input_type());
    } else {
      WriteReference(*method->input_type()->FindFieldByName(e.body_field)->message_type());
    }
    out_.Close('}').Close('}').Close('}');
  }

  void WriteWebSocket() {
    out_.Key("/ws").Open('{').Key("get").Open('{').Pair("summary", "Opens the WebSocket.");
    out_.Pair("description",
              "JSON-RPC 2.0: every method of posewire.control.v1.ControlService by name, with its "
              "request as params. WatchEvents starts notifications \"Event\", UnwatchEvents ends "
              "them.");
    out_.Key("tags").Open('[').Text("WebSocket").Close(']');
    out_.Key("responses").Raw(R"({"101":{"description":"It is open."}})").Close('}').Close('}');
  }

  void WriteSchemas() {
    out_.Key("Error").Raw(
        R"({"type":"object","required":["error"],"properties":{"error":{"type":"string"}}})");
    while (!wanted_.empty()) {
      const pb::Descriptor* type = wanted_.back();
      wanted_.pop_back();
      out_.Key(NameOf(*type)).Open('{').Pair("type", "object").Key("properties").Open('{');
      for (int i = 0; i < type->field_count(); ++i) {
        out_.Key(type->field(i)->name());
        WriteField(*type->field(i));
      }
      out_.Close('}').Close('}');
    }
  }

  void WriteField(const pb::FieldDescriptor& field) {
    if (field.is_map()) {
      out_.Open('{').Pair("type", "object").Key("additionalProperties");
      WriteType(*field.message_type()->map_value());
      out_.Close('}');
    } else if (field.is_repeated()) {
      out_.Open('{').Pair("type", "array").Key("items");
      WriteType(field);
      out_.Close('}');
    } else {
      WriteType(field);
    }
  }

  void WriteType(const pb::FieldDescriptor& field) {
    switch (field.cpp_type()) {
      case pb::FieldDescriptor::CPPTYPE_MESSAGE:
        return WriteReference(*field.message_type());
      case pb::FieldDescriptor::CPPTYPE_STRING:
        out_.Raw(field.type() == pb::FieldDescriptor::TYPE_BYTES
                     ? R"({"type":"string","format":"byte"})"
                     : R"({"type":"string"})");
        return;
      case pb::FieldDescriptor::CPPTYPE_BOOL:
        out_.Raw(R"({"type":"boolean"})");
        return;
      case pb::FieldDescriptor::CPPTYPE_DOUBLE:
      case pb::FieldDescriptor::CPPTYPE_FLOAT:
        out_.Raw(R"({"type":"number"})");
        return;
      case pb::FieldDescriptor::CPPTYPE_ENUM:
        out_.Open('{').Pair("type", "string").Key("enum").Open('[');
        for (int i = 0; i < field.enum_type()->value_count(); ++i) {
          out_.Text(field.enum_type()->value(i)->name());
        }
        out_.Close(']').Close('}');
        return;
      case pb::FieldDescriptor::CPPTYPE_INT64:
      case pb::FieldDescriptor::CPPTYPE_UINT64:
        out_.Raw(R"({"type":"string","format":"int64"})");  // as protobuf writes them
        return;
      default:
        out_.Raw(R"({"type":"integer"})");
    }
  }

  void WriteReference(const pb::Descriptor& type) {
    if (named_.insert(&type).second) wanted_.push_back(&type);
    out_.Open('{').Pair("$ref", absl::StrCat("#/components/schemas/", NameOf(type))).Close('}');
  }

  // "ListStreamsResponse.Stream": the name without its package.
  static std::string NameOf(const pb::Descriptor& type) {
    return type.full_name().substr(type.file()->package().size() + 1);
  }

  const absl::string_view version_;
  JsonWriter out_;
  std::set<const pb::Descriptor*> named_;
  std::vector<const pb::Descriptor*> wanted_;
};

}  // namespace

std::string OpenApiDocument(absl::string_view version) { return Document(version).Write(); }

}  // namespace posewire::anim_graph
