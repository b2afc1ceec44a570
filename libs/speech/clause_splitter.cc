#include "libs/speech/clause_splitter.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "libs/speech/cut_point.h"
#include "libs/speech/text_cleaner.h"
#include "libs/speech/unicode_text.h"

namespace posewire::speech {
namespace {

constexpr size_t kLeastLetters = 60;
// The growth limit never makes a piece shorter than this. After "Good morning!", a voice at half
// the pace of speech has this ready when the greeting, its pause and the lead of 0.3 s of a source
// are over.
constexpr size_t kLeastGrown = 36;
// A long sentence is cut only when this much more than fits is known, so that a conjunction at the
// cut is seen whole.
constexpr size_t kSpareLetters = 10, kSpareWords = 1;
// The longest run of white space or of punctuation marks that is taken at once; a longer run is
// taken in parts.
constexpr size_t kLongestRun = 256;
constexpr size_t kStartWords[] = {2, 4};
constexpr size_t kStartLetters[] = {6, 30};  // in scripts without spaces

// The character at `at` of a text that may still grow.
struct Next {
  bool known = false;
  char32_t c = 0;  // 0 at the end, and for a byte that is not UTF-8
  size_t size = 0;
};

Next NextAt(absl::string_view text, size_t at, bool end) {
  if (at >= text.size()) return {end, 0, 0};
  size_t next = at;
  if (const auto c = DecodeUtf8(text, next)) return {true, *c, next - at};
  if (!end && IsUtf8Start(text.substr(at, 3))) return {};
  return {true, 0, 1};
}

bool IsLineEnd(char32_t c) { return c == '\n' || c == 0x2028; }

// A run of white space and the character after it.
struct Space {
  size_t size = 0;
  int lines = 0;
  bool sentence = false;  // contains U+2028, which ends a sentence
  Next next;
};

Space SpaceAt(absl::string_view text, size_t at, bool end) {
  Space s;
  for (;;) {
    if (s.size >= kLongestRun) {
      s.next = {true, 0, 0};
      return s;
    }
    s.next = NextAt(text, at + s.size, end);
    if (!s.next.known || !(IsBreakingSpace(s.next.c) || IsLineEnd(s.next.c))) return s;
    s.lines += s.next.c == '\n';
    s.sentence |= s.next.c == 0x2028;
    s.size += s.next.size;
  }
}

bool IsPlainText(absl::string_view s) {
  for (size_t at = 0; at < s.size();) {
    if (IsWordChar(DecodeUtf8(s, at).value_or(0))) return false;
  }
  return true;
}

std::string AnchorsOf(absl::string_view s) {
  std::string anchors;
  for (size_t at = 0; at < s.size();) {
    const auto c = DecodeUtf8(s, at);
    if (c == TextCleaner::kAnchor) AppendUtf8(*c, anchors);
  }
  return anchors;
}

}  // namespace

ClauseSplitter::ClauseSplitter(absl::string_view language, const ClauseLimits& limits)
    : language_(PrimaryLanguage(language)), limits_(limits) {
  limits_.first = std::max(limits_.first, kLeastLetters);
  limits_.most = std::max(limits_.most, kLeastLetters);
}

std::vector<TextPiece> ClauseSplitter::Add(absl::string_view text) {
  pending_.append(text.data(), text.size());
  Process(false);
  return std::exchange(pieces_, {});
}

std::vector<TextPiece> ClauseSplitter::Flush() {
  Process(true);
  EndSentence(SpeechEnding::kStatement, true);
  said_ = last_letters_ = 0;
  return std::exchange(pieces_, {});
}

std::vector<TextPiece> ClauseSplitter::Hurry() {
  // The last word may be incomplete.
  if (words_ <= kLeastWords) return {};
  const CutPoint cut = FindCut(sentence_, letters_, words_ - 1, RulesOf(language_));
  const absl::string_view said = absl::string_view(sentence_).substr(0, cut.bytes);
  const auto spaces = static_cast<size_t>(std::count(said.begin(), said.end(), ' '));
  if (spaces + 1 < kLeastWords) return {};
  EndPiece(cut.bytes, cut.clause ? SpeechEnding::kClause : SpeechEnding::kCut, false);
  return std::exchange(pieces_, {});
}

void ClauseSplitter::Process(bool end) {
  size_t at = 0;
  while (at < pending_.size()) {
    const size_t taken = TakeNext(absl::string_view(pending_).substr(at), end);
    if (taken == 0) break;
    at += taken;
    CutLong(kSpareLetters, kSpareWords);
  }
  pending_.erase(0, at);
}

size_t ClauseSplitter::TakeNext(absl::string_view rest, bool end) {
  const Next first = NextAt(rest, 0, end);
  if (!first.known) return 0;
  if (IsBreakingSpace(first.c) || IsLineEnd(first.c)) return TakeSpace(rest, end);
  if (EndMarkOf(first.c, language_ == "el") != EndMark::kNone) return TakeEndMarks(rest, end);
  if (first.c == 0) return first.size;
  Append(first.c);
  if (first.c >= 0x3000 && IsClauseMark(first.c)) CutStart();
  return first.size;
}

size_t ClauseSplitter::TakeSpace(absl::string_view rest, bool end) {
  const Space space = SpaceAt(rest, 0, end);
  const Next& next = space.next;
  if (!next.known) return 0;
  bool item = false;
  if (space.lines == 1 && (next.c == '-' || next.c == '+')) {
    const Next after = NextAt(rest, space.size + next.size, end);
    if (!after.known) return 0;
    item = after.c == ' ';
  }
  if (space.lines >= 2 || space.sentence || item) {
    EndSentence(SpeechEnding::kStatement, space.lines >= 2);
    return space.size;
  }
  if (sentence_.empty() || next.c == 0) return space.size;
  const char32_t before = CharBefore(sentence_, sentence_.size());
  if (IsClauseMark(before)) CutStart();
  // A line break between ideographs is not a space.
  const bool wide = space.lines > 0 && HasNoSpaces(before) && HasNoSpaces(next.c);
  if (!sentence_.empty() && !wide) Append(' ');
  return space.size;
}

size_t ClauseSplitter::TakeEndMarks(absl::string_view rest, bool end) {
  const bool greek = language_ == "el";
  size_t size = 0, marks = 0;
  bool question = false, exclamation = false, wide = false, stops = true;
  Next next;
  for (;; ++marks) {
    next = NextAt(rest, size, end);
    if (!next.known) return 0;
    const EndMark mark = EndMarkOf(next.c, greek);
    if (mark == EndMark::kNone || size >= kLongestRun) break;
    question |= mark == EndMark::kQuestion || mark == EndMark::kWideQuestion;
    exclamation |= mark == EndMark::kExclamation || mark == EndMark::kWideExclamation;
    wide |= mark >= EndMark::kWideStatement;
    stops &= mark == EndMark::kStop;
    size += next.size;
  }
  for (;;) {
    if (size >= 2 * kLongestRun) {
      break;
    } else if (IsClosing(next.c)) {
      size += next.size;
    } else if (next.c == 0xA0 || (next.c == ' ' && language_ == "fr")) {
      const Next quote = NextAt(rest, size + next.size, end);  // « Viens ! »
      if (!quote.known) return 0;
      if (quote.c != U'»') break;
      size += next.size + quote.size;
    } else {
      break;
    }
    next = NextAt(rest, size, end);
    if (!next.known) return 0;
  }
  const Space space = SpaceAt(rest, size, end);
  if (!space.next.known) return 0;
  const bool paragraph = space.lines > 1;
  const char32_t before = sentence_.empty() ? 0 : CharBefore(sentence_, sentence_.size());
  bool ends = wide || space.size > 0 || next.c == 0 || IsOpening(next.c) ||
              (IsCjk(next.c) && (question || exclamation || (stops && IsCjk(before))));
  if (stops && marks == 1 && space.next.c != 0 && !paragraph && !space.sentence) {
    ends = ends && !StopOfAbbreviation(language_, sentence_, space.next.c);
  }
  for (size_t at = 0; at < size;) {
    const Next c = NextAt(rest, at, true);
    Append(c.c);
    at += c.size;
  }
  if (!ends) return size;
  EndSentence(question      ? SpeechEnding::kQuestion
              : exclamation ? SpeechEnding::kExclamation
                            : SpeechEnding::kStatement,
              paragraph);
  return size + space.size;
}

void ClauseSplitter::Append(char32_t c) {
  const bool in_word = !sentence_.empty() && sentence_.back() != ' ';
  if (c != ' ' && !in_word) ++words_;
  letters_ += LettersOf(c);
  AppendUtf8(c, sentence_);
}

// The maximum number of letters of a piece that starts here.
size_t ClauseSplitter::Most() const {
  size_t most = said_ < limits_.first ? std::min(limits_.first, limits_.most) : limits_.most;
  if (limits_.growth > 0 && last_letters_ > 0) {
    const double grown = limits_.growth * static_cast<double>(last_letters_);
    most = std::min(most, std::max(kLeastGrown, static_cast<size_t>(grown)));
  }
  return most;
}

// At a comma: ends the first piece if it is a few words long.
void ClauseSplitter::CutStart() {
  if (!limits_.short_start || said_ > 0) return;
  std::string comma;
  AppendUtf8(CharBefore(sentence_, sentence_.size()), comma);
  if (comma.size() >= sentence_.size()) return;
  const bool spaced = !HasNoSpaces(CharBefore(sentence_, sentence_.size() - comma.size()));
  const auto within = [](size_t n, const size_t(&range)[2]) {
    return n >= range[0] && n <= range[1];
  };
  if (within(words_, kStartWords) || (!spaced && within(letters_, kStartLetters))) {
    EndPiece(sentence_.size(), SpeechEnding::kClause, false);
  }
}

// Cuts while the sentence exceeds one piece by more than the given amounts.
void ClauseSplitter::CutLong(size_t spare_letters, size_t spare_words) {
  while (letters_ > Most() + spare_letters ||
         (limits_.words > 0 && words_ > limits_.words + spare_words)) {
    const CutPoint cut = FindCut(sentence_, Most(), limits_.words, RulesOf(language_));
    EndPiece(cut.bytes, cut.clause ? SpeechEnding::kClause : SpeechEnding::kCut, false);
  }
}

// Emits the first `bytes` of the sentence as a piece.
void ClauseSplitter::EndPiece(size_t bytes, SpeechEnding ending, bool paragraph) {
  std::string rest = sentence_.substr(bytes);
  sentence_.resize(bytes);
  while (absl::EndsWith(sentence_, " ")) sentence_.pop_back();
  const size_t letters = LettersOf(sentence_);
  said_ += letters;
  if (!IsPlainText(sentence_)) {
    last_letters_ = letters;
    pieces_.push_back({std::move(sentence_), ending, paragraph});
  } else {
    rest.insert(0, AnchorsOf(sentence_));
  }
  const size_t begin = std::min(rest.find_first_not_of(' '), rest.size());
  sentence_ = rest.substr(begin);
  letters_ = LettersOf(sentence_);
  words_ = 0;
  for (size_t i = 0; i < sentence_.size(); ++i) {
    words_ += sentence_[i] != ' ' && (i == 0 || sentence_[i - 1] == ' ');
  }
}

void ClauseSplitter::EndSentence(SpeechEnding ending, bool paragraph) {
  if (sentence_.empty()) return;
  CutLong(0, 0);
  EndPiece(sentence_.size(), ending, paragraph);
}

}  // namespace posewire::speech
