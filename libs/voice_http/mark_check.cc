#include "libs/voice_http/mark_check.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace posewire::voice_http {
namespace {

using speech::Phoneme;
using speech::SpeechPart;
using speech::Word;

constexpr double kStretch_s = 0.02;
constexpr double kVoicedRms = 328;  // -40 dB
constexpr char kPause[] = "pau";

// Judges by the first symbol: an IPA vowel, or a vowel letter of ARPAbet.
bool IsVowelSign(absl::string_view phone) {
  static constexpr absl::string_view kVowels[] = {
      "a", "e", "i", "o", "u", "y", "ɑ", "ɐ", "ɒ", "æ", "ʌ", "ə", "ɚ", "ɛ", "ɜ", "ɝ",
      "ɪ", "ɨ", "ɔ", "ø", "œ", "ʊ", "ʉ", "ɯ", "ɤ", "ɵ", "ʏ", "ɞ", "ɘ", "ɶ", "ɫ̩"};
  return std::any_of(std::begin(kVowels), std::end(kVowels), [&](absl::string_view vowel) {
    return phone.substr(0, vowel.size()) == vowel;
  });
}

std::string PlainWord(absl::string_view text) {
  const auto is_edge = [](char c) {
    return absl::ascii_ispunct(static_cast<unsigned char>(c)) ||
           absl::ascii_isspace(static_cast<unsigned char>(c)) ||
           absl::ascii_iscntrl(static_cast<unsigned char>(c));
  };
  while (!text.empty() && is_edge(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_edge(text.back())) text.remove_suffix(1);
  return absl::AsciiStrToLower(text);
}

size_t CountLetters(absl::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// `phonemes` must be in order.
void FindBeat(const std::vector<Phoneme>& phonemes, Word& word) {
  word.beat_s = (word.start_s + word.end_s) / 2;
  bool any = false;
  auto p = std::lower_bound(phonemes.begin(), phonemes.end(), word.start_s,
                            [](const Phoneme& p, double s) { return p.end_s <= s; });
  for (; p != phonemes.end() && p->start_s < word.end_s && !word.accented; ++p) {
    if (!IsVowelSign(p->phone) || (any && !p->stressed)) continue;
    const double middle_s = (p->start_s + p->end_s) / 2;
    if (middle_s < word.start_s || middle_s > word.end_s) continue;
    word.beat_s = middle_s;
    word.accented = p->stressed;
    any = true;
  }
  const bool any_stress =
      std::any_of(phonemes.begin(), phonemes.end(), [](const Phoneme& p) { return p.stressed; });
  if (!any_stress) word.accented = CountLetters(word.text) >= 4;
}

}  // namespace

void MarkCheck::Take(const std::vector<MarkBatch>& batches, SpeechPart& part) {
  part.phone_set = speech::PhoneSet::kIpa;
  if (dropped_) return;
  Hear(part.samples, part.rate_hz);
  for (const MarkBatch& batch : batches) {
    if (!dropped_) AddBatch(batch, part);
  }
  if (!dropped_) CheckCoverage(false, part);
  part.marks_until_s = dropped_ ? 0 : std::max(phonemes_until_s_, words_until_s_);
}

void MarkCheck::Finish(SpeechPart& part) {
  part.phone_set = speech::PhoneSet::kIpa;
  const double until_s = std::max(phonemes_until_s_, words_until_s_);
  if (dropped_ || count_ == 0) return;
  part.marks_until_s = until_s;
  const double sound_s = rate_hz_ > 0 ? static_cast<double>(samples_) / rate_hz_ : 0;
  if (until_s > sound_s + kMostBeyond_s) {
    Drop(absl::StrCat("they go on to ", until_s, " s, and the sound ends at ", sound_s, " s"),
         part);
    return;
  }
  CheckCoverage(true, part);
}

void MarkCheck::Drop(const std::string& why, SpeechPart& part) {
  dropped_ = true;
  part.phonemes.clear();
  part.words.clear();
  part.marks_until_s = 0;
  part.notes.push_back(absl::StrCat(
      "The times of the server are dropped, and lips come from the sound: ", why, "."));
}

void MarkCheck::AddBatch(MarkBatch batch, SpeechPart& part) {
  count_ += batch.phonemes.size() + batch.words.size();
  if (count_ > kMostMarks) {
    Drop(absl::StrCat("there are more than ", kMostMarks), part);
    return;
  }
  double end_s = 0;
  if (batch.end_s.has_value()) {
    end_s = *batch.end_s;
    if (!(end_s >= 0 && end_s <= most_s_)) {
      Drop(absl::StrCat("a stretch ends at ", end_s, " s, expected 0 to ", most_s_), part);
      return;
    }
  }
  if (!AddPhonemes(batch.phonemes, end_s, part)) return;
  if (!AddWords(batch.words, part)) return;
  // Without phonemes, the words also cover the pause after the last one.
  if (!any_phonemes_ && !batch.words.empty()) words_until_s_ = std::max(words_until_s_, end_s);
}

bool MarkCheck::CheckTimes(absl::string_view kind, double& start_s, double& end_s,
                           double& last_end_s, SpeechPart& part) {
  const std::string times = absl::StrCat("a ", kind, " lasts from ", start_s, " to ", end_s, " s");
  if (!std::isfinite(start_s) || !std::isfinite(end_s)) {
    Drop(times, part);
  } else if (start_s < -kMostOverlap_s) {
    Drop(absl::StrCat(times, ", which is before the sound"), part);
  } else if (end_s > most_s_) {
    Drop(absl::StrCat(times, ", which is beyond the longest sound of ", most_s_, " s"), part);
  } else if (end_s < start_s) {
    Drop(absl::StrCat(times, ", which is backwards"), part);
  } else if (last_end_s - start_s > kMostOverlap_s) {
    Drop(absl::StrCat(times, ", and the one before it to ", last_end_s, " s"), part);
  } else {
    start_s = std::max(start_s, last_end_s);
    end_s = std::max(end_s, start_s);
    return true;
  }
  return false;
}

bool MarkCheck::AddPhonemes(std::vector<RawPhoneme>& raw, double end_s, SpeechPart& part) {
  if (raw.empty()) return true;
  const auto pause = [&](double until_s) {
    if (until_s <= phonemes_until_s_) return;
    part.phonemes.push_back({kPause, phonemes_until_s_, until_s, false});
    phonemes_until_s_ = until_s;
  };
  // Sorting requires that no time is NaN.
  if (std::all_of(raw.begin(), raw.end(), [](const auto& p) { return std::isfinite(p.start_s); })) {
    std::stable_sort(raw.begin(), raw.end(),
                     [](const auto& a, const auto& b) { return a.start_s < b.start_s; });
  }
  for (RawPhoneme& p : raw) {
    double last_s = phonemes_until_s_;
    if (!CheckTimes("phoneme", p.start_s, p.end_s, last_s, part)) return false;
    pause(p.start_s);
    if (p.end_s == p.start_s || p.phone.empty()) continue;
    if (p.phone != kPause) Cover(p.start_s, p.end_s);
    part.phonemes.push_back({std::move(p.phone), p.start_s, p.end_s, p.stressed});
    phonemes_until_s_ = p.end_s;
  }
  any_phonemes_ = true;
  pause(end_s);
  return true;
}

bool MarkCheck::AddWords(std::vector<RawWord>& raw, SpeechPart& part) {
  if (std::all_of(raw.begin(), raw.end(), [](const auto& w) { return std::isfinite(w.start_s); })) {
    std::stable_sort(raw.begin(), raw.end(),
                     [](const auto& a, const auto& b) { return a.start_s < b.start_s; });
  }
  for (RawWord& w : raw) {
    double last_s = words_until_s_;
    if (!CheckTimes("word", w.start_s, w.end_s, last_s, part)) return false;
    words_until_s_ = std::max(words_until_s_, w.end_s);
    Word word;
    word.text = PlainWord(w.text);
    if (word.text.empty()) continue;
    word.start_s = w.start_s;
    word.end_s = w.end_s;
    FindBeat(part.phonemes, word);
    if (!any_phonemes_) Cover(word.start_s, word.end_s);
    part.words.push_back(std::move(word));
  }
  return true;
}

void MarkCheck::Cover(double start_s, double end_s) {
  const auto first = static_cast<size_t>(start_s / kStretch_s);
  const auto last = static_cast<size_t>(end_s / kStretch_s);
  if (covered_.size() <= last) covered_.resize(last + 1);
  for (size_t i = first; i <= last; ++i) covered_[i] = true;
}

void MarkCheck::Hear(absl::Span<const int16_t> samples, int rate_hz) {
  if (rate_hz <= 0) return;
  rate_hz_ = rate_hz;
  samples_ += static_cast<int64_t>(samples.size());
  const auto stretch = static_cast<int64_t>(rate_hz * kStretch_s);
  for (const int16_t s : samples) {
    energy_ += static_cast<double>(s) * s;
    if (++in_stretch_ < stretch) continue;
    voiced_.push_back(std::sqrt(energy_ / static_cast<double>(stretch)) >= kVoicedRms);
    energy_ = 0;
    in_stretch_ = 0;
  }
}

void MarkCheck::CheckCoverage(bool at_end, SpeechPart& part) {
  if (count_ == 0) return;
  const double until_s = any_phonemes_ ? phonemes_until_s_ : words_until_s_;
  size_t end = voiced_.size();
  if (!at_end) end = std::min(end, static_cast<size_t>(until_s / kStretch_s));
  size_t voiced = 0, covered = 0;
  for (size_t i = 0; i < end; ++i) {
    if (!voiced_[i]) continue;
    ++voiced;
    covered += i < covered_.size() && covered_[i] ? 1 : 0;
  }
  // Before the end, the coverage is judged only after a second of voice.
  if (voiced < (at_end ? 5u : 50u) || 2 * covered >= voiced) return;
  Drop(absl::StrCat("they cover ", static_cast<double>(covered) * kStretch_s, " s of ",
                    static_cast<double>(voiced) * kStretch_s, " s of voice"),
       part);
}

}  // namespace posewire::voice_http
