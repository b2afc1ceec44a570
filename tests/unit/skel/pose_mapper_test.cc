#include "libs/skel/pose_mapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace posewire::skel {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Letters(const std::string& text) {
  std::vector<std::string> names;
  for (const char c : text) names.emplace_back(1, c);
  return names;
}
PoseMapper LetterMap(const std::string& source, const std::string& target) {
  return PoseMapper(Letters(source), Letters(target));
}
std::vector<int> Targets(const PoseMapper& map) {
  std::vector<int> out;
  for (int i = 0; i < map.source_size(); ++i) out.push_back(map.TargetOf(i));
  return out;
}

TEST(PoseMapper, MapsNothingWhenAnOrderIsEmptyOrNoNameIsInBoth) {
  EXPECT_THAT(Targets(LetterMap("", "ABC")), ElementsAre());
  EXPECT_THAT(Targets(LetterMap("ABC", "")), ElementsAre(-1, -1, -1));
  EXPECT_THAT(Targets(LetterMap("ABC", "XYZ")), ElementsAre(-1, -1, -1));
  EXPECT_EQ(PoseMapper().TargetOf(0), -1);
  EXPECT_EQ(LetterMap("A", "A").TargetOf(-1), -1);
  EXPECT_EQ(LetterMap("A", "A").TargetOf(1), -1);
}

TEST(PoseMapper, ComparesWholeTokens) {
  const std::vector<std::string> source = {"Root/Hips"}, target = {"Hips"};
  EXPECT_EQ(PoseMapper(source, target).TargetOf(0), -1);
  const std::vector<std::string> absolute = {"/A"}, relative = {"A"};
  EXPECT_EQ(PoseMapper(absolute, relative).TargetOf(0), -1);
}

using Paths = std::vector<std::string>;

TEST(PoseMapper, ByPathTellsJointsOfOneLastElementApart) {
  const Paths target = {"Body", "Body/L/Finger", "Body/R/Finger"};
  EXPECT_THAT(Targets(PoseMapper::ByPath(Paths{"R/Finger", "L/Finger", "Root/Body"}, target)),
              ElementsAre(2, 1, 0));
  // Which finger this is, nobody can tell.
  EXPECT_THAT(Targets(PoseMapper::ByPath(Paths{"Finger", "Body"}, target)), ElementsAre(-1, 0));
  // Nor which of these two the only finger is.
  EXPECT_THAT(Targets(PoseMapper::ByPath(Paths{"L/Finger", "R/Finger", "Hips"},
                                         Paths{"Hips", "Hips/Finger"})),
              ElementsAre(-1, -1, 0));
}

TEST(PoseMapper, ByPathTheLongerCommonEndCounts) {
  const Paths target = {"A/B/C"};
  EXPECT_THAT(Targets(PoseMapper::ByPath(Paths{"C", "B/C"}, target)), ElementsAre(-1, 0));
  EXPECT_THAT(Targets(PoseMapper::ByPath(Paths{"B/C", "A/B/C", "C", "X/C"}, target)),
              ElementsAre(-1, 0, -1, -1));
  // Two that are as good hide nothing from a third that is better.
  EXPECT_THAT(Targets(PoseMapper::ByPath(Paths{"X/C", "Y/C", "B/C"}, target)),
              ElementsAre(-1, -1, 0));
}

TEST(PoseMapper, OfDoubledNamesTheLastIsTheTarget) {
  EXPECT_EQ(LetterMap("BA", "ABA").TargetOf(1), 2);
  EXPECT_EQ(LetterMap("AC", "ABAC").TargetOf(0), 2);
}

// The slow reference looks every name up by hand.
TEST(PoseMapper, AgreesWithASlowReferenceOnRandomOrders) {
  std::mt19937 rng(3);
  for (int round = 0; round < 500; ++round) {
    const auto draw = [&] {
      std::string all = "ABCDEFGH";
      std::shuffle(all.begin(), all.end(), rng);
      if (rng() % 3 == 0) std::sort(all.begin(), all.end());
      return all.substr(rng() % 8, rng() % 9);
    };
    const std::string source = draw(), target = draw();
    std::vector<int> want;
    for (const char name : source) {
      const size_t at = target.find(name);
      want.push_back(at == std::string::npos ? -1 : static_cast<int>(at));
    }
    EXPECT_EQ(Targets(LetterMap(source, target)), want) << source << " " << target;
  }
}

}  // namespace
}  // namespace posewire::skel
