#include "services/a2f_source/speaker/said_log.h"

#include <iterator>
#include <utility>
#include <vector>

#include "libs/speech/unicode_text.h"

namespace posewire::a2f_source {
namespace {

// A word cut off this soon after its beginning was not understood.
constexpr double kNotHeard_s = 0.05;

// Returns true for characters and punctuation of a script without spaces.
bool IsWide(char32_t c) {
  constexpr speech::CharRange kMarks[] = {{0x3000, 0x303F}, {0xFF00, 0xFFEF}};
  return speech::HasNoSpaces(c) || speech::Holds(kMarks, c);
}

// Appends a text, separated as its script separates words.
void Join(absl::string_view text, std::string& all) {
  if (text.empty()) return;
  size_t at = 0;
  const bool wide = !all.empty() && IsWide(speech::CharBefore(all, all.size())) &&
                    IsWide(speech::DecodeUtf8(text, at).value_or(0));
  if (!all.empty() && !wide) all += ' ';
  all.append(text.data(), text.size());
}

void KeepEnd(size_t most, std::string& text) {
  if (text.size() <= most) return;
  size_t cut = text.size() - most;
  while (cut < text.size() && (text[cut] & 0xC0) == 0x80) ++cut;
  text.erase(0, cut);
}

}  // namespace

void SaidLog::Add(SaidClause clause) {
  if (clause.again) return AddMore(std::move(clause));
  if (listener_ != nullptr && !clause.text.empty()) listener_->OnClause(count_, clause);
  if (!clause.text.empty()) ++count_;
  clauses_.push_back({std::move(clause)});
}

void SaidLog::AddMore(SaidClause more) {
  if (clauses_.empty()) return;
  if (more.text.empty()) {
    std::vector<speech::Phoneme>& phonemes = clauses_.back().said.phonemes;
    std::move(more.phonemes.begin(), more.phonemes.end(), std::back_inserter(phonemes));
    return;
  }
  SaidClause& last = clauses_.back().said;
  last.text = std::move(more.text);
  last.words = std::move(more.words);
  last.end_s = more.end_s;
}

void SaidLog::PlayTo(double played_s) {
  for (Clause& clause : clauses_) {
    if (clause.said.start_s > played_s) break;
    Tell(clause, played_s);
  }
  while (clauses_.size() > 1 && clauses_[1].said.start_s <= played_s) {
    // Includes what rounding cut off at its end.
    Tell(clauses_.front(), clauses_.front().said.end_s + 1e9);
    Join(clauses_.front().said.text, spoken_);
    KeepEnd(kMostBytes, spoken_);
    clauses_.pop_front();
  }
}

void SaidLog::Tell(Clause& clause, double played_s) {
  const SaidClause& said = clause.said;
  for (; clause.marks < said.marks.size(); ++clause.marks) {
    if (said.marks[clause.marks].first > played_s) break;
    on_mark_(said.marks[clause.marks].second);
  }
  if (listener_ == nullptr) return;
  for (; clause.words < said.words.size(); ++clause.words) {
    const speech::PlacedWord& word = said.words[clause.words];
    if (word.start_s > played_s) break;
    listener_->OnWord(absl::string_view(said.text).substr(word.begin, word.end - word.begin),
                      word.start_s, word.end_s);
  }
  for (; clause.phonemes < said.phonemes.size(); ++clause.phonemes) {
    if (said.phonemes[clause.phonemes].start_s > played_s) break;
    listener_->OnPhoneme(said.phonemes[clause.phonemes]);
  }
}

std::string SaidLog::Spoken(double played_s) const {
  std::string spoken = spoken_;
  for (const Clause& clause : clauses_) {
    const SaidClause& said = clause.said;
    if (said.words.empty()) {
      if (said.start_s + kNotHeard_s <= played_s) Join(said.text, spoken);
      continue;
    }
    size_t end = 0;
    for (const speech::PlacedWord& word : said.words) {
      if (word.start_s + kNotHeard_s <= played_s) end = word.end;
    }
    Join(absl::string_view(said.text).substr(0, end), spoken);
  }
  KeepEnd(kMostBytes, spoken);
  return spoken;
}

}  // namespace posewire::a2f_source
