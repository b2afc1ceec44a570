// Part of text_cleaner.h: how lines of Markdown open and end.
#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "libs/speech/markup.h"
#include "libs/speech/text_cleaner.h"
#include "libs/speech/unicode_text.h"

namespace posewire::speech {
namespace {

bool IsIndent(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Marks after which a sentence needs no full stop, and marks that may follow those.
bool EndsByItself(char32_t c) { return IsOneOf(U".!?…:;,。！？：；，、؟،؛।॥۔—", c); }
bool Closes(char32_t c) { return IsOneOf(U"\"')»”’」』）】》", c); }

char32_t FullStopAfter(char32_t c) {
  if (IsCjk(c)) return U'。';
  return c >= 0x900 && c < 0x980 ? U'।' : U'.';
}

}  // namespace

// Ends the sentence. Adds a full stop if it has no end mark, because voices rely on one.
void TextCleaner::EndSentence() {
  after_cell_ = false;
  if (last_ == 0 || break_ >= Break::kSentence) return;
  if (!EndsByItself(last_) && !Closes(last_)) {
    const char32_t stop = FullStopAfter(last_);
    AppendUtf8(stop, out_);
    last_ = stop;
  }
  BreakBy(Break::kSentence);
}

void TextCleaner::EndLine() {
  if (block_ == Block::kHeading || block_ == Block::kRow) {
    EndSentence();
    block_ = Block::kNone;
  }
  after_cell_ = false;
  BreakBy(Break::kLine);
  line_start_ = true;
  before_ = '\n';
}

// Starts a block: the line before does not continue in this one.
void TextCleaner::Open(Block block) {
  EndSentence();
  block_ = block;
  brackets_ = 0;
  line_start_ = false;
}

TextCleaner::Step TextCleaner::TakeLineStart(absl::string_view rest, bool end) {
  if (!fence_.empty()) {
    const Match line = MatchLine(rest);
    if (line.what != Match::kYes && !end) return std::nullopt;
    const size_t size = line.what == Match::kYes ? line.size : rest.size();
    const absl::string_view inside = absl::StripAsciiWhitespace(rest.substr(0, size));
    if (absl::StartsWith(inside, fence_) &&
        inside.find_first_not_of(fence_[0]) == absl::string_view::npos) {
      fence_.clear();
    }
    return size;
  }
  const size_t indent =
      static_cast<size_t>(std::find_if_not(rest.begin(), rest.end(), IsIndent) - rest.begin());
  if (indent > 0) return indent;
  const auto undecided = [&](const Match& m) { return m.what == Match::kMore && !end; };
  if (rest[0] == '\n') {
    if (block_ != Block::kText && block_ != Block::kQuote) EndSentence();
    block_ = Block::kNone;
    brackets_ = 0;
    BreakBy(Break::kParagraph);
    return 1;
  }
  if (rest[0] == '>') {
    if (block_ != Block::kQuote) Open(Block::kQuote);
    line_start_ = true;
    return 1;
  }
  absl::string_view fence;
  const Match code = MatchFence(rest, fence);
  const Match rule = MatchRule(rest);
  if (undecided(code) || undecided(rule)) return std::nullopt;
  if (code.what == Match::kYes) {
    Open(Block::kNone);
    line_start_ = true;
    fence_ = std::string(fence);
    ++code_blocks_;
    return code.size;
  }
  if (rule.what == Match::kYes) {
    Open(Block::kNone);
    line_start_ = true;
    return rule.size;
  }
  if (rest[0] == '#') return TakeHashes(rest, end);
  if (absl::ascii_isdigit(static_cast<unsigned char>(rest[0]))) return TakeNumber(rest, end);
  return TakeBullet(rest, end);
}

TextCleaner::Step TextCleaner::TakeHashes(absl::string_view line, bool end) {
  const size_t run = std::min({line.find_first_not_of('#'), line.size(), size_t{7}});
  if (run < 7 && run == line.size() && !end) return std::nullopt;
  line_start_ = false;
  if (run > 6 || run == line.size() ||
      !absl::ascii_isspace(static_cast<unsigned char>(line[run]))) {
    if (block_ == Block::kNone) block_ = Block::kText;
    return 0;
  }
  Open(Block::kHeading);
  return run;
}

// Takes "1. " and "12) ". Within a paragraph only "1" starts a list, because any number may come
// first in a line of text.
TextCleaner::Step TextCleaner::TakeNumber(absl::string_view line, bool end) {
  const size_t run = std::min(line.find_first_not_of("0123456789"), line.size());
  if (run < 4 && run + 1 >= line.size() && !end) return std::nullopt;
  line_start_ = false;
  const bool item = run < 4 && run + 1 < line.size() && (line[run] == '.' || line[run] == ')') &&
                    IsIndent(line[run + 1]) &&
                    (block_ != Block::kText || (run == 1 && line[0] == '1'));
  if (item) {
    Open(Block::kItem);
  } else if (block_ == Block::kNone) {
    block_ = Block::kText;
  }
  return 0;
}

TextCleaner::Step TextCleaner::TakeBullet(absl::string_view line, bool end) {
  constexpr absl::string_view kBullets[] = {"-", "*", "+", "•", "‣", "◦",
                                            "▪", "●", "○", "■", "–", "—"};
  constexpr absl::string_view kBoxes[] = {"[ ] ", "[x] ", "[X] "};
  for (const absl::string_view bullet : kBullets) {
    if (!end && absl::StartsWith(bullet, line)) return std::nullopt;
    if (!absl::StartsWith(line, bullet)) continue;
    const absl::string_view after = line.substr(bullet.size());
    if (after.empty() || !IsIndent(after[0])) {
      if (after.empty() && !end) return std::nullopt;
      break;
    }
    const absl::string_view item = after.substr(1);
    for (const absl::string_view box : kBoxes) {
      if (!end && absl::StartsWith(box, item)) return std::nullopt;
      if (!absl::StartsWith(item, box)) continue;
      Open(Block::kItem);
      return bullet.size() + 1 + box.size();
    }
    Open(Block::kItem);
    return bullet.size() + 1;
  }
  line_start_ = false;
  if (block_ == Block::kNone) block_ = Block::kText;
  return 0;
}

}  // namespace posewire::speech
