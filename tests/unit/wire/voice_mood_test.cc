#include "libs/wire/voice_mood.h"

#include <gtest/gtest.h>

#include <cmath>

#include "libs/wire/speech_gesture.h"

namespace posewire::wire {
namespace {

TEST(VoiceMood, IsReadAsWritten) {
  const auto read = ReadVoiceMood(ToMetadata(VoiceMood{-0.75F, 0.5F}));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->arousal, -0.75F);
  EXPECT_EQ(read->valence, 0.5F);
}

TEST(VoiceMood, OtherKeysAndWrongNumbersAreNone) {
  EXPECT_FALSE(ReadVoiceMood(ToMetadata(SpeechGesture{.strength = 0.5F})));
  EXPECT_FALSE(ReadVoiceMood(ToMetadata(VoiceMood{1.5F, 0})));
  EXPECT_FALSE(ReadVoiceMood(ToMetadata(VoiceMood{0, NAN})));
  MetadataEntry cut = ToMetadata(VoiceMood{0.1F, 0.1F});
  cut.any.pop_back();
  EXPECT_FALSE(ReadVoiceMood(cut));
}

}  // namespace
}  // namespace posewire::wire
