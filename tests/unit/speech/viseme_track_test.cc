#include "libs/speech/viseme_track.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "libs/speech/viseme_table.h"
#include "tests/unit/speech/fake_voice.h"
#include "tests/unit/speech/talk.h"

namespace posewire::speech {
namespace {

const std::vector<std::string>& Phones() {
  static const std::vector<std::string> phones = {
      "pau", "aa", "ae", "ah", "ao", "aw", "ax", "ay", "b", "ch", "d", "dh", "eh", "er",
      "ey",  "f",  "g",  "hh", "ih", "iy", "jh", "k",  "l", "m",  "n", "ng", "ow", "oy",
      "p",   "r",  "s",  "sh", "t",  "th", "uh", "uw", "v", "w",  "y", "z",  "zh"};
  return phones;
}

SpeechPiece RandomPiece(std::mt19937& rng, int count) {
  PieceBuilder builder;
  builder.Say("pau", 0.16);
  for (int i = 0; i < count; ++i) {
    const std::string& phone = Phones()[rng() % Phones().size()];
    const double length_s = 0.02 + 0.001 * static_cast<double>(rng() % 180);
    builder.Say(phone, length_s, rng() % 2 == 0, 500.0 + static_cast<double>(rng() % 12000));
  }
  builder.Say("pau", 0.2);
  return builder.Build();
}

bool LipsMeetAndClose(const MouthPose& m) {
  return m[kJawOpen] <= 0.02f && m[kMouthPress] >= 0.25f && m[kMouthLowerDown] <= 0.02f &&
         m[kMouthUpperUp] <= 0.05f && m[kMouthClose] >= 0.05f;
}

TEST(VisemeTable, KnowsEveryPhonemeOfTheVoice) {
  for (const std::string& phone : Phones())
    EXPECT_EQ(FindVisemes(phone, PhoneSet::kArpabet).phone, phone);
  EXPECT_EQ(FindVisemes("?", PhoneSet::kArpabet).phone, "pau");
}

TEST(VisemeTable, HoldsWeightsBetweenZeroAndOne) {
  for (const std::string& phone : Phones()) {
    const PhoneVisemes p = FindVisemes(phone, PhoneSet::kArpabet);
    for (const Viseme* v : {p.first, p.second ? p.second : p.first}) {
      for (const float w : v->pose) EXPECT_TRUE(w >= 0 && w <= 1) << phone;
      const bool lips = phone == "p" || phone == "b" || phone == "m";
      EXPECT_EQ(v->contact == LipContact::kBothLips, lips) << phone;
    }
  }
}

// A frame of 30 Hz falls into every bilabial however the frames lie, and there the lips meet.
TEST(VisemeTrack, LipsMeetInEveryBilabialAtAnyPhase) {
  for (const char* phone : {"m", "b", "p"}) {
    for (const double length_s : {0.025, 0.04, 0.09}) {
      PieceBuilder builder;
      builder.Say("pau", 0.2).Say("aa", 0.15, true);
      const double start_s = builder.Build().duration_s();
      builder.Say(phone, length_s).Say("ae", 0.15, true).Say("pau", 0.2);
      VisemeTrack track;
      track.Add(builder.Build(), 0);
      for (double phase = 0; phase < kFrame_s; phase += 0.001) {
        bool met = false;
        for (double t = phase; t < start_s + length_s; t += kFrame_s) {
          if (t > start_s - 0.036) met |= LipsMeetAndClose(track.At(t));
        }
        EXPECT_TRUE(met) << phone << " of " << length_s << " s at phase " << phase;
      }
      EXPECT_GT(track.At(start_s - 0.1)[kJawOpen], 0.3f) << "open in the vowel before";
      EXPECT_GT(track.At(start_s + length_s + 0.09)[kJawOpen], 0.25f) << "and in the one after";
    }
  }
}

TEST(VisemeTrack, LowerLipMeetsTheTeethInF) {
  PieceBuilder builder;
  builder.Say("pau", 0.2).Say("aa", 0.15).Say("f", 0.08).Say("aa", 0.15).Say("pau", 0.2);
  VisemeTrack track;
  track.Add(builder.Build(), 0);
  const MouthPose m = track.At(0.39);
  EXPECT_GT(m[kMouthRollLower], 0.4f);
  EXPECT_GT(m[kMouthUpperUp], 0.2f);
  EXPECT_LT(m[kJawOpen], 0.1f);
  EXPECT_LT(m[kMouthPress], 0.05f);
}

TEST(VisemeTrack, VowelsHaveTheirShapes) {
  const auto middle_of = [](const char* phone) {
    PieceBuilder builder;
    builder.Say("pau", 0.2).Say("t", 0.05).Say(phone, 0.2, true).Say("t", 0.05).Say("pau", 0.2);
    VisemeTrack track;
    track.Add(builder.Build(), 0);
    return track.At(0.35);
  };
  EXPECT_GT(middle_of("aa")[kJawOpen], 0.55f);
  EXPECT_LT(middle_of("aa")[kJawOpen], 0.75f);
  EXPECT_GT(middle_of("uw")[kMouthPucker], 0.62f);
  EXPECT_GT(middle_of("ao")[kMouthFunnel], 0.4f);
  EXPECT_GT(middle_of("iy")[kMouthStretch], 0.25f);
  EXPECT_GT(middle_of("iy")[kMouthSmile], 0.2f);
  EXPECT_LT(middle_of("iy")[kJawOpen], 0.25f);
  // From the widest vowel to the one that is all but closed.
  float last = 1;
  for (const char* vowel : {"aa", "ae", "ah", "ih", "iy"}) {
    const float jaw = middle_of(vowel)[kJawOpen];
    EXPECT_LT(jaw, last - 0.03f) << vowel;
    last = jaw;
  }
  EXPECT_GT(middle_of("th")[kTongueOut], 0.2f);
  EXPECT_LT(middle_of("s")[kJawOpen], 0.12f);
}

TEST(VisemeTrack, RoundsTheLipsBeforeTheRoundVowel) {
  PieceBuilder builder;
  builder.Say("pau", 0.3).Say("s", 0.1).Say("uw", 0.2).Say("pau", 0.2);
  VisemeTrack track;
  track.Add(builder.Build(), 0);
  EXPECT_GT(track.At(0.4 - 0.07)[kMouthPucker], 0.1f);
  EXPECT_EQ(track.At(0.1)[kMouthPucker], 0);
}

// "people": less than 0.1 s lies between its p's.
TEST(VisemeTrack, AShortVowelBetweenBilabialsPartsTheLips) {
  PieceBuilder builder;
  builder.Say("pau", 0.2).Say("p", 0.08).Say("iy", 0.08, true).Say("p", 0.07).Say("ax", 0.06);
  builder.Say("l", 0.06).Say("pau", 0.3);
  VisemeTrack track;
  track.Add(builder.Build(), 0);
  const MouthPose vowel = track.At(0.32);
  EXPECT_GT(vowel[kJawOpen], 0.08f);
  EXPECT_GT(vowel[kMouthLowerDown], 0.12f);
  EXPECT_LT(vowel[kMouthPress], 0.25f);
  EXPECT_TRUE(LipsMeetAndClose(track.At(0.26)));
  EXPECT_TRUE(LipsMeetAndClose(track.At(0.40)));
}

// A funnel parts the lips, and may not in a b before a round vowel.
TEST(VisemeTrack, LipsMeetBesideRoundVowels) {
  PieceBuilder builder;
  builder.Say("pau", 0.2).Say("ow", 0.15, true).Say("b", 0.07).Say("ow", 0.15, true);
  builder.Say("pau", 0.3);
  VisemeTrack track;
  track.Add(builder.Build(), 0);
  const MouthPose b = track.At(0.385);
  EXPECT_TRUE(LipsMeetAndClose(b));
  EXPECT_LT(b[kMouthFunnel], 0.12f);
  EXPECT_GT(b[kMouthPucker], 0.15f) << "but they stay round";
  EXPECT_GT(track.At(0.28)[kMouthFunnel], 0.3f);
}

TEST(VisemeTrack, StressedVowelsOpenTheMouthWider) {
  PieceBuilder builder;
  builder.Say("pau", 0.2).Say("aa", 0.2, true).Say("pau", 0.3).Say("aa", 0.2).Say("pau", 0.3);
  VisemeTrack track;
  track.Add(builder.Build(), 0);
  EXPECT_GT(track.At(0.3)[kJawOpen], track.At(0.8)[kJawOpen] + 0.05f);
}

TEST(VisemeTrack, LoudVowelsOpenTheMouthWider) {
  PieceBuilder builder;
  builder.Say("pau", 0.2).Say("aa", 0.2, true, 8000).Say("pau", 0.3);
  builder.Say("aa", 0.2, true, 8000).Say("pau", 0.3).Say("aa", 0.2, true, 3000).Say("pau", 0.3);
  VisemeTrack track;
  track.Add(builder.Build(), 0);
  EXPECT_GT(track.At(0.8)[kJawOpen], track.At(1.3)[kJawOpen] + 0.06f);
}

TEST(VisemeTrack, ClosesInSilence) {
  PieceBuilder builder;
  builder.Say("pau", 0.2).Say("aa", 0.2).Say("pau", 0.5);
  VisemeTrack track;
  track.Add(builder.Build(), 0);
  for (const double t : {0.0, 0.5, 0.7, 0.9, 1.5, 10.0}) {
    for (const float w : track.At(t)) EXPECT_LT(w, 0.01f) << t;
  }
}

TEST(VisemeTrack, NeverJumpsNorLeavesTheRange) {
  std::mt19937 rng(7);
  for (int round = 0; round < 60; ++round) {
    VisemeTrack track;
    const SpeechPiece piece = RandomPiece(rng, 120);
    track.Add(piece, 0);
    MouthPose last = track.At(0);
    for (double t = kFrame_s; t < piece.duration_s() + 0.3; t += kFrame_s) {
      const MouthPose now = track.At(t);
      for (size_t g = 0; g < kMouthGroups; ++g) {
        ASSERT_TRUE(now[g] >= 0 && now[g] <= 1) << "group " << g << " at " << t;
        ASSERT_LE(std::abs(now[g] - last[g]), 0.35f) << "group " << g << " at " << t;
      }
      last = now;
    }
  }
}

// Moving on through time and forgetting the past changes nothing.
TEST(VisemeTrack, ForgetsOnlyWhatNoLongerMatters) {
  std::mt19937 rng(11);
  for (int round = 0; round < 20; ++round) {
    VisemeTrack whole, streamed;
    std::vector<SpeechPiece> pieces;
    double start_s = 0;
    std::vector<double> starts_s;
    for (int i = 0; i < 4; ++i) {
      pieces.push_back(RandomPiece(rng, 15));
      starts_s.push_back(start_s);
      whole.Add(pieces.back(), start_s);
      start_s += pieces.back().duration_s();
    }
    size_t added = 0;
    for (double t = 0; t < start_s; t += kFrame_s) {
      while (added < pieces.size() && starts_s[added] < t + VisemeTrack::kLookahead_s) {
        streamed.Add(pieces[added], starts_s[added]);
        ++added;
      }
      streamed.DropBefore(t);
      const MouthPose a = whole.At(t), b = streamed.At(t);
      for (size_t g = 0; g < kMouthGroups; ++g)
        ASSERT_EQ(a[g], b[g]) << "group " << g << " at " << t;
    }
  }
}

}  // namespace
}  // namespace posewire::speech
