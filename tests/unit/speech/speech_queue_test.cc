#include "libs/speech/speech_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/speech/fake_voice.h"
#include "tests/unit/speech/gated_voice.h"

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
  const std::vector<std::string> notes = q.queue.TakeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], HasSubstr("the fake voice is broken"));
  EXPECT_TRUE(q.queue.TakeNotes().empty());
}

TEST(SpeechQueue, ReturnsTheErrorWhenNothingCanBeSpoken) {
  Queue q({Piece("broken"), Piece("broken too")});
  EXPECT_THAT(q.queue.Next().status(), absl::InternalError("the fake voice is broken"));
}

TEST(SpeechQueue, GivesEverythingAtTheRateOfTheFirstClause) {
  Queue q({Piece("one"), Piece("faster"), Piece("end")});
  std::vector<SpeechPiece> pieces;
  while (auto next = q.queue.Next().value()) pieces.push_back(next->speech);
  ASSERT_EQ(pieces.size(), 3u);
  for (const SpeechPiece& p : pieces) EXPECT_EQ(p.rate_hz, 16000);
  // Six letters and the pauses around them.
  EXPECT_NEAR(pieces[1].duration_s(), 0.12 + 6 * 0.08 + 0.2, 0.001);
  EXPECT_NEAR(pieces[1].phonemes.back().end_s, pieces[1].duration_s(), 1e-9);
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

struct GatedQueue {
  explicit GatedQueue(int clauses)
      : queue(std::make_unique<GatedVoice>(gate),
              std::vector<TextPiece>(static_cast<size_t>(clauses), Piece("word"))) {}
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  SpeechQueue queue;
};

TEST(SpeechQueue, BeginsAClauseOnceTheOneBeforeIsBeingPlayed) {
  GatedQueue q(3);
  EXPECT_FALSE(q.queue.Ready());
  q.gate->Give(Tone(1));
  q.gate->Give(Tone(1));
  ASSERT_TRUE(q.queue.Next()->has_value());
  EXPECT_EQ(q.gate->runs(), 1) << "the first clause still comes";
  q.gate->End();
  q.gate->WaitForRuns(2);
  EXPECT_EQ(q.gate->runs(), 2) << "nothing of the second was taken";
}

TEST(SpeechQueue, CancelsAClauseThatNeverComes) {
  auto gate = std::make_shared<Gate>();
  {
    SpeechQueue queue(std::make_unique<GatedVoice>(gate), {Piece("word"), Piece("word")});
    gate->WaitForRuns(1);
  }
  EXPECT_EQ(gate->cancelled(), 1);
  EXPECT_EQ(gate->runs(), 1);
}

TEST(SpeechQueue, CutsAClauseThatFailsInItsMiddleAndGoesOn) {
  GatedQueue q(2);
  q.gate->Give(Tone(1));
  q.gate->End(absl::UnavailableError("the server is gone"));
  q.gate->Give(Tone(0.5));
  q.gate->End();
  double total_s = 0;
  while (auto next = q.queue.Next().value()) total_s += next->speech.duration_s();
  EXPECT_NEAR(total_s, 1.5, 1e-9);
  EXPECT_EQ(q.queue.TakeNotes(),
            std::vector<std::string>{"text: piece 1 cut after 1.0 s: the server is gone"});
}

TEST(SpeechQueue, EndsAfterThreeFailuresInARow) {
  GatedQueue q(9);
  q.gate->Give(Tone(1));
  q.gate->End();
  for (int i = 0; i < 3; ++i) q.gate->End(absl::UnavailableError("the server is gone"));
  ASSERT_TRUE(q.queue.Next()->has_value());
  EXPECT_EQ(q.queue.Next().status(), absl::UnavailableError("the server is gone"));
  EXPECT_EQ(q.gate->runs(), 4);
  EXPECT_EQ(q.queue.Next().status(), absl::UnavailableError("the server is gone"));
}

TEST(SpeechQueue, EndsAtOnceWhenTheVoiceRejectsTheCredentials) {
  for (const absl::Status& shut :
       {absl::UnauthenticatedError("no key"), absl::PermissionDeniedError("not you"),
        absl::NotFoundError("no such voice")}) {
    GatedQueue q(9);
    q.gate->End(shut);
    EXPECT_EQ(q.queue.Next().status(), shut);
    EXPECT_EQ(q.gate->runs(), 1);
  }
}

TEST(SpeechQueue, ReportsAVoiceThatGivesOnlySilence) {
  GatedQueue q(2);
  for (int i = 0; i < 2; ++i) {
    q.gate->Give(Tone(1, 16000, 0));
    q.gate->End();
  }
  EXPECT_EQ(q.queue.Next().status(),
            absl::DataLossError("the voice gave no sound for any piece of the text"));
}

TEST(SpeechQueue, PassesOverAnyNumberOfClausesWhoseTextTheVoiceCannotRead) {
  GatedQueue q(6);
  for (int i = 0; i < 5; ++i) q.gate->End(absl::InvalidArgumentError("no such letters"));
  q.gate->Give(Tone(1));
  q.gate->End();
  EXPECT_TRUE(q.queue.Next()->has_value());
  EXPECT_FALSE(q.queue.Next()->has_value());
}

TEST(SpeechQueue, PassesTheVoicesNotesOn) {
  GatedQueue q(1);
  SpeechPart part = Tone(1);
  part.notes = {"voice: times out of order"};
  q.gate->Give(std::move(part));
  q.gate->End();
  ASSERT_TRUE(q.queue.Next()->has_value());
  EXPECT_EQ(q.queue.TakeNotes(), std::vector<std::string>{"voice: times out of order"});
}

// Items that have come already.
class Items : public PieceSource {
 public:
  explicit Items(std::vector<SayItem> items) : items_(std::move(items)) {}
  std::optional<SayItem> Next() override {
    if (next_ == items_.size()) return std::nullopt;
    return items_[next_++];
  }
  void Cancel() override {}

 private:
  std::vector<SayItem> items_;
  size_t next_ = 0;
};

SayItem TextItem(const std::string& text, double pause_s = 0) {
  SayItem item;
  item.piece.text = text;
  item.piece.pause_s = pause_s;
  return item;
}

SayItem SoundItem(size_t samples, const std::string& text, bool ends_clause) {
  SayItem item;
  item.piece.text = text;
  item.sound.emplace();
  item.sound->rate_hz = 8000;
  item.sound->samples.assign(samples, 1000);
  item.ends_clause = ends_clause;
  return item;
}

TEST(SpeechQueue, GivesPausesAndMarksThatHaveNoText) {
  SayItem first = TextItem("", 0.5), last = TextItem("", 0.25);
  first.piece.marks.push_back({0, {TextMark::kGesture, "wave", 1}});
  last.piece.marks.push_back({0, {TextMark::kGesture, "bow", 1}});
  SpeechQueue queue(std::make_unique<FakeVoice>(std::make_shared<FakeVoiceState>()),
                    std::make_shared<Items>(std::vector<SayItem>{first, TextItem("one"), last}));
  std::vector<SpokenPiece> pieces;
  while (auto next = queue.Next().value()) pieces.push_back(*next);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].speech.duration_s(), 0.5) << "at the rate of the first sound";
  EXPECT_EQ(pieces[0].marks[0].mark.name, "wave");
  EXPECT_EQ(pieces[1].text, "one");
  EXPECT_EQ(pieces[2].speech.duration_s(), 0.25);
  EXPECT_EQ(pieces[2].marks[0].mark.name, "bow");
}

TEST(SpeechQueue, GivesSoundOfTheCallersVoiceAsItIs) {
  SpeechQueue queue(
      nullptr,
      std::make_shared<Items>(std::vector<SayItem>{
          SoundItem(800, "One", false), SoundItem(400, "", true), SoundItem(200, "", true)}),
      {}, 8000);
  std::vector<SpokenPiece> pieces;
  while (auto next = queue.Next().value()) pieces.push_back(*next);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].speech.samples, std::vector<int16_t>(800, 1000));
  EXPECT_EQ(pieces[0].text, "One");
  EXPECT_TRUE(pieces[0].begins_clause && !pieces[0].ends_clause);
  EXPECT_TRUE(!pieces[1].begins_clause && pieces[1].ends_clause);
  EXPECT_TRUE(pieces[2].begins_clause) << "the one before it ended a clause";
}

TEST(SpeechQueue, SaysThatThereIsNothingToSay) {
  const std::vector<std::vector<SayItem>> nothing = {
      {}, {TextItem("", 0.5)}, {SoundItem(0, "", true)}};
  for (const std::vector<SayItem>& items : nothing) {
    SpeechQueue queue(std::make_unique<FakeVoice>(std::make_shared<FakeVoiceState>()),
                      std::make_shared<Items>(items));
    absl::StatusOr<std::optional<SpokenPiece>> next = queue.Next();
    while (next.ok() && *next) next = queue.Next();
    EXPECT_TRUE(IsNothingToSay(next.status())) << next.status();
  }
  EXPECT_FALSE(IsNothingToSay(absl::InternalError("the fake voice is broken")));
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
