#include "libs/speech/sound_mouth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace posewire::speech {
namespace {

constexpr double kLoud = -1;

SoundFrame Heard(SoundClass c, float certain = 0.9f) {
  SoundFrame frame;
  frame.classes.fill((1 - certain) / (kSoundClasses - 1));
  frame.classes[c] = certain;
  const bool vowel = c >= kClassAa && c <= kClassOu;
  frame.vowel = vowel ? 0.95f : 0.05f;
  frame.bilabial = c == kClassPp ? 0.95f : 0.03f;
  frame.labiodental = c == kClassFf ? 0.95f : 0.03f;
  return frame;
}

// What is heard, for so many frames of 10 ms each.
using Script = std::vector<std::pair<SoundFrame, int>>;

// The mouth each millisecond, as it is known while the frames come.
std::vector<MouthPose> Play(const Script& script, double loudness = kLoud) {
  SoundMouth mouth;
  std::vector<MouthPose> poses;
  for (const auto& [frame, count] : script) {
    for (int i = 0; i < count; ++i) {
      mouth.Add(frame, loudness);
      const double known_s =
          static_cast<double>(mouth.frames()) * kHop_s - SoundMouth::kAhead_s + 1e-9;
      while (static_cast<double>(poses.size()) * 0.001 <= known_s) {
        poses.push_back(mouth.At(static_cast<double>(poses.size()) * 0.001));
      }
    }
  }
  return poses;
}

bool LipsMeet(const MouthPose& m) {
  return m[kJawOpen] <= 0.02f && m[kMouthPress] >= 0.25f && m[kMouthLowerDown] <= 0.02f &&
         m[kMouthUpperUp] <= 0.05f;
}

TEST(SoundMouth, RestsInSilenceAndNoise) {
  for (const SoundClass c : {kClassSil, kClassNoise}) {
    for (const MouthPose& pose : Play({{Heard(c, 0.7f), 200}})) {
      for (const float w : pose) ASSERT_EQ(w, 0);
    }
  }
}

TEST(SoundMouth, RestsWhereThereIsNoSound) {
  for (const MouthPose& pose : Play({{Heard(kClassAa), 100}}, -13.8)) {
    for (const float w : pose) ASSERT_EQ(w, 0);
  }
}

TEST(SoundMouth, ADoubtfulMomentMovesNothing) {
  const Script script = {{Heard(kClassNoise), 50},
                         {Heard(kClassAa), 1},
                         {Heard(kClassNoise), 30},
                         {Heard(kClassPp), 1},
                         {Heard(kClassSil), 50}};
  for (const MouthPose& pose : Play(script)) {
    for (const float w : pose) ASSERT_EQ(w, 0);
  }
}

TEST(SoundMouth, OpensForVowelsAndShapesThem) {
  const auto at_middle = [](SoundClass c) {
    return Play({{Heard(kClassSil), 30}, {Heard(c), 30}, {Heard(kClassSil), 30}})[450];
  };
  EXPECT_GT(at_middle(kClassAa)[kJawOpen], 0.4f);
  EXPECT_LT(at_middle(kClassOu)[kJawOpen], 0.25f);
  EXPECT_GT(at_middle(kClassOu)[kMouthPucker], 0.4f);
  EXPECT_GT(at_middle(kClassIh)[kMouthStretch], 0.12f);
  EXPECT_LT(at_middle(kClassIh)[kMouthPucker], 0.1f);
}

TEST(SoundMouth, LipsMeetInTimeForAtLeastAFrame) {
  for (const int length : {1, 3, 8}) {
    const Script script = {{Heard(kClassSil), 30},
                           {Heard(kClassAa), 20},
                           {Heard(kClassPp), length},
                           {Heard(kClassAa), 20},
                           {Heard(kClassSil), 40}};
    const std::vector<MouthPose> poses = Play(script);
    int first = -1, last = -1;
    for (int ms = 0; ms < static_cast<int>(poses.size()); ++ms) {
      if (ms < 400 || !LipsMeet(poses[static_cast<size_t>(ms)])) continue;
      if (first < 0) first = ms;
      last = ms;
    }
    EXPECT_NEAR(first, 500, 12) << length;
    EXPECT_GE(last - first, 34) << length;
    EXPECT_LE(last, 500 + std::max(36, 10 * length) + 12) << length;
    EXPECT_GT(poses[430][kJawOpen], 0.35f) << "open in the vowel before";
    EXPECT_GT(poses[static_cast<size_t>(600 + 10 * length)][kJawOpen], 0.3f);
  }
}

TEST(SoundMouth, ADipWithinAContactDoesNotPartTheLips) {
  SoundFrame dip = Heard(kClassPp);
  dip.bilabial = 0.4f;
  const std::vector<MouthPose> poses = Play({{Heard(kClassAa), 50},
                                             {Heard(kClassPp), 4},
                                             {dip, 1},
                                             {Heard(kClassPp), 4},
                                             {Heard(kClassAa), 30}});
  for (size_t ms = 505; ms < 590; ++ms) ASSERT_TRUE(LipsMeet(poses[ms])) << ms;
  // What does not reach the first threshold closes nothing.
  for (const MouthPose& pose : Play({{Heard(kClassAa), 50}, {dip, 5}, {Heard(kClassAa), 30}})) {
    ASSERT_LT(pose[kMouthPress], 0.35f);
    ASSERT_FALSE(LipsMeet(pose));
  }
}

TEST(LipContacts, OneThatHasHardlyBegunDrawsNothing) {
  LipContacts contacts(0.05, 0.07);
  contacts.Add(*FindVisemes("b").first, 0.06, 0.1);
  ASSERT_GT(0.01, 0.06 - 0.05) << "by the least that a number can differ";
  MouthPose pose{};
  pose[kJawOpen] = 0.5f;
  contacts.Draw(0.01, pose);
  EXPECT_EQ(pose[kJawOpen], 0.5f);
}

TEST(SoundMouth, LoudVowelsOpenWider) {
  const auto vowel = [](double loudness) {
    SoundMouth mouth;
    for (int i = 0; i < 300; ++i) mouth.Add(Heard(kClassAa), kLoud);
    for (int i = 0; i < 30; ++i) mouth.Add(Heard(kClassAa), loudness);
    return mouth.At(3.2)[kJawOpen];
  };
  EXPECT_GT(vowel(kLoud + 1), 1.05f * vowel(kLoud));
  EXPECT_LT(vowel(kLoud - 2), 0.9f * vowel(kLoud));
  EXPECT_GT(vowel(kLoud - 8), 0.3f) << "and soft ones still open";
}

TEST(SoundMouth, NeverJumps) {
  Script script;
  uint32_t state = 5;
  for (int i = 0; i < 300; ++i) {
    state = 1664525 * state + 1013904223;
    script.push_back({Heard(static_cast<SoundClass>((state >> 16) % kSoundClasses), 0.97f),
                      1 + static_cast<int>((state >> 8) % 12)});
  }
  const std::vector<MouthPose> poses = Play(script);
  for (size_t ms = 33; ms < poses.size(); ++ms) {
    for (size_t g = 0; g < kMouthGroups; ++g) {
      ASSERT_TRUE(poses[ms][g] >= 0 && poses[ms][g] <= 1);
      ASSERT_LE(std::abs(poses[ms][g] - poses[ms - 33][g]), 0.55f) << g << " at " << ms;
      ASSERT_LE(std::abs(poses[ms][g] - poses[ms - 1][g]), 0.06f) << g << " at " << ms;
    }
  }
}

}  // namespace
}  // namespace posewire::speech
