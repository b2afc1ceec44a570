#include "services/anim_graph/http/call_json.h"

#include <google/protobuf/util/json_util.h>

#include <cmath>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/names/known_names.h"
#include "libs/wire/text_check.h"
#include "posewire.control.v1.pb.h"

namespace posewire::anim_graph {

namespace pb = google::protobuf;

namespace {

const pb::ServiceDescriptor& Service() {
  return *pb::DescriptorPool::generated_pool()
              ->FindFileByName("posewire.control.v1.proto")
              ->FindServiceByName("ControlService");
}

// Names of the methods with a single response.
std::vector<std::string> MethodNames() {
  std::vector<std::string> names;
  for (int i = 0; i < Service().method_count(); ++i) {
    if (!Service().method(i)->server_streaming()) names.push_back(Service().method(i)->name());
  }
  return names;
}

std::unique_ptr<pb::Message> New(const pb::Descriptor* type) {
  return std::unique_ptr<pb::Message>(
      pb::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

absl::Status SetScalar(const pb::FieldDescriptor& field, const std::string& text,
                       pb::Message* message) {
  const pb::Reflection& reflection = *message->GetReflection();
  const auto bad = [&](absl::string_view wanted) {
    return absl::InvalidArgumentError(absl::StrCat(
        field.name(), " \"", absl::CHexEscape(text).substr(0, 100), "\" is ", "not ", wanted));
  };
  switch (field.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_STRING:
      if (!wire::IsUtf8(text)) return bad("UTF-8");
      if (field.is_repeated()) {
        reflection.AddString(message, &field, text);
      } else {
        reflection.SetString(message, &field, text);
      }
      return absl::OkStatus();
    case pb::FieldDescriptor::CPPTYPE_BOOL: {
      bool value = true;
      if (!text.empty() && !absl::SimpleAtob(text, &value)) return bad("true or false");
      reflection.SetBool(message, &field, value);
      return absl::OkStatus();
    }
    case pb::FieldDescriptor::CPPTYPE_DOUBLE: {
      double value = 0;
      if (!absl::SimpleAtod(text, &value) || !std::isfinite(value)) return bad("a number");
      reflection.SetDouble(message, &field, value);
      return absl::OkStatus();
    }
    default:
      return absl::InternalError(absl::StrCat(field.full_name(), " cannot be set by text"));
  }
}

}  // namespace

const pb::MethodDescriptor* FindControlMethod(absl::string_view name) {
  return Service().FindMethodByName(std::string(name));
}

absl::StatusOr<std::shared_ptr<ControlCall>> MakeControlCall(absl::string_view method) {
  const pb::MethodDescriptor* found = FindControlMethod(method);
  if (found == nullptr || found->server_streaming()) {
    return absl::NotFoundError(absl::StrCat("there is no method \"",
                                            absl::CHexEscape(method).substr(0, 100), "\"",
                                            KnownNames(method, MethodNames())));
  }
  auto call = std::make_shared<ControlCall>();
  call->method = found->name();
  call->request = New(found->input_type());
  call->response = New(found->output_type());
  return call;
}

absl::Status ReadJson(absl::string_view json, pb::Message* message) {
  if (absl::StripAsciiWhitespace(json).empty()) return absl::OkStatus();
  if (!wire::IsUtf8(json)) return absl::InvalidArgumentError("the JSON is not UTF-8");
  std::unique_ptr<pb::Message> read(message->New());
  const auto status = pb::util::JsonStringToMessage({json.data(), json.size()}, read.get());
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("not the JSON of ", message->GetDescriptor()->name(), ": ",
                     absl::string_view(status.message().data(), status.message().size())));
  }
  message->MergeFrom(*read);
  return absl::OkStatus();
}

std::string WriteJson(const pb::Message& message) {
  pb::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string json;
  if (!pb::util::MessageToJsonString(message, &json, options).ok()) return "{}";
  return json;
}

absl::Status SetField(absl::string_view path, const std::string& text, pb::Message* message) {
  const size_t dot = path.rfind('.');
  if (dot != absl::string_view::npos) message = SubMessage(path.substr(0, dot), message);
  const absl::string_view name = dot == absl::string_view::npos ? path : path.substr(dot + 1);
  const pb::FieldDescriptor* field = message->GetDescriptor()->FindFieldByName(std::string(name));
  if (field == nullptr) return absl::InternalError(absl::StrCat("there is no field ", path));
  return SetScalar(*field, text, message);
}

pb::Message* SubMessage(absl::string_view path, pb::Message* message) {
  if (path.empty()) return message;
  const pb::FieldDescriptor* field = message->GetDescriptor()->FindFieldByName(std::string(path));
  return message->GetReflection()->MutableMessage(message, field);
}

}  // namespace posewire::anim_graph
