#include "libs/speech/markup.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace posewire::speech {
namespace {

constexpr size_t kLongestTag = 512, kLongestLine = 4096, kLongestDestination = 2048;
constexpr size_t kLongestBrackets = 256, kLongestName = 64, kLongestHost = 255;

constexpr Match kNoMatch{Match::kNo, 0}, kMoreNeeded{Match::kMore, 0};

bool IsAlpha(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)); }
bool IsAlnum(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); }

// Returns how many of the first `most` characters satisfy `test`.
template <class Test>
size_t RunLength(absl::string_view text, size_t most, Test test) {
  text = text.substr(0, most);
  const auto* end = std::find_if_not(text.begin(), text.end(), test);
  return static_cast<size_t>(end - text.begin());
}

// Matches text that ends with `closing` within `most` bytes.
Match EndsWithin(absl::string_view text, absl::string_view closing, size_t most) {
  const size_t at = text.substr(0, most).find(closing);
  if (at != absl::string_view::npos) return {Match::kYes, at + closing.size()};
  return text.size() < most ? kMoreNeeded : kNoMatch;
}

// kYes if `text` starts with one of `words` in any case, kMore if it is the start of one.
template <class Words>
Match MatchOneOf(absl::string_view text, const Words& words) {
  bool more = false;
  for (const absl::string_view w : words) {
    if (absl::StartsWithIgnoreCase(text, w)) return {Match::kYes, w.size()};
    more |= absl::StartsWithIgnoreCase(w, text);
  }
  return more ? kMoreNeeded : kNoMatch;
}

// Returns whether the text between < and > looks like a tag, an address or other markup: a name
// alone, or a name with attributes.
bool LooksLikeTag(absl::string_view inside) {
  if (!IsAlpha(inside[0])) return true;
  absl::string_view rest = inside.substr(
      RunLength(inside, inside.size(), [](char c) { return IsAlnum(c) || c == '-' || c == '_'; }));
  if (rest.empty() || rest[0] != ' ') return rest.empty() || rest[0] != ',';
  rest = absl::StripAsciiWhitespace(rest);
  return rest.empty() || rest == "/" || absl::StrContains(rest, '=');
}

}  // namespace

bool IsFormatting(char32_t c) {
  constexpr absl::string_view kMarks = "*_`~^|\\<>{}[]";
  return c < 0x80 && kMarks.find(static_cast<char>(c)) != absl::string_view::npos;
}

Match MatchTag(absl::string_view text) {
  if (text.size() < 2) return kMoreNeeded;
  const char c = text[1];
  if (!IsAlpha(c) && c != '/' && c != '!' && c != '?') return kNoMatch;
  constexpr absl::string_view kComment[] = {"<!--"};
  const Match comment = MatchOneOf(text, kComment);
  if (comment.what == Match::kMore) return kMoreNeeded;
  if (comment.what == Match::kYes) return EndsWithin(text, "-->", kLongestLine);
  const Match tag = EndsWithin(text, ">", kLongestTag);
  // A tag is on one line in text written for people: "a<b" may be followed by ">" much later.
  const size_t line = text.substr(0, kLongestTag).find('\n');
  if (line != absl::string_view::npos && !(tag.what == Match::kYes && tag.size <= line)) {
    return kNoMatch;
  }
  if (tag.what == Match::kYes && !LooksLikeTag(text.substr(1, tag.size - 2))) return kNoMatch;
  const size_t another = text.substr(0, kLongestTag).find('<', 1);
  if (another == absl::string_view::npos) return tag;
  return tag.what == Match::kYes && tag.size <= another ? tag : kNoMatch;
}

bool IsBlockTag(absl::string_view tag) {
  constexpr absl::string_view kNames[] = {"br", "p",  "div", "li", "ul", "ol", "tr", "td",   "th",
                                          "h1", "h2", "h3",  "h4", "h5", "h6", "hr", "table"};
  tag.remove_prefix(tag.size() > 1 && tag[1] == '/' ? 2 : 1);
  const absl::string_view name = tag.substr(0, RunLength(tag, tag.size(), IsAlnum));
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](absl::string_view n) { return absl::EqualsIgnoreCase(n, name); });
}

Match MatchDestination(absl::string_view text) {
  if (text.empty()) return kMoreNeeded;
  if (text[0] != '(') return kNoMatch;
  int depth = 0;
  char quote = 0;
  bool spaced = false;
  for (size_t i = 0; i < std::min(text.size(), kLongestDestination); ++i) {
    const char c = text[i];
    if (c == '\n') return kNoMatch;
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == ' ') {
      spaced |= i > 1;
    } else if (c == ')') {
      if (--depth == 0) return {Match::kYes, i + 1};
    } else if (spaced) {
      if (c != '"' && c != '\'') return kNoMatch;  // only a title may follow a space
      quote = c;
    } else if (c == '(') {
      ++depth;
    }
  }
  return text.size() < kLongestDestination ? kMoreNeeded : kNoMatch;
}

Match MatchBrackets(absl::string_view text) {
  if (text.empty()) return kMoreNeeded;
  if (text[0] != '[') return kNoMatch;
  for (size_t i = 1; i < std::min(text.size(), kLongestBrackets); ++i) {
    if (text[i] == ']') return {Match::kYes, i + 1};
    if (text[i] == '\n' || text[i] == '[') return kNoMatch;
  }
  return text.size() < kLongestBrackets ? kMoreNeeded : kNoMatch;
}

Match MatchAddressStart(absl::string_view text) {
  constexpr absl::string_view kStarts[] = {"http://", "https://", "ftp://", "www.", "mailto:"};
  const Match start = MatchOneOf(text, kStarts);
  if (start.what != Match::kYes) return start;
  if (text.size() == start.size) return kMoreNeeded;
  return IsAlnum(text[start.size]) || (text[start.size] & 0x80) != 0 ? start : kNoMatch;
}

bool IsAddressChar(char32_t c) {
  constexpr absl::string_view kNever = "<>\"`{}|\\^[]";
  if (c < 0x80) return c > ' ' && c != 0x7F && kNever.find(static_cast<char>(c)) == kNever.npos;
  // Letters. After Chinese and Japanese letters no space marks the end of an address.
  return c >= 0xC0 && c < 0x2000;
}

Match MatchEmail(absl::string_view text) {
  const auto in_name = [](char c) {
    return IsAlnum(c) || c == '.' || c == '_' || c == '%' || c == '+' || c == '-';
  };
  const auto in_host = [](char c) { return IsAlnum(c) || c == '.' || c == '-'; };
  const size_t name = RunLength(text, kLongestName, in_name);
  if (name == kLongestName) return kNoMatch;
  if (name == text.size()) return kMoreNeeded;
  if (name == 0 || text[name] != '@') return kNoMatch;
  const absl::string_view after = text.substr(name + 1);
  size_t host = RunLength(after, kLongestHost, in_host);
  if (host == after.size() && host < kLongestHost) return kMoreNeeded;
  while (host > 0 && !IsAlnum(after[host - 1])) --host;
  const size_t dot = after.substr(0, host).rfind('.');
  if (dot == absl::string_view::npos || dot == 0 || host - dot < 3) return kNoMatch;
  return {Match::kYes, name + 1 + host};
}

Match MatchKeycap(absl::string_view text) {
  constexpr absl::string_view kEnds[] = {"\xEF\xB8\x8F\xE2\x83\xA3", "\xE2\x83\xA3"};
  Match match = MatchOneOf(text.substr(1), kEnds);
  if (match.what == Match::kYes) ++match.size;
  return match;
}

Match MatchEntity(absl::string_view text, char& meant) {
  struct Entity {
    absl::string_view text;
    char meant;
  };
  constexpr Entity kEntities[] = {{"&amp;", '&'},   {"&lt;", ' '},    {"&gt;", ' '},
                                  {"&quot;", '"'},  {"&apos;", '\''}, {"&#39;", '\''},
                                  {"&#x27;", '\''}, {"&nbsp;", ' '}};
  bool more = false;
  for (const Entity& e : kEntities) {
    if (absl::StartsWith(text, e.text)) {
      meant = e.meant;
      return {Match::kYes, e.text.size()};
    }
    more |= absl::StartsWith(e.text, text);
  }
  return more ? kMoreNeeded : kNoMatch;
}

Match MatchRule(absl::string_view text) {
  constexpr absl::string_view kSigns = "-*_=+|: \t\r";
  const size_t run = RunLength(text, kLongestLine,
                               [&](char c) { return kSigns.find(c) != absl::string_view::npos; });
  if (run == kLongestLine) return {Match::kYes, run};
  if (run == text.size()) return kMoreNeeded;
  return text[run] == '\n' ? Match{Match::kYes, run + 1} : kNoMatch;
}

Match MatchFence(absl::string_view text, absl::string_view& fence) {
  if (text.empty()) return kMoreNeeded;
  if (text[0] != '`' && text[0] != '~') return kNoMatch;
  const size_t run = RunLength(text, kLongestLine, [&](char c) { return c == text[0]; });
  if (run == kLongestLine) return kNoMatch;
  if (run == text.size()) return kMoreNeeded;
  if (run < 3) return kNoMatch;
  const Match line = MatchLine(text);
  const absl::string_view rest = text.substr(run, line.what == Match::kYes ? line.size - run : 0);
  // "```code```" is inline code, not a fence.
  if (text[0] == '`' && rest.find('`') != absl::string_view::npos) return kNoMatch;
  fence = text.substr(0, run);
  return line;
}

Match MatchLine(absl::string_view text) {
  const size_t end = text.substr(0, kLongestLine).find('\n');
  if (end != absl::string_view::npos) return {Match::kYes, end + 1};
  return text.size() < kLongestLine ? kMoreNeeded : Match{Match::kYes, kLongestLine};
}

}  // namespace posewire::speech
