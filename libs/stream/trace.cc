#include "libs/stream/trace.h"

#include <algorithm>
#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace posewire::stream {
namespace {

// Positions: "vv-", then the trace id and "-", the span id and "-", the flags.
constexpr size_t kTraceAt = 3, kTraceSize = 32;
constexpr size_t kSpanAt = kTraceAt + kTraceSize + 1, kSpanSize = 16;
constexpr size_t kFlagsAt = kSpanAt + kSpanSize + 1;
constexpr size_t kSize = kFlagsAt + 2;
constexpr size_t kMostBytes = 256;

bool IsHex(absl::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool IsId(absl::string_view text) {
  return IsHex(text) && text.find_first_not_of('0') != absl::string_view::npos;
}

bool IsTraceparent(absl::string_view text) {
  if (text.size() < kSize || text.size() > kMostBytes) return false;
  const absl::string_view version = text.substr(0, 2);
  if (!IsHex(version) || version == "ff") return false;
  if (text.size() > kSize && (version == "00" || text[kSize] != '-')) return false;
  // Whatever a later version appends is also copied into metadata.
  const bool printable =
      std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  return printable && text[2] == '-' && text[kSpanAt - 1] == '-' && text[kFlagsAt - 1] == '-' &&
         IsId(text.substr(kTraceAt, kTraceSize)) && IsId(text.substr(kSpanAt, kSpanSize)) &&
         IsHex(text.substr(kFlagsAt, 2));
}

}  // namespace

absl::Status CheckTraceparent(absl::string_view text) {
  if (IsTraceparent(text)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", absl::Utf8SafeCEscape(text.substr(0, kMostBytes)),
      "\" is no traceparent like 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01: version, "
      "trace, span and flags in lower-case hexadecimal"));
}

std::string TraceparentOf(const MetadataLookup& metadata) {
  std::optional<std::string> sent = metadata(kTraceparent);
  return sent && IsTraceparent(*sent) ? *std::move(sent) : std::string();
}

absl::string_view TraceIdOf(absl::string_view traceparent) {
  return traceparent.empty() ? traceparent : traceparent.substr(kTraceAt, kTraceSize);
}

}  // namespace posewire::stream
