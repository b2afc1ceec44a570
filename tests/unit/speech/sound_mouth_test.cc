#include "libs/speech/sound_mouth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "libs/speech/viseme_track.h"
#include "tests/unit/speech/test_sound.h"

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
  EXPECT_GT(at_middle(kClassAa)[kJawOpen], 0.35f);
  EXPECT_LT(at_middle(kClassOu)[kJawOpen], 0.25f);
  EXPECT_GT(at_middle(kClassOu)[kMouthPucker], 0.4f);
  EXPECT_GT(at_middle(kClassIh)[kMouthStretch], 0.12f);
  EXPECT_LT(at_middle(kClassIh)[kMouthPucker], 0.1f);
}

TEST(SoundMouth, LipsMeetInTimeForAtLeastAFrame) {
  for (const int length : {2, 3, 8}) {
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
    EXPECT_GT(poses[430][kJawOpen], 0.3f) << "open in the vowel before";
    EXPECT_GT(poses[static_cast<size_t>(600 + 10 * length)][kJawOpen], 0.3f);
  }
}

TEST(SoundMouth, OneFrameAloneClosesNothing) {
  for (const MouthPose& pose :
       Play({{Heard(kClassAa), 50}, {Heard(kClassPp), 1}, {Heard(kClassAa), 30}})) {
    ASSERT_FALSE(pose[kJawOpen] < 0.05f && pose[kMouthPress] > 0.1f);
  }
}

TEST(SoundMouth, ADipWithinAContactDoesNotPartTheLips) {
  SoundFrame dip = Heard(kClassPp);
  dip.bilabial = 0.7f;
  const std::vector<MouthPose> poses = Play({{Heard(kClassAa), 50},
                                             {Heard(kClassPp), 4},
                                             {dip, 1},
                                             {Heard(kClassPp), 4},
                                             {Heard(kClassAa), 30}});
  for (size_t ms = 505; ms < 590; ++ms) ASSERT_TRUE(LipsMeet(poses[ms])) << ms;
  // What does not reach the first threshold closes nothing.
  SoundFrame doubtful = Heard(kClassAa);
  doubtful.bilabial = 0.7f;
  for (const MouthPose& pose :
       Play({{Heard(kClassAa), 50}, {doubtful, 5}, {Heard(kClassAa), 30}})) {
    ASSERT_FALSE(LipsMeet(pose));
    ASSERT_LT(pose[kMouthPress], 0.1f);
  }
}

TEST(LipContacts, OneThatHasHardlyBegunDrawsNothing) {
  LipContacts contacts(0.05, 0.07);
  contacts.Add(*FindVisemes("b", PhoneSet::kArpabet).first, 0.06, 0.1);
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
      ASSERT_LE(std::abs(poses[ms][g] - poses[ms - 33][g]), IsRounding(g) ? 0.68f : 0.6f)
          << g << " at " << ms;
      ASSERT_LE(std::abs(poses[ms][g] - poses[ms - 1][g]), 0.12f) << g << " at " << ms;
    }
  }
}

// What a network that errs in nothing would hear of a voice that tells its phonemes.
SoundClass ClassOf(const std::string& phone) {
  static const std::map<std::string, SoundClass> classes = {
      {"p", kClassPp},  {"b", kClassPp},  {"m", kClassPp},  {"f", kClassFf},  {"v", kClassFf},
      {"th", kClassTh}, {"dh", kClassTh}, {"t", kClassDd},  {"d", kClassDd},  {"k", kClassKk},
      {"g", kClassKk},  {"ng", kClassNn}, {"n", kClassNn},  {"l", kClassNn},  {"s", kClassSs},
      {"z", kClassSs},  {"sh", kClassCh}, {"zh", kClassCh}, {"ch", kClassCh}, {"jh", kClassCh},
      {"r", kClassRr},  {"er", kClassRr}, {"aa", kClassAa}, {"ae", kClassAa}, {"ah", kClassAa},
      {"ay", kClassAa}, {"aw", kClassAa}, {"ao", kClassOh}, {"ow", kClassOh}, {"oy", kClassOh},
      {"eh", kClassE},  {"ey", kClassE},  {"ax", kClassE},  {"ih", kClassIh}, {"iy", kClassIh},
      {"y", kClassIh},  {"uh", kClassOu}, {"uw", kClassOu}, {"w", kClassOu},  {"hh", kClassE}};
  const auto found = classes.find(phone);
  return found == classes.end() ? kClassSil : found->second;
}

// Beside the mouth from text, and its closures.
TEST(SoundMouth, MovesAsFromText) {
  for (const char* voice : {"slt", "rms", "awb"}) {
    const SpeechPiece piece = Sentence(
        "Maybe Bob's big brother put my lamp in the museum, and five of us were happy.", voice);
    VisemeTrack text;
    text.Add(piece, 0);
    const std::vector<float> samples = AsFloats(piece.samples);
    SpeechFeatures features;
    FeatureFrame frame;
    SoundMouth mouth;
    double sum_xy = 0, sum_xx = 0, sum_yy = 0, sum_x = 0, sum_y = 0, n = 0;
    std::vector<bool> met;
    for (size_t k = 0; (k + 1) * kHopSamples <= samples.size(); ++k) {
      features.Step(absl::MakeConstSpan(samples).subspan(k * kHopSamples, kHopSamples), frame);
      const double at_s = (static_cast<double>(k) + 0.5) * kHop_s;
      const auto phone = std::find_if(piece.phonemes.begin(), piece.phonemes.end(),
                                      [&](const Phoneme& p) { return p.end_s > at_s; });
      mouth.Add(Heard(ClassOf(phone == piece.phonemes.end() ? "pau" : phone->phone), 0.85f),
                features.loudness());
      const double t_s = static_cast<double>(k + 1) * kHop_s - SoundMouth::kAhead_s;
      if (t_s < 0) continue;
      const MouthPose pose = mouth.At(t_s);
      met.push_back(LipsMeet(pose));
      const double x = pose[kJawOpen], y = text.At(t_s)[kJawOpen];
      sum_xy += x * y, sum_xx += x * x, sum_yy += y * y, sum_x += x, sum_y += y, ++n;
    }
    const double correlation =
        (n * sum_xy - sum_x * sum_y) /
        std::sqrt((n * sum_xx - sum_x * sum_x) * (n * sum_yy - sum_y * sum_y));
    EXPECT_GT(correlation, 0.8) << voice;
    EXPECT_NEAR(sum_x / sum_y, 1, 0.25) << voice;
    int bilabials = 0;
    for (const Phoneme& p : piece.phonemes) {
      if (ClassOf(p.phone) != kClassPp) continue;
      ++bilabials;
      const auto from = static_cast<size_t>(p.start_s / kHop_s),
                 to = static_cast<size_t>(p.end_s / kHop_s) + 2;
      bool closed = false;
      for (size_t i = from; i <= to && i < met.size(); ++i) closed = closed || met[i];
      EXPECT_TRUE(closed) << p.phone << " at " << p.start_s << " of " << voice;
    }
    EXPECT_GE(bilabials, 9);
  }
}

}  // namespace
}  // namespace posewire::speech
