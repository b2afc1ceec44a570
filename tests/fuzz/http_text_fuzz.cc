// What an HTTP or WebSocket client writes, behind Beast's own parser: targets, Host and Origin,
// JSON bodies of calls, and the values in the paths and queries of every endpoint. A libFuzzer
// target in the fuzz preset; elsewhere its corpus is replayed as a test.
//
// An input is one byte that chooses the kind of text, then the text.
#include <google/protobuf/stubs/logging.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "libs/service/http/http_guard.h"
#include "libs/service/http/http_message.h"
#include "services/anim_graph/http/call_json.h"
#include "services/anim_graph/http/endpoints.h"
#include "tests/fuzz/input.h"

namespace posewire {
namespace {

[[noreturn]] void Fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  std::abort();
}

void ReadTarget(const std::string& text) {
  const auto target = service::ParseHttpTarget(text);
  if (target.ok() && target->segments.size() > text.size()) Fail("segments from nothing", text);
  const auto decoded = service::PercentDecode(text);
  if (decoded.ok() && decoded->size() > text.size()) Fail("what was escaped grew", text);
}

void ReadHost(const std::string& text) {
  const size_t cut = text.find('\n');
  const std::string host = text.substr(0, cut);
  const std::string origin = cut == std::string::npos ? "" : text.substr(cut + 1);
  const service::HttpGuard guard{"127.0.0.1", {"avatars.example.org"}, {"http://a.example"}};
  (void)guard.HostIsOurs(host);
  // The default port may be said or not.
  const absl::string_view bare = absl::StripSuffix(origin, ":80");
  if (guard.IsAllowed(origin) && !absl::EqualsIgnoreCase(bare, "http://a.example")) {
    Fail("a foreign origin", origin);
  }
  (void)guard.MayCall(origin, host);
  (void)service::IsOrigin(text);
  (void)service::IsHostName(text);
}

// JSON that is taken says the same when it is written and read again.
void ReadCall(size_t which, const std::string& text) {
  static constexpr std::array kMethods = {"SetVariable", "FireEvent", "SetUser", "PlaceAvatar",
                                          "ListStreams", "GetSites",  "SetProp"};
  auto call = anim_graph::MakeControlCall(kMethods[which % kMethods.size()]);
  if (!call.ok() || !anim_graph::ReadJson(text, (*call)->request.get()).ok()) return;
  const std::string json = anim_graph::WriteJson(*(*call)->request);
  std::unique_ptr<google::protobuf::Message> again((*call)->request->New());
  if (!anim_graph::ReadJson(json, again.get()).ok()) Fail("JSON of ours is refused", json);
  if (anim_graph::WriteJson(*again) != json) Fail("JSON changed", json);
}

// What stands in a path and in a query, in every place of an endpoint.
void SetFields(size_t which, const std::string& text) {
  const anim_graph::Endpoint& endpoint =
      anim_graph::Endpoints()[which % anim_graph::Endpoints().size()];
  if (anim_graph::IsProbe(endpoint)) return;
  const auto call = anim_graph::MakeControlCall(endpoint.call);
  if (!call.ok()) Fail("an endpoint without a call", endpoint.call);
  std::vector<std::string> fields(endpoint.query.begin(), endpoint.query.end());
  for (const std::string& name : anim_graph::NamesIn(endpoint.pattern)) {
    fields.push_back(anim_graph::FieldOf(endpoint, name));
  }
  for (const std::string& field : fields) {
    if (field.empty()) continue;
    const absl::Status s = anim_graph::SetField(field, text, (*call)->request.get());
    if (absl::IsInternal(s)) Fail("an endpoint without its field", field);
  }
  (void)anim_graph::WriteJson(*(*call)->request);
}

}  // namespace
}  // namespace posewire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const google::protobuf::LogSilencer silence;
  posewire::FuzzInput in(data, size);
  const uint8_t kind = in.Byte();
  const std::string text = in.Rest();
  switch (kind % 4) {
    case 0:
      posewire::ReadTarget(text);
      break;
    case 1:
      posewire::ReadHost(text);
      break;
    case 2:
      posewire::ReadCall(kind / 4, text);
      break;
    default:
      posewire::SetFields(kind / 4, text);
  }
  return 0;
}
