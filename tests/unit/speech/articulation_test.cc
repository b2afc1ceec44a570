// How far and how fast a mouth moves in whole sentences, beside figures of people
// (docs/evidence/speech-accuracy.md, "How far the mouth moves").
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "libs/speech/heard_mouth.h"
#include "libs/speech/speech_network.h"
#include "libs/speech/viseme_track.h"
#include "tests/unit/speech/test_sound.h"

namespace posewire::speech {
namespace {

constexpr double kStep_s = 1.0 / 60;
constexpr size_t kPace = 5;  // steps in 80 ms, rounded up

constexpr const char* kSentences[] = {
    "People often believe what they want to believe about the weather.",
    "Maybe we should move the big box to the back of the building.",
    "The old bridge was closed because the engineers had found a problem.",
    "Five very fine voices would go too.",
    "She promised to bring some bread, butter and a bottle of milk.",
    "It was a cold evening, and a heavy rain was falling on the roof."};

// The mouth over a piece.
struct Spoken {
  SpeechPiece piece;
  std::vector<MouthPose> poses;

  // The poses within a phoneme.
  template <typename Visit>
  void Within(const std::vector<std::string>& phones, double least_s, Visit visit) const {
    for (const Phoneme& p : piece.phonemes) {
      if (std::find(phones.begin(), phones.end(), p.phone) == phones.end()) continue;
      if (p.end_s - p.start_s < least_s) continue;
      const auto from = static_cast<std::ptrdiff_t>(p.start_s / kStep_s),
                 to = std::min(static_cast<std::ptrdiff_t>(p.end_s / kStep_s) + 2,
                               static_cast<std::ptrdiff_t>(poses.size()));
      visit(p, std::vector<MouthPose>(poses.begin() + from, poses.begin() + to));
    }
  }
};

float Most(const std::vector<MouthPose>& poses, size_t group) {
  return (*std::max_element(poses.begin(), poses.end(), [group](const auto& a, const auto& b) {
    return a[group] < b[group];
  }))[group];
}

std::vector<Spoken> FromText(const std::string& voice) {
  std::vector<Spoken> all;
  for (const char* text : kSentences) {
    Spoken spoken{Sentence(text, voice), {}};
    VisemeTrack track;
    track.Add(spoken.piece, 0);
    for (double t = 0; t < spoken.piece.duration_s(); t += kStep_s) {
      spoken.poses.push_back(track.At(t));
    }
    all.push_back(std::move(spoken));
  }
  return all;
}

std::vector<Spoken> FromSound(const std::string& voice) {
  std::vector<Spoken> all;
  for (const char* text : kSentences) {
    Spoken spoken{Sentence(text, voice), {}};
    HeardMouth mouth(SpeechNetwork::Builtin(), spoken.piece.rate_hz);
    mouth.Add(spoken.piece.samples);
    for (double t = 0; t < spoken.piece.duration_s(); t += kStep_s) {
      spoken.poses.push_back(mouth.At(t));
    }
    all.push_back(std::move(spoken));
  }
  return all;
}

// Of the jaw where somebody speaks, and its changes within 80 ms.
struct Jaw {
  std::vector<float> open, pace;
};

Jaw JawOf(const std::vector<Spoken>& all) {
  Jaw jaw;
  for (const Spoken& s : all) {
    for (size_t k = 0; k < s.poses.size(); ++k) {
      const double t = static_cast<double>(k) * kStep_s;
      const bool speaks = std::any_of(
          s.piece.phonemes.begin(), s.piece.phonemes.end(),
          [&](const Phoneme& p) { return p.phone != "pau" && p.start_s <= t && t < p.end_s; });
      if (speaks) jaw.open.push_back(s.poses[k][kJawOpen]);
      if (k >= kPace) {
        jaw.pace.push_back(std::abs(s.poses[k][kJawOpen] - s.poses[k - kPace][kJawOpen]));
      }
    }
  }
  std::sort(jaw.open.begin(), jaw.open.end());
  std::sort(jaw.pace.begin(), jaw.pace.end());
  return jaw;
}

float Mean(const std::vector<float>& sorted) {
  double sum = 0;
  for (const float w : sorted) sum += w;
  return static_cast<float>(sum / static_cast<double>(sorted.size()));
}

float Quantile(const std::vector<float>& sorted, double part) {
  return sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1))];
}

float Over(const std::vector<float>& sorted, float weight) {
  const auto above = sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), weight);
  return static_cast<float>(above) / static_cast<float>(sorted.size());
}

void ExpectLivelyJaw(const Jaw& jaw, const std::string& whose) {
  EXPECT_GT(Mean(jaw.open), 0.16f) << whose;
  EXPECT_LT(Mean(jaw.open), 0.26f) << whose;
  EXPECT_GT(Over(jaw.open, 0.3f), 0.14f) << whose;
  EXPECT_LT(Over(jaw.open, 0.3f), 0.35f) << whose;
  EXPECT_GT(Quantile(jaw.open, 0.95), 0.4f) << whose;
  EXPECT_LT(Quantile(jaw.open, 0.99), 0.75f) << whose;
  EXPECT_LT(Quantile(jaw.pace, 0.99), 0.65f) << whose;
  EXPECT_LT(jaw.pace.back(), 0.85f) << whose;
}

TEST(Articulation, TheJawIsAsLivelyAsPeoplesFromText) {
  for (const char* voice : {"slt", "rms", "awb"}) ExpectLivelyJaw(JawOf(FromText(voice)), voice);
}

TEST(Articulation, TheJawIsAsLivelyAsPeoplesFromSound) {
  for (const char* voice : {"slt", "rms"}) ExpectLivelyJaw(JawOf(FromSound(voice)), voice);
}

TEST(Articulation, LipsMeetInEveryBilabial) {
  int bilabials = 0;
  for (const Spoken& s : FromText("slt")) {
    s.Within({"p", "b", "m"}, 0, [&](const Phoneme& p, const std::vector<MouthPose>& poses) {
      ++bilabials;
      EXPECT_TRUE(std::any_of(poses.begin(), poses.end(),
                              [](const MouthPose& m) {
                                return m[kJawOpen] < 0.02f && m[kMouthPress] > 0.25f &&
                                       m[kMouthLowerDown] < 0.02f && m[kMouthUpperUp] < 0.05f &&
                                       m[kMouthFunnel] < 0.12f;
                              }))
          << p.phone << " at " << p.start_s;
    });
  }
  EXPECT_GE(bilabials, 20);
}

TEST(Articulation, TheLowerLipMeetsTheTeeth) {
  int bites = 0;
  for (const Spoken& s : FromText("slt")) {
    s.Within({"f", "v"}, 0, [&](const Phoneme& p, const std::vector<MouthPose>& poses) {
      ++bites;
      EXPECT_TRUE(std::any_of(poses.begin(), poses.end(),
                              [](const MouthPose& m) {
                                return m[kMouthRollLower] > 0.42f && m[kMouthUpperUp] > 0.25f &&
                                       m[kJawOpen] < 0.1f && m[kMouthLowerDown] < 0.05f;
                              }))
          << p.phone << " at " << p.start_s;
    });
  }
  EXPECT_GE(bites, 8);
}

TEST(Articulation, TheTeethAreAllButClosedInS) {
  for (const Spoken& s : FromText("slt")) {
    s.Within({"s", "z"}, 0.06, [](const Phoneme& p, const std::vector<MouthPose>& poses) {
      EXPECT_TRUE(std::any_of(poses.begin(), poses.end(),
                              [](const MouthPose& m) { return m[kJawOpen] < 0.15f; }))
          << p.phone << " at " << p.start_s;
    });
  }
}

// Stressed round vowels round the lips, and spread ones do not.
TEST(Articulation, RoundVowelsAreRound) {
  std::vector<float> round, spread;
  const auto rounding = [](std::vector<float>& into) {
    return [&into](const Phoneme& p, const std::vector<MouthPose>& poses) {
      if (p.stressed) into.push_back(Most(poses, kMouthFunnel) + Most(poses, kMouthPucker));
    };
  };
  for (const Spoken& s : FromText("slt")) {
    s.Within({"ow", "uw", "ao"}, 0.06, rounding(round));
    s.Within({"iy", "ae", "eh"}, 0.06, rounding(spread));
  }
  std::sort(round.begin(), round.end());
  std::sort(spread.begin(), spread.end());
  ASSERT_GE(round.size(), 7U);
  EXPECT_GT(Mean(round), 0.7f);
  EXPECT_GT(round.front(), 0.45f);
  EXPECT_LT(Quantile(spread, 0.5), 0.5f * round.front());
}

}  // namespace
}  // namespace posewire::speech
