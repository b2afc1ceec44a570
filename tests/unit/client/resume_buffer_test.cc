#include "libs/client/resume_buffer.h"

#include <cmath>
#include <random>

#include "gtest/gtest.h"

namespace posewire::client {
namespace {

wire::ChunkTimes Span(double first_s, double last_s) { return {first_s, last_s, first_s}; }

wire::MessageBytes Message(const std::string& text) {
  return std::make_shared<const std::string>(text);
}

std::string Joined(const ResumeBuffer::Tail& tail) {
  std::string all;
  for (const auto& message : tail.messages) all += *message;
  return all;
}

TEST(ResumeBuffer, GivesEveryMessageThatReachesBeyondTheHeldCode) {
  ResumeBuffer buffer(30, 0);
  buffer.Add(Message("a"), Span(0, 1));
  buffer.Add(Message("b"), Span(1, 2));
  buffer.Add(Message("c"), Span(2, 3));
  EXPECT_EQ(Joined(buffer.After(-HUGE_VAL)), "abc");
  EXPECT_EQ(Joined(buffer.After(0.5)), "abc");
  EXPECT_EQ(Joined(buffer.After(1)), "bc");
  EXPECT_EQ(Joined(buffer.After(2.999)), "c");
  EXPECT_EQ(Joined(buffer.After(3)), "");
  EXPECT_EQ(buffer.After(1).lost_s, 0);
}

TEST(ResumeBuffer, TracksMayComeInSeparateMessages) {
  ResumeBuffer buffer(30, 0);
  buffer.Add(Message("voice "), Span(0, 4));
  buffer.Add(Message("face0 "), Span(0, 1));
  buffer.Add(Message("face1 "), Span(1.1, 2));
  // The face is held up to 1; the voice up to 4, but every track only to 1.
  EXPECT_EQ(Joined(buffer.After(1)), "voice face1 ");
}

TEST(ResumeBuffer, MessagesWithoutCodesGoWithWhatStandsBeforeThem) {
  ResumeBuffer buffer(30, 0);
  buffer.Add(Message("m0 "), wire::ChunkTimes());
  buffer.Add(Message("a "), Span(0, 1));
  buffer.Add(Message("m1 "), wire::ChunkTimes());
  buffer.Add(Message("b "), Span(1, 2));
  EXPECT_EQ(Joined(buffer.After(-HUGE_VAL)), "m0 a m1 b ");
  EXPECT_EQ(Joined(buffer.After(1)), "m1 b ");
  EXPECT_EQ(Joined(buffer.After(1.5)), "b ");
}

TEST(ResumeBuffer, DropsWhatIsOlderThanItsSeconds) {
  ResumeBuffer buffer(30, 0);
  for (int i = 0; i < 100; ++i) buffer.Add(Message("x"), Span(i, i + 1));
  EXPECT_EQ(buffer.size(), 30u);
  EXPECT_EQ(buffer.After(-HUGE_VAL).messages.size(), 30u);
  EXPECT_EQ(buffer.After(60).lost_s, 10);
  EXPECT_EQ(buffer.After(70).lost_s, 0);
  EXPECT_EQ(buffer.After(90).lost_s, 0);
}

TEST(ResumeBuffer, KeepsMoreSecondsWhileTheyFitItsBytes) {
  ResumeBuffer buffer(30, 50);
  for (int i = 0; i < 100; ++i) buffer.Add(Message("x"), Span(i, i + 1));
  EXPECT_EQ(buffer.bytes(), 50u);
  EXPECT_EQ(buffer.size(), 50u);
}

TEST(ResumeBuffer, AWholeClipInOneMessageIsKept) {
  ResumeBuffer buffer(30, 0);
  buffer.Add(Message("clip"), Span(0, 500));
  EXPECT_EQ(Joined(buffer.After(12)), "clip");
}

// Reference: every message ever sent, filtered.
TEST(ResumeBuffer, RandomStreamsLoseNothingWithinTheKeptSeconds) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> step(0.01, 2);
  for (int round = 0; round < 200; ++round) {
    ResumeBuffer buffer(30, 0);
    struct Sent {
      std::string text;
      double end_s;
    };
    std::vector<Sent> sent;
    double at_s = step(random) * 100;
    for (int i = 0; i < 120; ++i) {
      const double end_s = at_s + step(random);
      const std::string text = std::to_string(i) + " ";
      buffer.Add(Message(text), Span(at_s, end_s));
      sent.push_back({text, end_s});
      at_s = end_s;
    }
    const double received_until_s = at_s - std::uniform_real_distribution<double>(0, 29.9)(random);
    std::string want;
    for (const Sent& message : sent) {
      if (message.end_s > received_until_s) want += message.text;
    }
    const ResumeBuffer::Tail tail = buffer.After(received_until_s);
    EXPECT_EQ(Joined(tail), want);
    EXPECT_EQ(tail.lost_s, 0);
  }
}

}  // namespace
}  // namespace posewire::client
