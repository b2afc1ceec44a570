#include "services/a2f_source/speaker/said_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace posewire::a2f_source {
namespace {

using ::testing::ElementsAre;

class Listening : public SayListener {
 public:
  void OnAccepted(const std::string&, int) override {}
  void OnStarted(double) override {}
  void OnClause(int64_t index, const SaidClause& clause) override {
    told.push_back(std::to_string(index) + ":" + clause.text);
  }
  void OnWord(absl::string_view text, double, double) override { told.emplace_back(text); }
  void OnPhoneme(const speech::Phoneme&) override {}
  void OnNote(const std::string&) override {}
  void OnEnded(SayEnd, const std::string&, double, const absl::Status&,
               const std::string&) override {}

  std::vector<std::string> told;
};

// Words of a second each, from `start_s`.
SaidClause Clause(const std::string& text, double start_s) {
  SaidClause clause{text, start_s, start_s, {}, {}, {}, false};
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    clause.words.push_back({at, end, clause.end_s, clause.end_s + 0.9});
    clause.end_s += 1;
    at = end + 1;
  }
  return clause;
}

TEST(SaidLog, TellsWordsWhenTheyArePlayed) {
  Listening heard;
  std::vector<std::string> marks;
  SaidLog log(&heard, [&](const speech::TextMark& mark) { marks.push_back(mark.name); });
  SaidClause first = Clause("One two", 0);
  first.marks.emplace_back(1, speech::TextMark{speech::TextMark::kGesture, "wave", 1});
  log.Add(first);
  log.Add(Clause("three.", 2));
  EXPECT_THAT(heard.told, ElementsAre("0:One two", "1:three."));
  log.PlayTo(0.5);
  EXPECT_EQ(heard.told.back(), "One");
  EXPECT_TRUE(marks.empty());
  log.PlayTo(1);
  log.PlayTo(0.2);  // goes back
  EXPECT_EQ(heard.told.back(), "two");
  EXPECT_THAT(marks, ElementsAre("wave"));
  log.PlayTo(9);
  EXPECT_THAT(heard.told, ElementsAre("0:One two", "1:three.", "One", "two", "three."));
}

TEST(SaidLog, KnowsWhatWasHeardToTheWord) {
  SaidLog log(nullptr, [](const speech::TextMark&) {});
  log.Add(Clause("One two", 0));
  log.Add(Clause("three four.", 2));
  EXPECT_EQ(log.Spoken(0.01), "");
  EXPECT_EQ(log.Spoken(0.1), "One");
  EXPECT_EQ(log.Spoken(1.02), "One") << "of a word cut so soon nothing was heard";
  EXPECT_EQ(log.Spoken(2.5), "One two three");
  log.PlayTo(3.5);
  EXPECT_EQ(log.Spoken(3.5), "One two three four.");
}

TEST(SaidLog, TakesBetterTimesOfTheLastClause) {
  Listening heard;
  SaidLog log(&heard, [](const speech::TextMark&) {});
  SaidClause clause = Clause("One two three", 0);
  log.Add(clause);
  log.PlayTo(0.5);
  for (speech::PlacedWord& word : clause.words) word.start_s *= 2;
  clause.again = true;
  log.Add(clause);
  log.PlayTo(1.5);
  EXPECT_THAT(heard.told, ElementsAre("0:One two three", "One"));
  log.PlayTo(2);
  EXPECT_THAT(heard.told, ElementsAre("0:One two three", "One", "two"));
  EXPECT_EQ(log.Spoken(3), "One two");
}

TEST(SaidLog, JoinsAsTheScriptDoes) {
  SaidLog log(nullptr, [](const speech::TextMark&) {});
  log.Add(Clause("你好。", 0));
  log.Add(Clause("世界。", 1));
  EXPECT_EQ(log.Spoken(5), "你好。世界。");
}

TEST(SaidLog, KeepsTheEndOfALongText) {
  SaidLog log(nullptr, [](const speech::TextMark&) {});
  for (int i = 0; i < 20000; ++i) {
    log.Add(Clause("añejo", i));
    log.PlayTo(i);
  }
  const std::string spoken = log.Spoken(1e9);
  EXPECT_LE(spoken.size(), SaidLog::kMostBytes);
  EXPECT_GT(spoken.size(), SaidLog::kMostBytes - 10);
}

}  // namespace
}  // namespace posewire::a2f_source
