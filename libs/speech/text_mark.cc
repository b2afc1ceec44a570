#include "libs/speech/text_mark.h"

#include <algorithm>
#include <array>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/speech/unicode_text.h"

namespace posewire::speech {
namespace {

constexpr size_t kLongestName = 128;
constexpr double kLongestPause_s = 10;

// Indexed by TextMark::Kind.
struct TagForm {
  absl::string_view tag, attribute;
};
constexpr std::array<TagForm, 5> kForms = {{{"gesture", "name"},
                                            {"expression", "name"},
                                            {"emotion", "name"},
                                            {"break", "time"},
                                            {"lang", "xml:lang"}}};

absl::Status Check(const TextMark& mark) {
  const absl::string_view tag = kForms[mark.kind].tag;
  if (mark.kind == TextMark::kPause) {
    if (mark.value >= 0 && mark.value <= kLongestPause_s) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(tag, ": ", mark.value, " s, 0 to ", kLongestPause_s, " are right"));
  }
  if (mark.name.empty() && mark.kind != TextMark::kLanguage) {
    return absl::InvalidArgumentError(absl::StrCat(tag, ": no name"));
  }
  if (mark.name.size() > kLongestName) {
    return absl::InvalidArgumentError(absl::StrCat(tag, ": a name of ", mark.name.size(),
                                                   " bytes, at most ", kLongestName, " are right"));
  }
  for (size_t at = 0; at < mark.name.size();) {
    const auto c = DecodeUtf8(mark.name, at);
    if (!c || *c < 0x20 || *c == 0x7F || IsOneOf(U"<>\"", *c)) {
      return absl::InvalidArgumentError(
          absl::StrCat(tag, ": a name is UTF-8 without <, >, quotes and control characters"));
    }
  }
  if (mark.kind == TextMark::kEmotion && !(mark.value >= 0 && mark.value <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat(tag, ": strength ", mark.value, ", 0 to 1 is right"));
  }
  return absl::OkStatus();
}

// Returns the value of an attribute in the text after a tag's name, or nothing if it is missing.
std::optional<absl::string_view> AttributeOf(absl::string_view rest, absl::string_view name) {
  for (;;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" />"), rest.size()));
    if (rest.empty()) return std::nullopt;
    const size_t end = std::min(rest.find_first_of(" =/>"), rest.size());
    const absl::string_view attribute = rest.substr(0, end);
    rest = absl::StripLeadingAsciiWhitespace(rest.substr(end));
    absl::string_view value;
    if (absl::ConsumePrefix(&rest, "=")) {
      rest = absl::StripLeadingAsciiWhitespace(rest);
      const bool quoted = !rest.empty() && (rest[0] == '"' || rest[0] == '\'');
      const size_t last = quoted ? rest.find(rest[0], 1) : rest.find_first_of(" />");
      if (quoted && last == absl::string_view::npos) return std::nullopt;
      value = rest.substr(0, last);
      rest.remove_prefix(std::min(last, rest.size()));
      if (quoted) {
        value.remove_prefix(1);
        rest.remove_prefix(1);
      }
    }
    if (absl::EqualsIgnoreCase(attribute, name)) return value;
  }
}

// Parses "500ms", "1.5s", or seconds without a unit.
std::optional<double> ParsePause(absl::string_view text) {
  double scale = 1;
  if (absl::EndsWith(text, "ms")) {
    scale = 0.001;
    text.remove_suffix(2);
  } else if (absl::EndsWith(text, "s")) {
    text.remove_suffix(1);
  }
  double seconds = 0;
  if (!absl::SimpleAtod(text, &seconds)) return std::nullopt;
  return seconds * scale;
}

}  // namespace

absl::StatusOr<std::optional<TextMark>> ParseMarkTag(absl::string_view tag) {
  if (absl::EqualsIgnoreCase(tag, "</lang>")) return TextMark{TextMark::kLanguage, "", 1};
  const absl::string_view name = tag.substr(1, tag.find_first_of(" />", 1) - 1);
  const absl::string_view attributes = tag.substr(std::min(1 + name.size(), tag.size()));
  const auto* form = std::find_if(kForms.begin(), kForms.end(), [&](const TagForm& f) {
    return absl::EqualsIgnoreCase(f.tag, name);
  });
  if (form == kForms.end()) return std::nullopt;
  TextMark mark;
  mark.kind = static_cast<TextMark::Kind>(form - kForms.begin());
  const auto value = AttributeOf(attributes, form->attribute);
  if (!value) {
    return absl::InvalidArgumentError(
        absl::StrCat(form->tag, ": <", form->tag, " ", form->attribute, "=\"...\"/> is right"));
  }
  if (mark.kind == TextMark::kPause) {
    const auto pause_s = ParsePause(*value);
    if (!pause_s) {
      return absl::InvalidArgumentError(
          absl::StrCat("break: time \"", *value, "\", such as 500ms or 1.5s is right"));
    }
    mark.value = *pause_s;
  } else {
    mark.name = std::string(*value);
  }
  const auto strength = AttributeOf(attributes, "strength");
  if (mark.kind == TextMark::kEmotion && strength && !absl::SimpleAtod(*strength, &mark.value)) {
    return absl::InvalidArgumentError(
        absl::StrCat("emotion: strength \"", *strength, "\", 0 to 1 is right"));
  }
  if (absl::Status s = Check(mark); !s.ok()) return s;
  return mark;
}

absl::StatusOr<std::string> TagOf(const TextMark& mark) {
  if (absl::Status s = Check(mark); !s.ok()) return s;
  if (mark.kind == TextMark::kLanguage && mark.name.empty()) return "</lang>";
  const TagForm& form = kForms[mark.kind];
  std::string value = mark.kind == TextMark::kPause ? absl::StrCat(mark.value, "s") : mark.name;
  std::string tag = absl::StrCat("<", form.tag, " ", form.attribute, "=\"", value, "\"");
  if (mark.kind == TextMark::kEmotion) absl::StrAppend(&tag, " strength=\"", mark.value, "\"");
  // <lang> has an end tag of its own in SSML; the others are empty elements.
  return tag + (mark.kind == TextMark::kLanguage ? ">" : "/>");
}

}  // namespace posewire::speech
