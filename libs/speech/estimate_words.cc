#include "libs/speech/estimate_words.h"

#include <algorithm>
#include <string>
#include <utility>

#include "libs/speech/cut_point.h"
#include "libs/speech/function_words.h"
#include "libs/speech/sentence_rules.h"
#include "libs/speech/unicode_text.h"

namespace posewire::speech {
namespace {

// Lengths are in letters (LettersOf). They predict the lengths of flite's words as well as
// syllables do, which are known in few languages only. The constants are fitted to 4400 words that
// flite spoke.
constexpr double kDigitLetters = 5, kPauseLetters = 2;
constexpr double kFunctionWord = 0.9, kBeforePause = 1.4;

// A word, its length, and that of the pause after it.
struct LongWord {
  std::string text;
  double length = 0, pause = 0;
};

bool IsKana(char32_t c) { return c >= 0x3041 && c <= 0x30FF; }

double LengthOf(absl::string_view word, absl::string_view language) {
  double letters = 0;
  for (size_t at = 0; at < word.size();) {
    const char32_t c = DecodeUtf8(word, at).value_or(0);
    const bool digit = c >= '0' && c <= '9';
    if (IsWordChar(c)) letters += digit ? kDigitLetters : static_cast<double>(LettersOf(c));
  }
  return std::max(1.0, letters) * (IsFunctionWord(language, word) ? kFunctionWord : 1);
}

class WordList {
 public:
  explicit WordList(absl::string_view language) : language_(language) {}

  void Add(char32_t c) {
    if (BeginsWord(c)) EndWord();
    AppendUtf8(c == U'’' ? U'\'' : ToLowerCase(c), word_);
    ideographs_ = IsCjk(c) ? ideographs_ + 1 : 0;
    last_ = c;
  }
  void EndWord() {
    if (!word_.empty()) words_.push_back({word_, LengthOf(word_, language_), 0});
    word_.clear();
    ideographs_ = 0;
    last_ = 0;
  }
  void Pause() {
    EndWord();
    if (words_.empty() || words_.back().pause > 0) return;
    words_.back().pause = kPauseLetters;
    words_.back().length *= kBeforePause;
  }
  std::vector<LongWord> Take() {
    Pause();
    return std::move(words_);
  }

 private:
  // Returns whether a character starts a new word where no space separates it from the word before.
  bool BeginsWord(char32_t c) const {
    if (IsMark(c) || last_ == 0) return false;
    if (!IsCjk(c) || ideographs_ == 0) return IsCjk(c) || ideographs_ > 0;
    if (language_ == "ja" || IsKana(c) || IsKana(last_)) return IsKana(last_) && !IsKana(c);
    std::string one, before;
    AppendUtf8(c, one);
    AppendUtf8(last_, before);
    return ideographs_ >= 2 || IsFunctionWord("zh", one) || IsFunctionWord("zh", before);
  }

  std::string language_;
  std::vector<LongWord> words_;
  std::string word_;
  int ideographs_ = 0;  // at the end of word_
  char32_t last_ = 0;
};

// Punctuation within a word: "don't", "well-known", "3.5".
bool JoinsWord(char32_t c) { return c == '\'' || c == U'’' || c == '-' || c == '.' || c == ','; }

std::vector<LongWord> WordsOf(absl::string_view text, absl::string_view language) {
  WordList words(language);
  bool in_word = false;
  for (size_t at = 0; at < text.size();) {
    const size_t from = at;
    const auto read = DecodeUtf8(text, at);
    if (!read) at = from + 1;
    const char32_t c = read.value_or(0);
    size_t ahead = at;
    const char32_t next = at < text.size() ? DecodeUtf8(text, ahead).value_or(0) : 0;
    const bool joint = in_word && JoinsWord(c) && IsWordChar(next) && !IsCjk(next);
    if (IsWordChar(c) || joint) {
      words.Add(c);
    } else if (IsClauseMark(c) || EndMarkOf(c, false) != EndMark::kNone || c == U'—' || c == U'–') {
      words.Pause();
    } else if (!IsMark(c)) {
      words.EndWord();
    }
    in_word = IsWordChar(c) || joint;
  }
  return words.Take();
}

}  // namespace

std::vector<Word> EstimateWords(absl::string_view text, absl::string_view language, double start_s,
                                double end_s) {
  const std::string primary = language.empty() ? "en" : PrimaryLanguage(language);
  std::vector<LongWord> said = WordsOf(text, primary);
  std::vector<Word> words;
  if (said.empty()) return words;
  said.back().pause = 0;
  double whole = 0;
  for (const LongWord& w : said) whole += w.length + w.pause;
  const double scale_s = std::max(0.0, end_s - start_s) / whole;
  double at_s = start_s;
  bool accented = false;
  for (LongWord& w : said) {
    Word word;
    word.start_s = at_s;
    word.end_s = at_s + w.length * scale_s;
    word.beat_s = (word.start_s + word.end_s) / 2;
    word.accented = !IsFunctionWord(primary, w.text);
    word.text = std::move(w.text);
    accented |= word.accented;
    at_s = word.end_s + w.pause * scale_s;
    words.push_back(std::move(word));
  }
  if (!accented) words.back().accented = true;
  return words;
}

double EstimateSeconds(absl::string_view text) {
  return static_cast<double>(LettersOf(text)) / 15.5;
}

}  // namespace posewire::speech
