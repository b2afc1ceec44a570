#include "libs/speech/speech_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/speech/fake_voice.h"

namespace posewire::speech {
namespace {

using ::testing::HasSubstr;

TextPiece Piece(const std::string& text, SpeechEnding ending = SpeechEnding::kStatement,
                bool ends_paragraph = false) {
  return {text, ending, ends_paragraph};
}

struct Queue {
  explicit Queue(std::vector<TextPiece> pieces)
      : queue(std::make_unique<FakeVoice>(state), std::move(pieces)) {}
  std::shared_ptr<FakeVoiceState> state = std::make_shared<FakeVoiceState>();
  SpeechQueue queue;
};

TEST(SpeechQueue, GivesThePiecesInOrder) {
  Queue q({Piece("one"), Piece("two", SpeechEnding::kQuestion), Piece("three")});
  std::vector<std::string> words;
  std::vector<SpeechEnding> endings;
  for (;;) {
    absl::StatusOr<std::optional<SpokenPiece>> p = q.queue.Next();
    ASSERT_TRUE(p.ok()) << p.status();
    if (!*p) break;
    words.push_back((*p)->speech.words[0].text);
    endings.push_back((*p)->ending);
  }
  EXPECT_EQ(words, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(endings[1], SpeechEnding::kQuestion);
  EXPECT_FALSE(q.queue.Next()->has_value()) << "the end stays the end";
}

TEST(SpeechQueue, MakesOnePieceAheadAndNoMore) {
  Queue q(std::vector<TextPiece>(50, Piece("word")));
  ASSERT_TRUE(q.queue.Next()->has_value());
  EXPECT_LE(q.state->calls, 2);
  ASSERT_TRUE(q.queue.Next()->has_value());
  EXPECT_LE(q.state->calls, 3);
}

TEST(SpeechQueue, PassesOverAPieceThatCannotBeSpoken) {
  Queue q({Piece("one"), Piece("broken"), Piece("three")});
  EXPECT_EQ((*q.queue.Next())->speech.words[0].text, "one");
  EXPECT_EQ((*q.queue.Next())->speech.words[0].text, "three");
  EXPECT_FALSE(q.queue.Next()->has_value());
  ASSERT_EQ(q.queue.notes().size(), 1u);
  EXPECT_THAT(q.queue.notes()[0], HasSubstr("the fake voice is broken"));
}

TEST(SpeechQueue, ReturnsTheErrorWhenNothingCanBeSpoken) {
  Queue q({Piece("broken"), Piece("broken too")});
  EXPECT_THAT(q.queue.Next().status(), absl::InternalError("the fake voice is broken"));
}

TEST(SpeechQueue, RejectsAVoiceThatChangesItsRate) {
  Queue q({Piece("one"), Piece("faster")});
  ASSERT_TRUE(q.queue.Next().ok());
  EXPECT_EQ(q.queue.Next().status().code(), absl::StatusCode::kInternal);
}

TEST(SpeechQueue, FitsThePausesToTheText) {
  Queue q({Piece("one", SpeechEnding::kCut), Piece("two", SpeechEnding::kClause),
           Piece("three", SpeechEnding::kStatement, true), Piece("four")});
  std::vector<SpeechPiece> p;
  while (true) {
    auto next = q.queue.Next();
    if (!next->has_value()) break;
    p.push_back((*next)->speech);
  }
  const auto lead = [](const SpeechPiece& x) { return x.phonemes.front().end_s; };
  const auto tail = [](const SpeechPiece& x) {
    return x.phonemes.back().end_s - x.phonemes.back().start_s;
  };
  EXPECT_NEAR(lead(p[0]), 0.2, 1e-9) << "the first pause stays";
  EXPECT_NEAR(tail(p[0]) + lead(p[1]), 0.04, 1e-3);
  EXPECT_NEAR(tail(p[1]) + lead(p[2]), 0.20, 1e-3);
  EXPECT_NEAR(tail(p[2]) + lead(p[3]), 0.2 + 0.35 + 0.12, 1e-3);
  EXPECT_NEAR(tail(p[3]), 0.2, 1e-3);
  for (const SpeechPiece& x : p) {
    EXPECT_EQ(x.phonemes.front().start_s, 0);
    EXPECT_NEAR(x.phonemes.back().end_s, x.duration_s(), 1e-9);
  }
}

TEST(TrimSilence, CutsSoundAndTimesAlike) {
  PieceBuilder builder(1000);
  builder.Say("pau", 0.2).Say("aa", 0.3).Say("pau", 0.2).Word("a", 0.2, 0.5, true);
  SpeechPiece piece = builder.Build();
  const std::vector<int16_t> whole = piece.samples;
  TrimSilence(0.05, 0.1, piece);
  ASSERT_EQ(piece.samples.size(), 450u);
  EXPECT_TRUE(std::equal(piece.samples.begin(), piece.samples.end(), whole.begin() + 150));
  EXPECT_NEAR(piece.phonemes[1].start_s, 0.05, 1e-9);
  EXPECT_NEAR(piece.phonemes[1].end_s, 0.35, 1e-9);
  EXPECT_NEAR(piece.phonemes[2].end_s, 0.45, 1e-9);
  EXPECT_NEAR(piece.words[0].beat_s, 0.2, 1e-9);
}

TEST(TrimSilence, LeavesAPieceThatIsAllSilence) {
  PieceBuilder builder(1000);
  builder.Say("pau", 0.2);
  SpeechPiece piece = builder.Build();
  TrimSilence(0.05, 0.05, piece);
  EXPECT_EQ(piece.samples.size(), 200u);
}

}  // namespace
}  // namespace posewire::speech
