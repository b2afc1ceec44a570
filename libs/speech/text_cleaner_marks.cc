// Part of text_cleaner.h: emphasis, links and tags within a line.
#include <algorithm>
#include <cstddef>
#include <optional>

#include "absl/strings/ascii.h"
#include "libs/speech/markup.h"
#include "libs/speech/text_cleaner.h"
#include "libs/speech/unicode_text.h"

namespace posewire::speech {
namespace {

constexpr size_t kLongestRun = 64;

bool IsAsciiDigit(char32_t c) { return c >= '0' && c <= '9'; }

}  // namespace

TextCleaner::Step TextCleaner::TakeText(absl::string_view rest, bool end) {
  const char first = rest[0];
  if (first == '\n') {
    EndLine();
    return 1;
  }
  if (IsAsciiDigit(static_cast<unsigned char>(first)) || first == '#' || first == '*') {
    const Match keycap = MatchKeycap(rest);
    if (keycap.what == Match::kMore && !end) return std::nullopt;
    if (keycap.what == Match::kYes) {
      LeaveOut(0x20E3);
      return keycap.size;
    }
  }
  if (absl::ascii_isalnum(static_cast<unsigned char>(first)) &&
      (!IsWordChar(before_) || HasNoSpaces(before_))) {
    const Match start = MatchAddressStart(rest);
    const Match email = MatchEmail(rest);
    if (start.what == Match::kYes) {
      ++addresses_;
      in_address_ = true;
      return start.size;
    }
    if (email.what == Match::kYes) {
      ++addresses_;
      in_address_ = true;
      return email.size;
    }
    if ((start.what == Match::kMore || email.what == Match::kMore) && !end) return std::nullopt;
  }
  if (IsFormatting(static_cast<unsigned char>(first)) || first == '!' || first == '&') {
    return TakeMarkup(rest, end);
  }
  size_t size = 0;
  TakeCharacter(*DecodeUtf8(rest, size));
  return size;
}

TextCleaner::Step TextCleaner::TakeMarkup(absl::string_view rest, bool end) {
  const auto undecided = [&](const Match& m) { return m.what == Match::kMore && !end; };
  if (rest.size() == 1 && !end) return std::nullopt;
  const char next = rest.size() > 1 ? rest[1] : '\n';
  switch (rest[0]) {
    case '\\':
      if (!absl::ascii_ispunct(static_cast<unsigned char>(next))) break;
      if (IsFormatting(static_cast<unsigned char>(next))) {
        BreakBy(Break::kSpace);
      } else {
        Say(static_cast<unsigned char>(next));
      }
      return 2;
    case '*':
    case '_':
    case '`':
    case '~':
      return TakeRun(rest, end);
    case '!':
      if (next != '[') Say('!');
      return 1;
    case '&': {
      char meant = '&';
      const Match entity = MatchEntity(rest, meant);
      if (undecided(entity)) return std::nullopt;
      TakeCharacter(static_cast<unsigned char>(meant));
      return entity.what == Match::kYes ? entity.size : 1;
    }
    case '<': {
      const Match tag = MatchTag(rest);
      if (undecided(tag)) return std::nullopt;
      if (tag.what != Match::kYes) break;
      if (on_tag_ && on_tag_(rest.substr(0, tag.size))) ++anchors_;
      const absl::string_view inside = rest.substr(1, tag.size - 2);
      addresses_ += MatchAddressStart(inside).what == Match::kYes ||
                    MatchEmail(rest.substr(1)).what == Match::kYes;
      if (IsBlockTag(rest.substr(0, tag.size))) BreakBy(Break::kLine);
      return tag.size;
    }
    case '[':
      if (next == '^') {
        const Match note = MatchBrackets(rest);
        if (undecided(note)) return std::nullopt;
        if (note.what == Match::kYes) return note.size;
      }
      ++brackets_;
      if (IsWordChar(before_)) break;
      return 1;
    case ']':
      return TakeClosingBracket(rest, end);
    case '|':
      if (break_ >= Break::kLine) Open(Block::kRow);
      block_ = Block::kRow;
      after_cell_ = last_ != 0 && break_ < Break::kLine;
      break;
    default:
      break;
  }
  BreakBy(Break::kSpace);
  return 1;
}

// Removes emphasis and inline code. The same characters within "snake_case", "2*3" and "3~5"
// separate words.
TextCleaner::Step TextCleaner::TakeRun(absl::string_view rest, bool end) {
  const size_t run = std::min({rest.find_first_not_of(rest[0]), rest.size(), kLongestRun});
  if (run == rest.size() && !end) return std::nullopt;
  size_t at = run;
  const char32_t next = at < rest.size() ? DecodeUtf8(rest, at).value_or(0) : '\n';
  if (next == 0 && !end && IsUtf8Start(rest.substr(run, 3))) return std::nullopt;
  const bool parts = rest[0] == '*'   ? IsAsciiDigit(before_) && IsAsciiDigit(next)
                     : rest[0] == '_' ? IsWordChar(before_) && IsWordChar(next)
                     : rest[0] == '~' ? run == 1
                                      : false;
  if (parts || (IsBlank(before_) && IsBlank(next))) BreakBy(Break::kSpace);
  return run;
}

// Ends a link's text and drops its destination.
TextCleaner::Step TextCleaner::TakeClosingBracket(absl::string_view rest, bool end) {
  if (brackets_ > 0) {
    const Match to =
        rest[1] == '(' ? MatchDestination(rest.substr(1)) : MatchBrackets(rest.substr(1));
    if (to.what == Match::kMore && !end) return std::nullopt;
    --brackets_;
    if (to.what == Match::kYes) return 1 + to.size;
  }
  BreakBy(Break::kSpace);
  return 1;
}

}  // namespace posewire::speech
