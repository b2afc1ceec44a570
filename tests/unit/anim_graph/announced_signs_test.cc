#include "services/anim_graph/core/announced_signs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace posewire::anim_graph {
namespace {

std::vector<wire::MetadataEntry> MoodEntry(float arousal) {
  return {wire::ToMetadata(wire::VoiceMood{arousal, 0})};
}

TEST(AnnouncedSigns, AMoodHoldsFromItsCodeOn) {
  AnnouncedSigns signs;
  signs.Append(1, MoodEntry(0.5F));
  signs.Append(2, MoodEntry(-0.5F));
  signs.Take(0.5);
  EXPECT_FALSE(signs.mood().has_value());
  signs.Take(1);
  ASSERT_TRUE(signs.mood().has_value());
  EXPECT_EQ(signs.mood()->arousal, 0.5F);
  signs.Take(1.9);
  EXPECT_EQ(signs.mood()->arousal, 0.5F);
  signs.Take(5);
  EXPECT_EQ(signs.mood()->arousal, -0.5F);
}

TEST(AnnouncedSigns, AGestureIsThereForOneTick) {
  AnnouncedSigns signs;
  const std::vector<wire::MetadataEntry> entries = {
      wire::ToMetadata(wire::SpeechGesture{.strength = 1, .stroke_in_s = 1})};
  signs.Append(1, entries);
  signs.Take(0.9);
  EXPECT_EQ(signs.gesture(), nullptr);
  signs.Take(1.5);
  ASSERT_NE(signs.gesture(), nullptr);
  EXPECT_EQ(signs.gesture()->stroke_in_s, 0.5);
  signs.Take(1.6);
  EXPECT_EQ(signs.gesture(), nullptr);
}

// A source that is always ahead: what was taken no longer counts, or it would fill the budget.
TEST(AnnouncedSigns, OnlyThoseThatWaitAreHeld) {
  AnnouncedSigns signs;
  size_t most = 0;
  for (int k = 0; k < 100000; ++k) {
    signs.Append(k / 30.0, MoodEntry(0.1F));
    if (k >= 60) signs.Take((k - 60) / 30.0);
    most = std::max(most, signs.bytes());
  }
  EXPECT_LT(most, 200 * 24u);
}

}  // namespace
}  // namespace posewire::anim_graph
