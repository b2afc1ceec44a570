#include "libs/speech/mark_lag.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libs/speech/flite_voice.h"
#include "tests/unit/speech/speak_whole.h"

namespace posewire::speech {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTexts[] = {"Maybe Bob may move the big blue box before the baby comes.",
                                  "My mother made a beautiful apple pie and brought it by bus.",
                                  "People who paint the park by day may sleep by the pump.",
                                  "Tom bumped into Pam, who was buying pears and plums in May."};

// flite, whose times are exact, with its times moved.
class LateVoice : public Voice {
 public:
  explicit LateVoice(double late_s) : late_s_(late_s) {}
  absl::StatusOr<std::unique_ptr<SpeechRun>> Begin(const SpeechRequest& request) override {
    class Run : public SpeechRun {
     public:
      Run(std::unique_ptr<SpeechRun> run, double late_s) : run_(std::move(run)), late_s_(late_s) {}
      absl::StatusOr<bool> Read(SpeechPart& part) override {
        auto more = run_->Read(part);
        for (Phoneme& p : part.phonemes) p.start_s += late_s_, p.end_s += late_s_;
        return more;
      }
      void Cancel() override { run_->Cancel(); }

     private:
      std::unique_ptr<SpeechRun> run_;
      double late_s_;
    };
    return std::make_unique<Run>(*flite_->Begin(request), late_s_);
  }

 private:
  std::unique_ptr<Voice> flite_ = MakeFliteVoice("rms").value();
  double late_s_;
};

double LagOf(double late_s) {
  auto lag = std::make_shared<MarkLag>(SpeechNetwork::Builtin());
  const auto voice = WithoutLag(std::make_unique<LateVoice>(late_s), lag);
  for (const char* text : kTexts) EXPECT_TRUE(SpeakWhole(*voice, {text}).ok());
  return lag->lag_s().value_or(-9);
}

TEST(MarkLag, HearsHowLateTimesAre) {
  EXPECT_NEAR(LagOf(0), 0, 0.012);
  EXPECT_NEAR(LagOf(0.07), 0.07, 0.015);
  EXPECT_NEAR(LagOf(-0.05), -0.05, 0.015);
}

TEST(MarkLag, MovesLateTimesAndSaysSoOnce) {
  auto lag = std::make_shared<MarkLag>(SpeechNetwork::Builtin());
  const auto voice = WithoutLag(std::make_unique<LateVoice>(0.08), lag);
  std::vector<std::string> notes;
  const auto first_m_s = [&](const char* text) {
    const auto run = voice->Begin({text}).value();
    SpeechPart part, rest;
    EXPECT_TRUE(run->Read(part).value());
    EXPECT_FALSE(run->Read(rest).value());
    notes.insert(notes.end(), part.notes.begin(), part.notes.end());
    for (const Phoneme& p : part.phonemes) {
      if (p.phone == "m") return p.start_s;
    }
    return -1.0;
  };
  const double before_s = first_m_s(kTexts[0]);
  EXPECT_TRUE(notes.empty());
  for (const char* text : kTexts) first_m_s(text);
  EXPECT_NEAR(first_m_s(kTexts[0]), before_s - 0.08, 0.015);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], HasSubstr("ms late against its sound"));
}

TEST(MarkLag, LeavesTimesAloneThatAreRight) {
  auto lag = std::make_shared<MarkLag>(SpeechNetwork::Builtin());
  const auto voice = WithoutLag(std::make_unique<LateVoice>(0), lag);
  const auto before = SpeakWhole(*voice, {kTexts[0]}).value();
  for (const char* text : kTexts) EXPECT_TRUE(SpeakWhole(*voice, {text}).ok());
  const auto after = SpeakWhole(*voice, {kTexts[0]}).value();
  EXPECT_EQ(before.phonemes[3].start_s, after.phonemes[3].start_s);
}

}  // namespace
}  // namespace posewire::speech
