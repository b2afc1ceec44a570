#include "libs/clipio/clip_format.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace posewire::clipio {

absl::StatusOr<Format> FormatOf(absl::string_view path) {
  const std::string lower = absl::AsciiStrToLower(path);
  if (absl::EndsWith(lower, ".animdata")) return Format::kAnimData;
  for (const char* extension : {".jsonl", ".ndjson", ".json"}) {
    if (absl::EndsWith(lower, extension)) return Format::kJsonl;
  }
  if (path == "-") return Format::kJsonl;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": the format is not known; the name must end in .animdata or .jsonl"));
}

Format FormatOfBytes(absl::string_view bytes) {
  // A message of 123 bytes has "{" for its length, and a line end for the tag that follows.
  if (!absl::ConsumePrefix(&bytes, "{")) return Format::kAnimData;
  bytes = absl::StripLeadingAsciiWhitespace(bytes);
  const bool json = bytes.empty() || bytes.front() == '"' || bytes.front() == '}';
  return json ? Format::kJsonl : Format::kAnimData;
}

}  // namespace posewire::clipio
