#include "libs/client/call_metadata.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/wire/frame_reader.h"

namespace posewire::client {
namespace {

bool IsPrintable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

}  // namespace

absl::Status CheckIds(const wire::StreamIds& ids, bool needs_request) {
  if (absl::Status s = wire::CheckId("stream_id", ids.stream_id); !s.ok()) return s;
  if (needs_request || !ids.request_id.empty()) {
    if (absl::Status s = wire::CheckId("request_id", ids.request_id); !s.ok()) return s;
  }
  if (ids.target_object_id.empty()) return absl::OkStatus();
  return wire::CheckId("target_object_id", ids.target_object_id);
}

void AddStreamId(const std::string& stream_id, Metadata& metadata) {
  if (stream_id.empty() || stream_id.front() == ' ' || stream_id.back() == ' ') return;
  if (IsPrintable(stream_id)) metadata.emplace_back("x-stream-id", stream_id);
}

absl::Status CheckMetadata(const Metadata& metadata) {
  for (const auto& [key, value] : metadata) {
    if (IsPrintable(value)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "metadata ", key, " is \"", absl::CHexEscape(value), "\"; it must be printable ASCII"));
  }
  return absl::OkStatus();
}

}  // namespace posewire::client
