#include "services/a2f_source/core/say_gestures.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "absl/strings/string_view.h"

namespace posewire::a2f_source {
namespace {

using Gesture = wire::SpeechGesture;

// A list item is a short piece between commas.
constexpr size_t kItemWords = 3;

struct Meaning {
  absl::string_view word;
  Gesture::Kind kind;
  int number = 0;
  bool when_accented = false;
};
// "one" and "a second" are rarely numbers.
constexpr Meaning kMeanings[] = {
    {"hello", Gesture::kGreeting},       {"hi", Gesture::kGreeting},
    {"hey", Gesture::kGreeting},         {"goodbye", Gesture::kGreeting},
    {"bye", Gesture::kGreeting},         {"two", Gesture::kNumber, 2},
    {"three", Gesture::kNumber, 3},      {"four", Gesture::kNumber, 4},
    {"five", Gesture::kNumber, 5},       {"first", Gesture::kNumber, 1},
    {"secondly", Gesture::kNumber, 2},   {"third", Gesture::kNumber, 3},
    {"but", Gesture::kContrast},         {"however", Gesture::kContrast},
    {"although", Gesture::kContrast},    {"instead", Gesture::kContrast},
    {"otherwise", Gesture::kContrast},   {"this", Gesture::kPoint, 0, true},
    {"that", Gesture::kPoint, 0, true},  {"these", Gesture::kPoint, 0, true},
    {"those", Gesture::kPoint, 0, true}, {"here", Gesture::kPoint, 0, true},
    {"there", Gesture::kPoint, 0, true}, {"i", Gesture::kSelf, 0, true},
    {"me", Gesture::kSelf, 0, true},     {"my", Gesture::kSelf, 0, true},
    {"myself", Gesture::kSelf},          {"you", Gesture::kYou, 0, true},
    {"your", Gesture::kYou, 0, true},
};

// Cue phrases that open a topic when a sentence begins with them (Hirschberg and Litman, "Empirical
// studies on the disambiguation of cue phrases", Computational Linguistics 19(3), 1993).
constexpr absl::string_view kTopicWords[] = {"now",     "anyway", "next",      "finally", "okay",
                                             "alright", "well",   "meanwhile", "so",      "lastly"};

bool OpensTopic(const speech::Phrase& phrase, bool sentence_over) {
  if (phrase.words.empty() || !sentence_over) return false;
  return phrase.begins_paragraph || std::find(std::begin(kTopicWords), std::end(kTopicWords),
                                              phrase.words.front().text) != std::end(kTopicWords);
}

// Following "good".
constexpr absl::string_view kTimesOfDay[] = {"morning", "afternoon", "evening", "day", "night"};

// Returns the word's meaning, if any. `before`: the word before it, or null.
std::optional<Gesture> MeaningOf(const speech::Word& word, const speech::Word* before) {
  Gesture gesture;
  if (before != nullptr && before->text == "good" &&
      std::find(std::begin(kTimesOfDay), std::end(kTimesOfDay), word.text) !=
          std::end(kTimesOfDay)) {
    gesture.kind = Gesture::kGreeting;
    return gesture;
  }
  if (speech::IsNegation(word.text)) {
    gesture.kind = Gesture::kNegation;
    return gesture;
  }
  const auto* it = std::find_if(std::begin(kMeanings), std::end(kMeanings), [&](const Meaning& m) {
    return m.word == word.text && (word.accented || !m.when_accented);
  });
  if (it == std::end(kMeanings)) return std::nullopt;
  gesture.kind = it->kind;
  gesture.number = it->number;
  return gesture;
}

}  // namespace

void GesturePlan::Add(const speech::Phrase& phrase) {
  std::vector<Gesture> found;
  const auto add = [&](Gesture gesture, const speech::Word& word, float strength) {
    gesture.stroke_in_s = word.beat_s;
    gesture.end_in_s = phrase.speech_end_s;
    gesture.strength = strength;
    found.push_back(gesture);
  };
  const speech::Word *last = nullptr, *before = nullptr;
  for (const speech::Word& word : phrase.words) {
    if (word.accented) last = &word;
    if (const auto meant = MeaningOf(word, std::exchange(before, &word))) {
      add(*meant, word, random_.Uniform(0.7f, 1.0f));
    }
  }
  if (last != nullptr && phrase.ending == speech::SpeechEnding::kQuestion) {
    add({Gesture::kQuestion}, *last, random_.Uniform(0.7f, 1.0f));
  } else if (last != nullptr && phrase.ending == speech::SpeechEnding::kClause &&
             phrase.words.size() <= kItemWords) {
    add({Gesture::kList}, *last, random_.Uniform(0.5f, 0.8f));
  }
  for (const speech::Word& word : phrase.words) {
    if (word.accented) add({Gesture::kBeat}, word, random_.Uniform(0.0f, 0.7f));
  }
  // Of gestures too close to each other, keep the strongest.
  std::vector<Gesture> kept;
  std::stable_sort(found.begin(), found.end(),
                   [](const Gesture& a, const Gesture& b) { return a.strength > b.strength; });
  for (const Gesture& gesture : found) {
    const auto near = [&](const Gesture& other) {
      return std::abs(other.stroke_in_s - gesture.stroke_in_s) < kApart_s;
    };
    const bool late = gesture.stroke_in_s - last_s_ < kApart_s;
    if (!late && std::none_of(kept.begin(), kept.end(), near)) kept.push_back(gesture);
  }
  std::sort(kept.begin(), kept.end(),
            [](const Gesture& a, const Gesture& b) { return a.stroke_in_s < b.stroke_in_s; });
  if (!kept.empty()) last_s_ = kept.back().stroke_in_s;
  if (OpensTopic(phrase, sentence_over_)) {
    Gesture topic{Gesture::kTopic};
    topic.strength = 1;
    topic.stroke_in_s = phrase.speech_start_s;
    topic.end_in_s = phrase.speech_end_s;
    kept.insert(kept.begin(), topic);
  }
  sentence_over_ = speech::EndsSentence(phrase.ending);
  coming_.insert(coming_.end(), kept.begin(), kept.end());
}

std::optional<wire::SpeechGesture> GesturePlan::Take(double t_s) {
  if (coming_.empty() || coming_.front().stroke_in_s - kTextAhead_s > t_s) return std::nullopt;
  Gesture gesture = coming_.front();
  coming_.pop_front();
  gesture.stroke_in_s -= t_s;
  gesture.end_in_s -= t_s;
  return gesture;
}

}  // namespace posewire::a2f_source
