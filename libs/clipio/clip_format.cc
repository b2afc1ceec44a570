#include "libs/clipio/clip_format.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "libs/clipio/format_table.h"
#include "libs/clipio/other_formats.h"

namespace posewire::clipio {

namespace {

struct NamedRow {
  const FormatRow* row = nullptr;
  absl::string_view ending;
};

NamedRow EndingOf(absl::string_view path) {
  const std::string lower = absl::AsciiStrToLower(path);
  NamedRow out;
  for (const FormatRow& row : Formats()) {
    for (const absl::string_view ending : row.endings) {
      if (absl::EndsWith(lower, ending) && ending.size() > out.ending.size()) out = {&row, ending};
    }
  }
  return out;
}

}  // namespace

absl::StatusOr<Format> FormatOf(absl::string_view path, FormatUse use) {
  if (const auto [row, ending] = EndingOf(path); row != nullptr) {
    if (use == FormatUse::kRead || !row->only_read) return row->format;
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": ", ending, " is only read; the name must end in ", FormatEndings(use)));
  }
  if (path == "-") return Format::kJsonl;
  const bool read = use == FormatUse::kRead;
  const std::string advice = read ? HowToConvert(path) : "";
  if (!advice.empty()) return absl::InvalidArgumentError(absl::StrCat(path, ": ", advice));
  return absl::InvalidArgumentError(absl::StrCat(path, ": the format is not ",
                                                 read ? "known" : "written",
                                                 "; the name must end in ", FormatEndings(use)));
}

std::string FormatEndings(FormatUse use) {
  std::vector<absl::string_view> endings;
  for (const FormatRow& row : Formats()) {
    if (use == FormatUse::kWrite && row.only_read) continue;
    endings.push_back(row.endings.front());
    // Binary stages are read through OpenUSD.
    if (use == FormatUse::kRead && row.format == Format::kUsda) {
      endings.insert(endings.end(), {".usd", ".usdc", ".usdz"});
    }
  }
  const absl::string_view last = endings.back();
  endings.pop_back();
  return absl::StrCat(absl::StrJoin(endings, ", "), " or ", last);
}

size_t StemLength(absl::string_view path) {
  const size_t name = path.rfind('/') + 1;
  size_t stem = path.size() - EndingOf(path).ending.size();
  if (stem == path.size()) stem = path.rfind('.');
  return stem == absl::string_view::npos || stem < name ? path.size() : stem;
}

Format FormatWithin(Format named, absl::string_view bytes) {
  for (const FormatRow& row : Formats()) {
    if (row.told_from == named && row.told_by(bytes)) return row.format;
  }
  return named;
}

Format FormatOfBytes(absl::string_view bytes) {
  // A text that begins with "{" and a line end could also be a message of 123 bytes: "{" is its
  // length, and the line end is the tag of its first field.
  for (const FormatRow& row : Formats()) {
    if (!row.opening.empty() && absl::StartsWith(bytes, row.opening)) return row.format;
  }
  const absl::string_view whole = bytes;
  if (!absl::ConsumePrefix(&bytes, "{")) return Format::kAnimData;
  bytes = absl::StripLeadingAsciiWhitespace(bytes);
  const bool json = bytes.empty() || bytes.front() == '"' || bytes.front() == '}';
  return json ? FormatWithin(Format::kJsonl, whole.substr(0, kMostTold)) : Format::kAnimData;
}

}  // namespace posewire::clipio
