// Gestures from sound alone: which syllables are struck, when it is told, and where none are.
#include "services/a2f_source/core/sound_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "libs/speech/flite_voice.h"
#include "libs/speech/speech_network.h"
#include "services/a2f_source/core/say_gestures.h"
#include "services/a2f_source/core/wav_source.h"
#include "tests/unit/speech/speak_whole.h"
#include "tests/unit/speech/test_sound.h"

namespace posewire::a2f_source {
namespace {

constexpr const char* kTexts[] = {
    "I would like to show you what we have built this year, because it changes how people talk.",
    "There are many reasons why this matters, but the most important one is that nobody has to "
    "wait.",
    "When the weather is good we walk along the river, past the old mill, and have lunch.",
    "Every morning she opens the window, looks at the mountains, and decides what to do.",
    "He never understood why his brother had sold the house, and he never asked him about it.",
    "Science is not a collection of facts, it is a way of asking questions and listening "
    "carefully.",
};

class SizedInput : public SoundInput {
 public:
  SizedInput(int rate_hz, std::vector<float> sound, bool file)
      : rate_hz_(rate_hz), sound_(std::move(sound)), file_(file) {}
  int rate_hz() const override { return rate_hz_; }
  std::optional<int64_t> samples() const override {
    if (!file_) return std::nullopt;
    return static_cast<int64_t>(sound_.size());
  }
  absl::StatusOr<size_t> Read(absl::Span<float> to) override {
    const size_t count = std::min(to.size(), sound_.size() - at_);
    std::copy_n(sound_.begin() + static_cast<std::ptrdiff_t>(at_), count, to.begin());
    at_ += count;
    return count;
  }

 private:
  int rate_hz_;
  std::vector<float> sound_;
  bool file_;
  size_t at_ = 0;
};

struct AnnouncedGesture {
  double at_s;  // time of the message
  wire::SpeechGesture gesture;
  double stroke_s() const { return at_s + gesture.stroke_in_s; }
};

std::vector<AnnouncedGesture> GesturesOf(int rate_hz, std::vector<float> sound, bool file) {
  speech::SoundFaceOptions options;
  options.fps = {30, 1};
  options.seed = 5;
  auto source = WavSource::Make(std::make_unique<SizedInput>(rate_hz, std::move(sound), file),
                                speech::SpeechNetwork::Builtin(), options)
                    .value();
  EXPECT_TRUE(source->Header().ok());
  std::vector<AnnouncedGesture> out;
  while (true) {
    const auto message = source->Next();
    EXPECT_TRUE(message.ok()) << message.status();
    if (!message.ok() || !*message) return out;
    const wire::DataChunk& data = *(*message)->data();
    for (const wire::MetadataEntry& entry : data.metadata) {
      const auto gesture = wire::ReadSpeechGesture(entry);
      EXPECT_TRUE(gesture);
      if (gesture) out.push_back({data.pose[wire::kWeights].time_codes_s[0], *gesture});
    }
  }
}

struct Spoken {
  int rate_hz = 0;
  std::vector<float> sound;
};

Spoken Speak() {
  Spoken out;
  auto voice = speech::MakeFliteVoice().value();
  for (const char* text : kTexts) {
    const auto piece = speech::SpeakWhole(*voice, {text}).value();
    out.rate_hz = piece.rate_hz;
    for (const int16_t sample : piece.samples) {
      out.sound.push_back(static_cast<float>(sample) / 32768.0f);
    }
    out.sound.insert(out.sound.end(), static_cast<size_t>(out.rate_hz) * 6 / 10, 0.0f);
  }
  return out;
}

// A voice that speaks from 0 on; syllables by the frame in which they are known.
std::vector<AnnouncedGesture> Planned(const std::vector<speech::Syllable>& syllables,
                                      double ahead_s, double end_s = 1e9) {
  SoundPlan plan(1);
  std::vector<AnnouncedGesture> out;
  size_t heard = 0, next = 0;
  for (int k = 0; k < 600; ++k) {
    const double t_s = k / 30.0;
    while (static_cast<double>(heard) / 30 <= t_s + ahead_s) {
      speech::FaceFrame face;
      face.time_s = static_cast<double>(heard++) / 30;
      face.speaking = face.time_s < end_s;
      if (next < syllables.size() && syllables[next].time_s + 0.1 <= face.time_s) {
        face.syllable = syllables[next++];
      }
      plan.Hear(face);
    }
    if (const auto gesture = plan.Take(t_s)) out.push_back({t_s, *gesture});
  }
  return out;
}

TEST(SoundPlan, TheMostProminentSyllableOfItsNeighboursIsStruck) {
  std::vector<speech::Syllable> syllables;
  for (int i = 0; i < 60; ++i) {
    syllables.push_back({0.5 + 0.25 * i, i % 6 == 2 ? 1.5f : i % 2 == 0 ? 0.3f : -0.5f});
  }
  const std::vector<AnnouncedGesture> gestures = Planned(syllables, SoundPlan::kHearAhead_s);
  ASSERT_GE(gestures.size(), 8u);
  for (const AnnouncedGesture& one : gestures) {
    const double place = (one.stroke_s() - 0.5) / 0.25;
    EXPECT_NEAR(std::fmod(place, 6), 2, 0.01) << one.stroke_s();
    EXPECT_NEAR(one.gesture.stroke_in_s, GesturePlan::kAhead_s, 0.05);
  }
}

TEST(SoundPlan, TheHandStaysUpToTheEndOfThePhrase) {
  const std::vector<AnnouncedGesture> gestures = Planned({{2, 1}}, SoundPlan::kHearAhead_s, 2.15);
  ASSERT_EQ(gestures.size(), 1u);
  EXPECT_NEAR(gestures[0].at_s + gestures[0].gesture.end_in_s, 2.15, 0.05);
}

TEST(SoundPlan, OfAFileGesturesAreAnnouncedAheadApartAndAtAMeasuredRate) {
  const Spoken spoken = Speak();
  const std::vector<AnnouncedGesture> gestures = GesturesOf(spoken.rate_hz, spoken.sound, true);
  const double minutes = static_cast<double>(spoken.sound.size()) / spoken.rate_hz / 60;
  EXPECT_GT(static_cast<double>(gestures.size()), 20 * minutes);
  EXPECT_LT(static_cast<double>(gestures.size()), 45 * minutes);
  double last_s = -10;
  for (const AnnouncedGesture& one : gestures) {
    EXPECT_GE(one.stroke_s() - last_s, GesturePlan::kApart_s - 0.001);
    last_s = one.stroke_s();
    if (one.at_s > 0) {
      EXPECT_GT(one.gesture.stroke_in_s, GesturePlan::kAhead_s - 0.05);
    }
    EXPECT_GT(one.gesture.end_in_s, one.gesture.stroke_in_s);
    EXPECT_GE(one.gesture.strength, 0);
    EXPECT_LE(one.gesture.strength, 1);
  }
}

TEST(SoundPlan, OfALiveVoiceTheStrokeFollowsTheAccent) {
  const Spoken spoken = Speak();
  const std::vector<AnnouncedGesture> gestures = GesturesOf(spoken.rate_hz, spoken.sound, false);
  ASSERT_GT(gestures.size(), 8u);
  for (const AnnouncedGesture& one : gestures) EXPECT_NEAR(one.gesture.stroke_in_s, 0.33, 0.01);
}

TEST(SoundPlan, SilenceAndNoiseAskForNone) {
  EXPECT_TRUE(GesturesOf(16000, std::vector<float>(16000 * 10, 0), true).empty());
  EXPECT_TRUE(GesturesOf(16000, speech::Noise(16000 * 10, 0.1f), true).empty());
}

TEST(SoundPlan, PausesHaveNoStrokes) {
  const Spoken spoken = Speak();
  const std::vector<AnnouncedGesture> gestures = GesturesOf(spoken.rate_hz, spoken.sound, true);
  const auto quiet = [&](double at_s) {
    const auto from = static_cast<size_t>((at_s - 0.1) * spoken.rate_hz);
    float most = 0;
    for (size_t i = from; i < from + static_cast<size_t>(spoken.rate_hz / 5); ++i) {
      if (i < spoken.sound.size()) most = std::max(most, std::abs(spoken.sound[i]));
    }
    return most < 0.01f;
  };
  for (const AnnouncedGesture& one : gestures)
    EXPECT_FALSE(quiet(one.stroke_s())) << one.stroke_s();
}

TEST(SoundPlan, TheSameSoundGivesTheSameGestures) {
  const Spoken spoken = Speak();
  const auto a = GesturesOf(spoken.rate_hz, spoken.sound, true);
  const auto b = GesturesOf(spoken.rate_hz, spoken.sound, true);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].stroke_s(), b[i].stroke_s());
    EXPECT_EQ(a[i].gesture.strength, b[i].gesture.strength);
  }
}

}  // namespace
}  // namespace posewire::a2f_source
