#include "libs/speech/cut_point.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "libs/speech/text_cleaner.h"
#include "libs/speech/unicode_text.h"

namespace posewire::speech {
namespace {

// Small kana and marks of length and repetition belong to the character before them.
bool BeginsNoLine(char32_t c) {
  return IsOneOf(U"ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮー々ゝゞヽヾ", c) || IsMark(c);
}

bool IsHiragana(char32_t c) { return c >= 0x3041 && c <= 0x309F; }

bool OpensWithDash(absl::string_view s) {
  return absl::StartsWith(s, "- ") || absl::StartsWith(s, "– ") || absl::StartsWith(s, "— ");
}

// A possible cut: the bytes and letters before it.
struct Place {
  size_t bytes = 0, letters = 0;
};

}  // namespace

size_t LettersOf(char32_t c) {
  if (c < 0x300) return 1;
  if (IsMark(c) || c == TextCleaner::kAnchor) return 0;
  if (IsCjk(c)) return 3;
  return c >= 0xAC00 && c < 0xD7A4 ? 2 : 1;
}

size_t LettersOf(absl::string_view text) {
  size_t letters = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t from = at;
    letters += LettersOf(DecodeUtf8(text, at).value_or(0));
    at = std::max(at, from + 1);
  }
  return letters;
}

CutPoint FindCut(absl::string_view text, size_t letters, size_t words, const SentenceRules& rules) {
  Place clause, joint, space, last;
  char32_t before = 0;
  size_t spaces = 0;
  Place here;
  while (here.bytes < text.size() && here.letters < letters) {
    size_t next = here.bytes;
    const char32_t c = DecodeUtf8(text, next).value_or(0);
    next = std::max(next, here.bytes + 1);
    const absl::string_view rest = text.substr(next);
    if (here.bytes > 0 && !IsMark(c)) last = here;
    if (here.bytes > 0 && c == ' ') {
      space = here;
      if (IsClauseMark(before) || OpensWithDash(rest)) clause = here;
      const absl::string_view word = rest.substr(0, std::min(rest.find(' '), rest.size()));
      if (IsListed(rules.joining, ToLowerUtf8(word))) joint = here;
      if (++spaces == words) {
        letters = std::min(letters, here.letters + 1);
        break;
      }
    } else if (here.bytes > 0 && before >= 0x3000 && IsClauseMark(before)) {
      space = clause = here;
    } else if (IsCjk(before) && IsCjk(c) && !BeginsNoLine(c)) {
      space = here;
      if (IsHiragana(before) && !IsHiragana(c)) joint = here;
    }
    before = c;
    here = {next, here.letters + LettersOf(c)};
  }
  if (clause.letters * 3 >= letters) return {clause.bytes, true};
  if (joint.letters * 5 >= letters * 2) return {joint.bytes, false};
  if (space.bytes > 0) return {space.bytes, false};
  size_t at = here.bytes;
  const bool between = at < text.size() && !IsMark(DecodeUtf8(text, at).value_or(0));
  return {between || last.bytes == 0 ? here.bytes : last.bytes, false};
}

}  // namespace posewire::speech
