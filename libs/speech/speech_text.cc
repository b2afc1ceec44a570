#include "libs/speech/speech_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace posewire::speech {
namespace {

constexpr size_t kMaxWord = 50;

// U+00C0 to U+00FF.
constexpr std::array<const char*, 64> kLatin1 = {
    "A", "A", "A",  "A",  "A", "A", "AE", "C", "E", "E",       "E",  "E", "I", "I",
    "I", "I", "D",  "N",  "O", "O", "O",  "O", "O", " times ", "O",  "U", "U", "U",
    "U", "Y", "Th", "ss", "a", "a", "a",  "a", "a", "a",       "ae", "c", "e", "e",
    "e", "e", "i",  "i",  "i", "i", "d",  "n", "o", "o",       "o",  "o", "o", " divided by ",
    "o", "u", "u",  "u",  "u", "y", "th", "y"};

// U+0100 to U+017F, a letter each; the four ligatures among them are handled apart.
constexpr char kLatinA[] =
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIi??JjKkkLlLlLlLlLlNnNnNnnNnOoOoOo??RrRrRrSsSs"
    "SsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";
static_assert(sizeof(kLatinA) == 129);

struct Spelling {
  uint32_t code;
  const char* text;
};

constexpr Spelling kSpellings[] = {
    {0x00A0, " "},
    {0x00A2, " cents "},
    {0x00A3, " pounds "},
    {0x00A5, " yen "},
    {0x00A6, " "},
    {0x00A7, " section "},
    {0x00A9, " copyright "},
    {0x00AB, "\""},
    {0x00AD, ""},
    {0x00AE, ""},
    {0x00B0, " degrees "},
    {0x00B1, " plus or minus "},
    {0x00B2, " squared "},
    {0x00B3, " cubed "},
    {0x00B4, "'"},
    {0x00B5, " micro"},
    {0x00B7, " "},
    {0x00BB, "\""},
    {0x00BC, " one quarter "},
    {0x00BD, " one half "},
    {0x00BE, " three quarters "},
    {0x0132, "IJ"},
    {0x0133, "ij"},
    {0x0152, "OE"},
    {0x0153, "oe"},
    {0x0218, "S"},
    {0x0219, "s"},
    {0x021A, "T"},
    {0x021B, "t"},
    {0x1E9E, "SS"},
    {0x2010, "-"},
    {0x2011, "-"},
    {0x2012, "-"},
    {0x2013, " - "},
    {0x2014, ", "},
    {0x2015, ", "},
    {0x2018, "'"},
    {0x2019, "'"},
    {0x201A, "'"},
    {0x201B, "'"},
    {0x201C, "\""},
    {0x201D, "\""},
    {0x201E, "\""},
    {0x2022, "\n- "},
    {0x2026, "..."},
    {0x2028, "\n"},
    {0x2029, "\n\n"},
    {0x202F, " "},
    {0x2032, "'"},
    {0x2033, "\""},
    {0x2039, "'"},
    {0x203A, "'"},
    {0x203D, "?!"},
    {0x2044, "/"},
    {0x20AC, " euros "},
    {0x2122, ""},
    {0x2212, " minus "},
    {0x2260, " is not equal to "},
    {0x2264, " at most "},
    {0x2265, " at least "},
    {0x3000, " "},
    {0x3001, ", "},
    {0x3002, ". "},
    {0xFB01, "fi"},
    {0xFB02, "fl"},
    {0xFEFF, ""},
};

bool IsSpeakable(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); }
bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }

// Reads one character and moves `at` past it; nothing when the bytes are not UTF-8.
std::optional<uint32_t> DecodeUtf8(absl::string_view s, size_t& at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(s[i]); };
  const uint8_t lead = byte(at);
  if (lead < 0x80) {
    ++at;
    return lead;
  }
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4 || at + static_cast<size_t>(more) >= s.size()) return std::nullopt;
  uint32_t code = lead & (0x3Fu >> more);
  for (int i = 1; i <= more; ++i) {
    const uint8_t b = byte(at + static_cast<size_t>(i));
    if ((b & 0xC0) != 0x80) return std::nullopt;
    code = code << 6 | (b & 0x3Fu);
  }
  constexpr uint32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    return std::nullopt;
  }
  at += static_cast<size_t>(more) + 1;
  return code;
}

// The ASCII spelling of a character; nothing when it cannot be spoken.
std::optional<std::string> Spell(uint32_t code) {
  if (code == '\n' || (code >= 0x20 && code < 0x7F)) {
    const char c = static_cast<char>(code);
    // Marks of plain-text formatting would be read aloud by name.
    constexpr absl::string_view kMarks = "*_`~^|\\<>{}[]";
    return std::string(1, kMarks.find(c) == absl::string_view::npos ? c : ' ');
  }
  if (code == '\t' || code == '\v' || code == '\f' || code == '\r') return " ";
  for (const Spelling& s : kSpellings) {
    if (s.code == code) return s.text;
  }
  if (code >= 0xC0 && code <= 0xFF) return kLatin1[code - 0xC0];
  if (code >= 0x100 && code <= 0x17F) return std::string(1, kLatinA[code - 0x100]);
  if (code >= 0x300 && code <= 0x36F) return "";                      // combining accents
  if (code >= 0x2000 && code <= 0x200A) return " ";                   // typographic spaces
  if (code >= 0x200B && code <= 0x200F) return "";                    // joiners and direction marks
  if (code >= 0xFE00 && code <= 0xFE0F) return "";                    // variation selectors
  if (code >= 0xFF01 && code <= 0xFF5E) return Spell(code - 0xFEE0);  // full-width forms
  return std::nullopt;
}

// Cuts words that no voice can read in one breath.
std::string CutLongWords(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  size_t run = 0;
  for (const char c : text) {
    run = IsSpace(c) ? 0 : run + 1;
    if (run > kMaxWord) {
      out += ' ';
      run = 1;
    }
    out += c;
  }
  return out;
}

constexpr absl::string_view kTitles[] = {
    "mr",  "mrs", "ms",  "dr",  "prof", "st",  "mt",  "gen",  "col", "sgt",    "capt",
    "lt",  "rev", "hon", "gov", "sen",  "rep", "vs",  "fig",  "vol", "approx", "e.g",
    "i.e", "cf",  "jan", "feb", "mar",  "apr", "aug", "sept", "oct", "nov",    "dec"};

constexpr absl::string_view kBeforeNumbers[] = {"no", "p", "pp", "ch", "nos", "sec", "par"};
constexpr absl::string_view kShortForms[] = {"etc", "al",  "inc", "ltd",  "co",  "corp", "dept",
                                             "est", "min", "max", "tel",  "ave", "blvd", "no",
                                             "jr",  "sr",  "ed",  "misc", "resp"};

// Whether the full stop at `dot` belongs to the word before it rather than to the sentence.
bool StopOfAbbreviation(absl::string_view text, size_t dot, size_t next) {
  if (next >= text.size()) return false;
  size_t begin = dot;
  while (begin > 0 && !IsSpace(text[begin - 1]) && text[begin - 1] != '(') --begin;
  const absl::string_view original = text.substr(begin, dot - begin);
  const std::string word = absl::AsciiStrToLower(original);
  const auto listed = [&](const auto& words) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
  };
  if (listed(kTitles)) return true;
  if (absl::ascii_isdigit(static_cast<unsigned char>(text[next]))) return listed(kBeforeNumbers);
  if (word.size() == 1 && absl::ascii_isupper(static_cast<unsigned char>(original[0]))) {
    return word != "i";
  }
  // People also start sentences in lower case; only a short form goes on with one.
  if (!absl::ascii_islower(static_cast<unsigned char>(text[next]))) return false;
  return word.size() == 1 || absl::StrContains(word, '.') || listed(kShortForms);
}

struct Boundary {
  size_t end;   // one past the sentence
  size_t next;  // where the next one starts
  SpeechEnding ending;
  bool paragraph;
};

bool StartsListItem(absl::string_view rest) {
  return rest.size() > 1 && (rest[0] == '-' || rest[0] == '+') && rest[1] == ' ';
}

// A blank line, or a line break before a list item, at the white space [at, next).
std::optional<Boundary> LineBoundary(absl::string_view text, size_t at, size_t next) {
  const auto lines = std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                text.begin() + static_cast<std::ptrdiff_t>(next), '\n');
  if (lines >= 2) return Boundary{at, next, SpeechEnding::kStatement, true};
  if (lines == 1 && StartsListItem(text.substr(next))) {
    return Boundary{at, next, SpeechEnding::kStatement, false};
  }
  return std::nullopt;
}

size_t SkipSpace(absl::string_view text, size_t at) {
  while (at < text.size() && IsSpace(text[at])) ++at;
  return at;
}

// The end of the sentence that starts at `from`.
Boundary NextBoundary(absl::string_view text, size_t from) {
  for (size_t i = from; i < text.size(); ++i) {
    if (IsSpace(text[i])) {
      const size_t next = SkipSpace(text, i);
      if (const auto b = LineBoundary(text, i, next)) return *b;
      i = next - 1;
      continue;
    }
    if (text[i] != '.' && text[i] != '!' && text[i] != '?') continue;
    const size_t mark = i;
    bool question = false, exclamation = false;
    size_t end = i;
    for (; end < text.size() && (text[end] == '.' || text[end] == '!' || text[end] == '?'); ++end) {
      question |= text[end] == '?';
      exclamation |= text[end] == '!';
    }
    const bool one_stop = end == mark + 1 && text[mark] == '.';
    while (end < text.size() && (text[end] == '"' || text[end] == '\'' || text[end] == ')')) ++end;
    i = end - 1;
    if (end < text.size() && !IsSpace(text[end])) continue;
    const size_t next = SkipSpace(text, end);
    const bool paragraph = std::count(text.begin() + static_cast<std::ptrdiff_t>(end),
                                      text.begin() + static_cast<std::ptrdiff_t>(next), '\n') > 1;
    if (one_stop && !paragraph && StopOfAbbreviation(text, mark, next)) continue;
    return {end, next,
            question      ? SpeechEnding::kQuestion
            : exclamation ? SpeechEnding::kExclamation
                          : SpeechEnding::kStatement,
            paragraph};
  }
  return {text.size(), text.size(), SpeechEnding::kStatement, true};
}

// Words before which one may pause.
bool IsJoiningWord(absl::string_view word) {
  constexpr absl::string_view kJoining[] = {
      "and", "but",  "or",    "so",      "because", "that", "which", "who",   "when",   "while",
      "if",  "then", "where", "with",    "for",     "from", "to",    "in",    "on",     "at",
      "by",  "as",   "than",  "through", "into",    "over", "under", "after", "before", "until"};
  return std::find(std::begin(kJoining), std::end(kJoining), absl::AsciiStrToLower(word)) !=
         std::end(kJoining);
}

// Where to cut a sentence that is longer than `limit`: the last clause, else a joining word, else
// any space.
size_t CutPoint(absl::string_view s, size_t limit, SpeechEnding& ending) {
  size_t clause = 0, joint = 0, space = 0;
  for (size_t i = 1; i < limit; ++i) {
    if (s[i] != ' ') continue;
    space = i;
    const char before = s[i - 1];
    if (before == ',' || before == ';' || before == ':' || s.substr(i + 1, 2) == "- ") clause = i;
    const absl::string_view rest = s.substr(i + 1);
    if (IsJoiningWord(rest.substr(0, std::min(rest.find(' '), rest.size())))) joint = i;
  }
  ending = SpeechEnding::kCut;
  if (clause * 3 >= limit) {
    ending = SpeechEnding::kClause;
    return clause;
  }
  if (joint * 5 >= limit * 2) return joint;
  return space > 0 ? space : limit;
}

// One line, single spaces.
std::string Flatten(absl::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!IsSpace(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  absl::StripTrailingAsciiWhitespace(&out);
  return out;
}

bool IsPlain(absl::string_view s) { return std::none_of(s.begin(), s.end(), IsSpeakable); }

}  // namespace

absl::StatusOr<SpokenText> CleanSpeechText(absl::string_view utf8) {
  if (utf8.size() > kMaxSpeechTextBytes) {
    return absl::InvalidArgumentError(absl::StrFormat("text: %d bytes, at most %d can be spoken",
                                                      utf8.size(), kMaxSpeechTextBytes));
  }
  SpokenText out;
  std::string clean;
  clean.reserve(utf8.size());
  size_t left_out = 0;
  uint32_t first_left_out = 0;
  for (size_t at = 0; at < utf8.size();) {
    const size_t here = at;
    const std::optional<uint32_t> code = DecodeUtf8(utf8, at);
    if (!code) {
      return absl::InvalidArgumentError(absl::StrFormat("text: byte %d (0x%02X) is not UTF-8", here,
                                                        static_cast<uint8_t>(utf8[here])));
    }
    const std::optional<std::string> spelling = Spell(*code);
    if (spelling) {
      clean += *spelling;
    } else {
      clean += ' ';
      if (left_out++ == 0) first_left_out = *code;
    }
  }
  if (IsPlain(clean)) {
    return absl::InvalidArgumentError(
        utf8.empty() ? "text: empty, at least one word is needed"
                     : "text: nothing in it can be spoken, at least one Latin letter or digit is "
                       "needed");
  }
  if (left_out > 0) {
    out.notes.push_back(
        absl::StrFormat("text: %d character%s left out that the voice cannot speak "
                        "(the first is U+%04X)",
                        left_out, left_out == 1 ? "" : "s", first_left_out));
  }
  out.text = CutLongWords(clean);
  return out;
}

std::vector<TextPiece> SplitSpeechText(absl::string_view text, size_t first_limit, size_t limit) {
  first_limit = std::max<size_t>(first_limit, 60);
  limit = std::max<size_t>(limit, 60);
  std::vector<TextPiece> pieces;
  size_t said = 0;
  const auto add = [&](absl::string_view s, SpeechEnding ending, bool paragraph) {
    if (!IsPlain(s)) pieces.push_back({std::string(s), ending, paragraph});
    said += s.size();
  };
  for (size_t at = SkipSpace(text, 0); at < text.size();) {
    const Boundary b = NextBoundary(text, at);
    const std::string flat = Flatten(text.substr(at, b.end - at));
    absl::string_view rest = flat;
    for (;;) {
      const size_t most = said < first_limit ? std::min(first_limit, limit) : limit;
      if (rest.size() <= most) break;
      SpeechEnding ending;
      const size_t cut = CutPoint(rest, most, ending);
      add(rest.substr(0, cut), ending, false);
      rest = absl::StripLeadingAsciiWhitespace(rest.substr(cut));
    }
    add(rest, b.ending, b.paragraph);
    at = b.next;
  }
  return pieces;
}

}  // namespace posewire::speech
