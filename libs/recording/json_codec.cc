#include "libs/recording/json_codec.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/recording/json_members.h"

namespace posewire::recording {
namespace {

namespace ace = nvidia_ace::animation_data::v1;
using google::protobuf::Any;

constexpr absl::string_view kPrefix = "type.googleapis.com/";

// Returns the type's prototype; null if it is not known.
const google::protobuf::Message* PrototypeOf(absl::string_view type_url) {
  if (!absl::StartsWith(type_url, kPrefix)) return nullptr;
  const auto* type = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
      std::string(type_url.substr(kPrefix.size())));
  return type == nullptr
             ? nullptr
             : google::protobuf::MessageFactory::generated_factory()->GetPrototype(type);
}

bool IsKnownType(absl::string_view type_url) { return PrototypeOf(type_url) != nullptr; }

// Returns true if the bytes can be parsed as the type. Protobuf's printer does not check that.
bool Holds(const google::protobuf::Message* prototype, const std::string& bytes) {
  return prototype != nullptr &&
         std::unique_ptr<google::protobuf::Message>(prototype->New())->ParseFromString(bytes);
}

absl::Status ToAbsl(const google::protobuf::util::Status& s) {
  if (s.ok()) return absl::OkStatus();
  const auto text = s.message();
  return absl::InvalidArgumentError(absl::string_view(text.data(), text.size()));
}

absl::Status Print(const google::protobuf::Message& m, std::string* out) {
  return ToAbsl(google::protobuf::util::MessageToJsonString(m, out));
}

absl::Status Parse(absl::string_view text, google::protobuf::Message* m) {
  return ToAbsl(google::protobuf::util::JsonStringToMessage({text.data(), text.size()}, m));
}

// Returns a string as JSON, escaped by protobuf's own rules.
std::string Quote(const std::string& text) {
  nvidia_ace::status::v1::Status carrier;
  carrier.set_message(text);
  std::string json;
  if (!Print(carrier, &json).ok() || text.empty()) return "\"\"";
  const size_t colon = json.find(':');
  return json.substr(colon + 1, json.size() - colon - 2);
}

absl::StatusOr<std::string> Unquote(absl::string_view json) {
  nvidia_ace::status::v1::Status carrier;
  if (absl::Status s = Parse(absl::StrCat("{\"message\":", json, "}"), &carrier); !s.ok()) return s;
  return carrier.message();
}

absl::StatusOr<std::string> FromBase64(absl::string_view json) {
  ace::AudioWithTimeCode carrier;
  if (absl::Status s = Parse(absl::StrCat("{\"audioBuffer\":", json, "}"), &carrier); !s.ok()) {
    return s;
  }
  return carrier.audio_buffer();
}

std::string AnyToJson(const Any& any) {
  if (any.type_url().empty() && any.value().empty()) return "{}";
  std::string json;
  if (Holds(PrototypeOf(any.type_url()), any.value()) && Print(any, &json).ok()) return json;
  return absl::StrCat("{\"@type\":", Quote(any.type_url()), ",\"@value\":\"",
                      absl::Base64Escape(any.value()), "\"}");
}

using RawEntries = std::map<std::string, Any>;

// Removes entries that protobuf cannot read from a metadata object, and returns the rest.
absl::StatusOr<std::string> TakeRawEntries(absl::string_view object, RawEntries* raw) {
  const absl::StatusOr<std::vector<JsonMember>> members = JsonMembers(object);
  if (!members.ok()) return members.status();
  std::vector<std::string> kept;
  for (const JsonMember& m : *members) {
    absl::string_view type, value;
    if (absl::StartsWith(m.value, "{")) {
      const absl::StatusOr<std::vector<JsonMember>> parts = JsonMembers(m.value);
      if (!parts.ok()) return parts.status();
      for (const JsonMember& part : *parts) {
        if (part.Is("@type")) type = part.value;
        if (part.Is("@value")) value = part.value;
      }
    }
    if (type.empty()) {  // protobuf reports the error
      kept.push_back(absl::StrCat(m.key, ":", m.value));
      continue;
    }
    const absl::StatusOr<std::string> url = Unquote(type);
    if (!url.ok()) return url.status();
    if (value.empty() && IsKnownType(*url)) {
      kept.push_back(absl::StrCat(m.key, ":", m.value));
      continue;
    }
    if (value.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("metadata ", m.key, ": the type \"", absl::CHexEscape(*url),
                       "\" is not known here; write {\"@type\": ..., \"@value\": BASE64}"));
    }
    const absl::StatusOr<std::string> key = Unquote(m.key);
    const absl::StatusOr<std::string> bytes = FromBase64(value);
    if (!key.ok()) return key.status();
    if (!bytes.ok()) return bytes.status();
    Any any;
    any.set_type_url(*url);
    any.set_value(*bytes);
    if (!raw->emplace(*key, std::move(any)).second) {
      return absl::InvalidArgumentError(absl::StrCat("metadata ", m.key, " is given twice"));
    }
  }
  return absl::StrCat("{", absl::StrJoin(kept, ","), "}");
}

// Returns the object with the values of these members replaced by what `change` returns for them.
template <typename Change>
absl::StatusOr<std::string> ChangeMembers(absl::string_view object,
                                          std::initializer_list<absl::string_view> names,
                                          Change change) {
  const absl::StatusOr<std::vector<JsonMember>> members = JsonMembers(object);
  if (!members.ok()) return members.status();
  std::string out = "{";
  for (const JsonMember& m : *members) {
    if (out.size() > 1) out += ",";
    absl::StrAppend(&out, m.key, ":");
    bool named = false;
    for (const absl::string_view name : names) named = named || m.Is(name);
    if (!named || !absl::StartsWith(m.value, "{")) {
      absl::StrAppend(&out, m.value);
      continue;
    }
    const absl::StatusOr<std::string> changed = change(m.value);
    if (!changed.ok()) return changed.status();
    absl::StrAppend(&out, *changed);
  }
  return out + "}";
}

}  // namespace

absl::StatusOr<std::string> ToJson(const ace::AnimationDataStream& message) {
  std::string json;
  if (message.animation_data().metadata().empty()) {
    if (absl::Status s = Print(message, &json); !s.ok()) return s;
    return json;
  }
  ace::AnimationDataStream rest = message;
  rest.mutable_animation_data()->clear_metadata();
  if (absl::Status s = Print(rest, &json); !s.ok()) return s;
  std::map<std::string, const Any*> sorted;
  for (const auto& [key, any] : message.animation_data().metadata()) sorted[key] = &any;
  std::vector<std::string> entries;
  entries.reserve(sorted.size());
  for (const auto& [key, any] : sorted) {
    entries.push_back(absl::StrCat(Quote(key), ":", AnyToJson(*any)));
  }
  // `json` ends with the closing brackets of animationData and of the message.
  json.resize(json.size() - 2);
  return absl::StrCat(json, absl::EndsWith(json, "{") ? "" : ",", "\"metadata\":{",
                      absl::StrJoin(entries, ","), "}}}");
}

absl::StatusOr<ace::AnimationDataStream> FromJson(absl::string_view text) {
  ace::AnimationDataStream message;
  if (!absl::StrContains(text, "\"metadata\"")) {
    if (absl::Status s = Parse(text, &message); !s.ok()) return s;
    return message;
  }
  RawEntries raw;
  const auto take = [&](absl::string_view metadata) { return TakeRawEntries(metadata, &raw); };
  const auto in_data = [&](absl::string_view data) {
    return ChangeMembers(data, {"metadata"}, take);
  };
  const absl::StatusOr<std::string> rest =
      ChangeMembers(text, {"animationData", "animation_data"}, in_data);
  if (!rest.ok()) return rest.status();
  if (absl::Status s = Parse(*rest, &message); !s.ok()) return s;
  for (auto& [key, any] : raw) {
    auto& metadata = *message.mutable_animation_data()->mutable_metadata();
    if (!metadata.insert({key, any}).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("metadata \"", absl::CHexEscape(key), "\" is given twice"));
    }
  }
  return message;
}

}  // namespace posewire::recording
