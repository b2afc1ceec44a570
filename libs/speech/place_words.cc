#include "libs/speech/place_words.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "libs/speech/unicode_text.h"

namespace posewire::speech {
namespace {

// Texts with more pairs of words than this are not compared.
constexpr size_t kMostPairs = 1000000;

// The letters and digits of a word, in lower case. Words are compared by them.
std::string CoreOf(absl::string_view word) {
  std::string core;
  for (size_t at = 0; at < word.size();) {
    const auto c = DecodeUtf8(word, at);
    if (!c) {
      ++at;
    } else if (IsWordChar(*c)) {
      AppendUtf8(ToLowerCase(*c), core);
    }
  }
  return core;
}

struct Written {
  PlacedWord word;
  std::string core;
};

std::vector<Written> WordsOf(absl::string_view text) {
  std::vector<Written> words;
  bool open = false;  // the last word is incomplete
  for (size_t at = 0; at < text.size();) {
    const size_t from = at;
    const auto read = DecodeUtf8(text, at);
    if (!read) at = from + 1;
    const char32_t c = read.value_or(0);
    if (IsBlank(c)) {
      open = false;
      continue;
    }
    const bool letter = IsWordChar(c);
    const bool alone = letter && IsCjk(c);
    // A separate punctuation mark belongs to the word before it.
    if ((!open && (letter || words.empty())) || (alone && !words.back().core.empty())) {
      words.push_back({{from, at, 0, 0}, {}});
    }
    open = !alone;
    words.back().word.end = at;
    if (letter) AppendUtf8(ToLowerCase(c), words.back().core);
  }
  if (words.size() == 1 && words[0].core.empty()) words.clear();
  return words;
}

// Returns the pairs of equal words, in order in both: a longest common subsequence.
std::vector<std::pair<size_t, size_t>> SameWords(const std::vector<Written>& written,
                                                 const std::vector<std::string>& said) {
  const size_t n = written.size(), m = said.size();
  std::vector<std::pair<size_t, size_t>> same;
  if (n * m > kMostPairs) return same;
  std::vector<uint16_t> length((n + 1) * (m + 1));
  const auto at = [&](size_t i, size_t j) -> uint16_t& { return length[i * (m + 1) + j]; };
  for (size_t i = n; i-- > 0;) {
    for (size_t j = m; j-- > 0;) {
      at(i, j) = written[i].core == said[j] ? static_cast<uint16_t>(at(i + 1, j + 1) + 1)
                                            : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  for (size_t i = 0, j = 0; i < n && j < m;) {
    if (written[i].core == said[j]) {
      same.emplace_back(i++, j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      ++i;
    } else {
      ++j;
    }
  }
  return same;
}

// Divides the time from start_s to end_s among the words [i, end).
void Share(size_t i, size_t end, double start_s, double end_s, std::vector<Written>& words) {
  double letters = 0;
  for (size_t k = i; k < end; ++k) letters += static_cast<double>(words[k].core.size() + 1);
  double at_s = start_s;
  for (; i < end; ++i) {
    words[i].word.start_s = at_s;
    at_s += (end_s - start_s) * static_cast<double>(words[i].core.size() + 1) / letters;
    words[i].word.end_s = at_s;
  }
}

}  // namespace

std::vector<PlacedWord> PlaceWords(absl::string_view text, absl::Span<const Word> said) {
  std::vector<PlacedWord> placed;
  if (said.empty()) return placed;
  std::vector<Written> words = WordsOf(text);
  std::vector<std::string> cores;
  cores.reserve(said.size());
  for (const Word& word : said) cores.push_back(CoreOf(word.text));
  std::vector<std::pair<size_t, size_t>> same = SameWords(words, cores);
  same.emplace_back(words.size(), said.size());
  size_t i = 0, j = 0;
  for (const auto& [next_i, next_j] : same) {
    if (i < next_i) {
      // If nothing was spoken between two matches, the words get the time between the matches.
      const double before_s = j > 0 ? said[j - 1].end_s : said.front().start_s;
      const double after_s = next_j < said.size() ? said[next_j].start_s : said.back().end_s;
      const double start_s = j < next_j ? said[j].start_s : before_s;
      const double end_s = j < next_j ? said[next_j - 1].end_s : std::max(before_s, after_s);
      Share(i, next_i, start_s, end_s, words);
    }
    if (next_i < words.size()) {
      words[next_i].word.start_s = said[next_j].start_s;
      words[next_i].word.end_s = said[next_j].end_s;
    }
    i = next_i + 1;
    j = next_j + 1;
  }
  placed.reserve(words.size());
  for (const Written& word : words) placed.push_back(word.word);
  return placed;
}

}  // namespace posewire::speech
