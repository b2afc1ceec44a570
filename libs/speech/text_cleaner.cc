#include "libs/speech/text_cleaner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/speech/markup.h"
#include "libs/speech/unicode_text.h"

namespace posewire::speech {
namespace {

constexpr size_t kLongestWord = 50;

// Pictures, and characters that mean nothing when spoken.
bool IsPicture(char32_t c) {
  constexpr CharRange kPictures[] = {{0x2139, 0x2139}, {0x2190, 0x21FF},   {0x2300, 0x245F},
                                     {0x2474, 0x27FF}, {0x2900, 0x297F},   {0x2B00, 0x2BFF},
                                     {0x3030, 0x3030}, {0x303D, 0x303D},   {0x3297, 0x3297},
                                     {0x3299, 0x3299}, {0xE000, 0xF8FF},   {0xFDD0, 0xFDEF},
                                     {0xFFF9, 0xFFFF}, {0x1F000, 0x1FBFF}, {0xF0000, 0x10FFFF}};
  return Holds(kPictures, c);
}

// Characters that only change how others look. Joiners are handled separately because they also
// shape letters.
bool IsInvisible(char32_t c) {
  constexpr CharRange kInvisible[] = {{0xAD, 0xAD},     {0xAE, 0xAE},       {0x200B, 0x200B},
                                      {0x200E, 0x200F}, {0x202A, 0x202E},   {0x2060, 0x206F},
                                      {0x20E3, 0x20E3}, {0x2122, 0x2122},   {0xFE00, 0xFE0F},
                                      {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF}, {0xE0000, 0xE0FFF}};
  return Holds(kInvisible, c);
}

std::string Note(size_t count, absl::string_view one, absl::string_view many) {
  return absl::StrCat("text: ", count, " ", count == 1 ? one : many, " left out");
}

}  // namespace

std::string TextCleaner::Add(absl::string_view utf8) {
  pending_.append(utf8.data(), utf8.size());
  Process(false);
  return std::exchange(out_, {});
}

std::string TextCleaner::Flush() {
  pending_ += '\n';
  Process(true);
  if (block_ != Block::kText) EndSentence();
  SayAnchors();
  block_ = Block::kNone;
  brackets_ = 0;
  --consumed_;  // the line break added above
  BreakBy(Break::kParagraph);
  return std::exchange(out_, {});
}

void TextCleaner::Process(bool end) {
  size_t at = 0;
  while (at < pending_.size()) {
    const Step step = TakeNext(absl::string_view(pending_).substr(at), end);
    if (!step) break;
    at += *step;
  }
  consumed_ += at;
  pending_.erase(0, at);
}

TextCleaner::Step TextCleaner::TakeNext(absl::string_view rest, bool end) {
  if (line_start_) return TakeLineStart(rest, end);
  size_t size = 0;
  const std::optional<char32_t> c = DecodeUtf8(rest, size);
  if (!c) {
    if (!end && IsUtf8Start(rest.substr(0, 3))) return std::nullopt;
    if (bad_bytes_++ == 0) {
      first_bad_byte_ = consumed_ + static_cast<size_t>(rest.data() - pending_.data());
    }
    return 1;
  }
  if (in_address_) {
    TakeAddressChar(*c);
    if (!in_address_) return 0;
    before_ = *c;
    return size;
  }
  const Step step = TakeText(rest, end);
  if (step && *step > 0) before_ = CharBefore(rest, *step);
  return step;
}

// Continues or ends an address. If it ends, says the punctuation after it.
void TextCleaner::TakeAddressChar(char32_t c) {
  constexpr absl::string_view kAfter = ".,;:!?)'*_";
  if (!IsAddressChar(c)) {
    in_address_ = false;
    if (!after_address_.empty() && break_ == Break::kSpace) break_ = Break::kNone;
    for (const char sign : std::exchange(after_address_, {})) {
      if (!IsFormatting(static_cast<unsigned char>(sign))) Say(static_cast<unsigned char>(sign));
    }
  } else if (c < 0x80 && kAfter.find(static_cast<char>(c)) != absl::string_view::npos) {
    after_address_ += static_cast<char>(c);
  } else {
    after_address_.clear();
  }
}

void TextCleaner::TakeCharacter(char32_t c) {
  if (c == 0x2028) {
    BreakBy(Break::kLine);
  } else if (c == 0x2029) {
    BreakBy(Break::kParagraph);
  } else if (c == 0x2022) {  // a bullet within the line
    EndSentence();
  } else if (IsBreakingSpace(c) || c < 0x20 || (c >= 0x7F && c < 0xA0)) {
    BreakBy(Break::kSpace);
  } else if (c == 0x200C || c == 0x200D) {
    if (before_ >= 0x600 && IsWordChar(before_) && break_ == Break::kNone) Say(c);
  } else if (c == 0x203C || c == 0x2049 || c == 0x203D) {
    SayAll(c == 0x203C ? "!!" : c == 0x2049 ? "!?" : "?!");
  } else if (c >= 0x2460 && c <= 0x2473) {  // a circled number
    SayAll(absl::StrCat(static_cast<uint32_t>(c - 0x2460 + 1)));
  } else if (IsInvisible(c) ||
             (c == '#' && block_ == Block::kHeading && (IsBlank(before_) || before_ == '#'))) {
    return;
  } else if (IsPicture(c)) {
    LeaveOut(c);
  } else {
    Say(c);
  }
}

void TextCleaner::LeaveOut(char32_t c) {
  BreakBy(Break::kSpace);
  if (before_ == 0x200D) return;  // part of the previous emoji
  if (left_out_++ == 0) first_left_out_ = c;
}

void TextCleaner::BreakBy(Break size) { break_ = std::max(break_, size); }

void TextCleaner::Say(char32_t c) {
  constexpr absl::string_view kBreaks[] = {"", " ", "\n", "\u2028", "\n\n"};
  constexpr absl::string_view kParting = ",;:.!?";
  if (std::exchange(after_cell_, false)) {
    if (last_ >= 0x80 || kParting.find(static_cast<char>(last_)) == kParting.npos) out_ += ',';
    BreakBy(Break::kSpace);
  }
  if (last_ == 0) break_ = Break::kNone;  // nothing was said before
  word_ = break_ == Break::kNone && !HasNoSpaces(c) ? word_ + 1 : 1;
  if (word_ > kLongestWord) {
    BreakBy(Break::kSpace);
    word_ = 1;
  }
  absl::StrAppend(&out_, kBreaks[static_cast<size_t>(std::exchange(break_, Break::kNone))]);
  SayAnchors();
  AppendUtf8(c, out_);
  last_ = c;
  has_words_ |= IsWordChar(c);
}

void TextCleaner::SayAnchors() {
  for (; anchors_ > 0; --anchors_) AppendUtf8(kAnchor, out_);
}

void TextCleaner::SayAll(absl::string_view ascii) {
  for (const char c : ascii) Say(static_cast<unsigned char>(c));
}

std::vector<std::string> TextCleaner::notes() const {
  std::vector<std::string> notes;
  if (left_out_ > 0) {
    notes.push_back(absl::StrFormat("%s that cannot be spoken (the first is U+%04X)",
                                    Note(left_out_, "character", "characters"),
                                    static_cast<uint32_t>(first_left_out_)));
  }
  if (addresses_ > 0)
    notes.push_back(Note(addresses_, "web or e-mail address", "web or e-mail addresses"));
  if (code_blocks_ > 0) notes.push_back(Note(code_blocks_, "block of code", "blocks of code"));
  if (bad_bytes_ > 0) {
    notes.push_back(absl::StrFormat("%s that are not UTF-8 (the first is byte %d)",
                                    Note(bad_bytes_, "byte", "bytes"), first_bad_byte_));
  }
  return notes;
}

}  // namespace posewire::speech
