#include "libs/graph/gaze_turns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "tests/unit/graph/helpers.h"

namespace posewire::graph {
namespace {

struct Turn {
  int who;
  double length_s;
};

std::vector<Turn> Watch(GazeTurns& turns, std::vector<GazeCandidate>& candidates, double seconds,
                        Random& rng) {
  std::vector<Turn> seen;
  for (int k = 0; k < static_cast<int>(seconds / kTickAsFloat_s); ++k) {
    const int who = turns.Step(absl::MakeSpan(candidates), kTickAsFloat_s, rng);
    if (seen.empty() || seen.back().who != who) seen.push_back({who, 0});
    seen.back().length_s += kTickAsFloat_s;
  }
  return seen;
}

double Mean(const std::vector<Turn>& turns) {
  return std::accumulate(turns.begin(), turns.end(), 0.0,
                         [](double sum, const Turn& t) { return sum + t.length_s; }) /
         static_cast<double>(turns.size());
}

GazeCandidate FaceToLookAt(float weight = 1) { return {weight, true}; }

// Argyle & Ingham (1972): a gaze lasts 2.95 s in the mean.
TEST(GazeTurns, FacesAreLookedAtForAsLongAsPeopleDo) {
  GazeTurns turns;
  Random rng(1);
  std::vector<GazeCandidate> faces = {FaceToLookAt(), FaceToLookAt(), FaceToLookAt(0)};
  const std::vector<Turn> seen = Watch(turns, faces, 3600, rng);
  EXPECT_NEAR(Mean(seen), 2.95, 0.3);
  for (size_t i = 1; i + 1 < seen.size(); ++i) {
    EXPECT_GT(seen[i].length_s, 1);
    EXPECT_LT(seen[i].length_s, 6);
    EXPECT_NE(seen[i].who, 2) << "nobody wants to look there";
  }
}

TEST(GazeTurns, ThingsGetAGlanceOfAFewFixations) {
  GazeTurns turns;
  Random rng(2);
  std::vector<GazeCandidate> things = {{1, false}, {1, false}};
  const std::vector<Turn> seen = Watch(turns, things, 600, rng);
  EXPECT_NEAR(Mean(seen), 1, 0.15);
}

TEST(GazeTurns, OneAloneDrawsNoRandomNumber) {
  GazeTurns turns;
  Random rng(3), untouched(3);
  std::vector<GazeCandidate> candidates = {FaceToLookAt(0), FaceToLookAt(), FaceToLookAt(0)};
  const std::vector<Turn> seen = Watch(turns, candidates, 60, rng);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].who, 1);
  EXPECT_EQ(rng.Next(), untouched.Next());
  candidates[1].weight = 0;
  EXPECT_EQ(turns.Step(absl::MakeSpan(candidates), kTickAsFloat_s, rng), 1)
      << "it is let go of elsewhere";
}

TEST(GazeTurns, WhatBeginsToMoveDrawsAGlanceAndTheGazeGoesBack) {
  GazeTurns turns;
  Random rng(4);
  std::vector<GazeCandidate> candidates = {FaceToLookAt(), {0.02f, false}};
  int glances = 0;
  double latest_s = 0;
  for (int round = 0; round < 20; ++round) {
    while (turns.turn() != 0) Watch(turns, candidates, kTickAsFloat_s, rng);
    Watch(turns, candidates, 0.6, rng);
    if (turns.turn() != 0) continue;
    candidates[1].speed_m_s = 1.5f;
    glances += turns.Step(absl::MakeSpan(candidates), kTickAsFloat_s, rng) == 1;
    const std::vector<Turn> seen = Watch(turns, candidates, 1.5, rng);
    if (seen[0].who == 1) {
      EXPECT_NEAR(seen[0].length_s, 0.8, 0.1);
      EXPECT_EQ(seen[1].who, 0);
    }
    candidates[1].speed_m_s = 0;
    Watch(turns, candidates, 4, rng);
    latest_s += 6;
  }
  EXPECT_GE(glances, 15) << "in " << latest_s << " s";
  // What goes on moving draws no second one.
  candidates[1] = {0.001f, false, 1.5f, true};
  int at_thing = 0;
  for (const Turn& turn : Watch(turns, candidates, 60, rng)) at_thing += turn.who == 1;
  EXPECT_LE(at_thing, 20);
}

TEST(GazeTurns, WhoGoesAwayLosesTheGazeAtOnce) {
  GazeTurns turns;
  Random rng(5);
  std::vector<GazeCandidate> faces = {FaceToLookAt(), FaceToLookAt()};
  Watch(turns, faces, 10, rng);
  const auto gone = static_cast<size_t>(turns.turn());
  faces[gone].weight = 0;
  EXPECT_EQ(turns.Step(absl::MakeSpan(faces), kTickAsFloat_s, rng), 1 - static_cast<int>(gone));
}

}  // namespace
}  // namespace posewire::graph
