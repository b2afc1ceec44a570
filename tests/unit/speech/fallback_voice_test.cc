#include "libs/speech/fallback_voice.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/speech/gated_voice.h"

namespace posewire::speech {
namespace {

struct Pair {
  std::shared_ptr<Gate> first = std::make_shared<Gate>(), second = std::make_shared<Gate>();
  std::unique_ptr<Voice> voice = WithFallback(std::make_unique<GatedVoice>(first), "server",
                                              std::make_unique<GatedVoice>(second), "slt");
};

// The lengths of a text's parts, and its notes.
std::pair<std::vector<double>, std::vector<std::string>> Read(SpeechRun& run) {
  std::pair<std::vector<double>, std::vector<std::string>> out;
  for (;;) {
    SpeechPart part;
    if (!run.Read(part).value()) return out;
    if (part.rate_hz > 0) {
      out.first.push_back(static_cast<double>(part.samples.size()) / part.rate_hz);
    }
    for (const std::string& note : part.notes) out.second.push_back(note);
  }
}

TEST(FallbackVoice, LeavesAVoiceAloneThatWorks) {
  Pair p;
  p.first->Give(Tone(1));
  p.first->End();
  const auto [parts, notes] = Read(**p.voice->Begin({}));
  EXPECT_EQ(parts, std::vector<double>{1});
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(p.second->runs(), 0);
}

TEST(FallbackVoice, SpeaksThatTextAndLaterOnesAndSaysWhyOnce) {
  Pair p;
  p.first->End(absl::UnavailableError("connection refused"));
  for (const double length_s : {0.5, 0.25}) {
    p.second->Give(Tone(length_s));
    p.second->End();
  }
  auto run = p.voice->Begin({}).value();
  const auto [parts, notes] = Read(*run);
  EXPECT_EQ(parts, std::vector<double>{0.5});
  EXPECT_EQ(notes,
            std::vector<std::string>{"voice: slt speaks in place of server: connection refused"});
  const auto later = Read(**p.voice->Begin({}));
  EXPECT_EQ(later.first, std::vector<double>{0.25});
  EXPECT_TRUE(later.second.empty());
  EXPECT_EQ(p.first->runs(), 1) << "a voice that failed is left alone";
}

TEST(FallbackVoice, DoesNotBeginATextAgainThatWasHeard) {
  Pair p;
  p.first->Give(Tone(1));
  p.first->End(absl::UnavailableError("reset"));
  auto run = p.voice->Begin({}).value();
  SpeechPart part;
  ASSERT_TRUE(run->Read(part).value());
  EXPECT_EQ(run->Read(part).status(), absl::UnavailableError("reset"));
  EXPECT_EQ(p.second->runs(), 0);
}

TEST(FallbackVoice, CancelsWhicheverSpeaks) {
  Pair p;
  p.first->End(absl::UnavailableError("reset"));
  auto run = p.voice->Begin({}).value();
  SpeechPart part;
  ASSERT_TRUE(run->Read(part).value());
  run->Cancel();
  EXPECT_EQ(run->Read(part).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(p.second->cancelled(), 1);
}

}  // namespace
}  // namespace posewire::speech
