#include "libs/skel/pose_mapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/skel/random_pose.h"

namespace posewire::skel {
namespace {

using ::testing::ElementsAre;
using Floats = std::vector<float>;

std::vector<std::string> Letters(const std::string& text) {
  std::vector<std::string> names;
  for (const char c : text) names.emplace_back(1, c);
  return names;
}
PoseMapper LetterMap(const std::string& source, const std::string& target) {
  return PoseMapper(Letters(source), Letters(target));
}
Floats Remap(const PoseMapper& map, const Floats& source, Floats target = {}, int size = 1,
             float fallback = 0) {
  EXPECT_TRUE(map.Remap(source, size, target, fallback).ok());
  return target;
}

TEST(PoseMapper, IsNullWhenEitherOrderIsEmpty) {
  EXPECT_TRUE(LetterMap("", "ABC").IsNull());
  EXPECT_TRUE(LetterMap("ABC", "").IsNull());
  EXPECT_TRUE(PoseMapper().IsNull());
  EXPECT_FALSE(LetterMap("A", "A").IsNull());
}

TEST(PoseMapper, TellsIdentityOrderedAndIndexedApart) {
  EXPECT_TRUE(LetterMap("ABC", "ABC").IsIdentity());
  EXPECT_FALSE(LetterMap("ABC", "ABC").IsSparse());

  const PoseMapper ordered = LetterMap("ABC", "DABC");
  EXPECT_FALSE(ordered.IsIdentity());
  EXPECT_TRUE(ordered.IsOrdered());
  EXPECT_TRUE(ordered.IsSparse());
  EXPECT_EQ(ordered.TargetOf(0), 1);

  const PoseMapper indexed = LetterMap("ABC", "CAB");
  EXPECT_FALSE(indexed.IsIdentity());
  EXPECT_FALSE(indexed.IsOrdered());
  EXPECT_FALSE(indexed.IsSparse());

  EXPECT_TRUE(LetterMap("AB", "ABC").IsOrdered());
  EXPECT_TRUE(LetterMap("AB", "ABC").IsSparse());
}

TEST(PoseMapper, DisjointOrdersMapNothingButAreNotNull) {
  const PoseMapper map = LetterMap("ABC", "XYZ");
  EXPECT_FALSE(map.IsNull());
  EXPECT_TRUE(map.IsSparse());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(map.TargetOf(i), -1);
}

TEST(PoseMapper, ComparesWholeTokens) {
  const std::vector<std::string> source = {"Root/Hips"}, target = {"Hips"};
  EXPECT_EQ(PoseMapper(source, target).TargetOf(0), -1);
  const std::vector<std::string> absolute = {"/A"}, relative = {"A"};
  EXPECT_EQ(PoseMapper(absolute, relative).TargetOf(0), -1);
}

using Paths = std::vector<std::string>;

std::vector<int> Targets(const PoseMapper& map) {
  std::vector<int> out;
  for (int i = 0; i < map.source_size(); ++i) out.push_back(map.TargetOf(i));
  return out;
}

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

TEST(PoseMapper, ByPathKnowsItsForm) {
  const Paths all = {"A", "A/B", "A/C"};
  EXPECT_TRUE(PoseMapper::ByPath(all, all).IsIdentity());
  const PoseMapper run = PoseMapper::ByPath(Paths{"B", "C"}, all);
  EXPECT_TRUE(run.IsOrdered());
  EXPECT_TRUE(run.IsSparse());
  EXPECT_THAT(Targets(run), ElementsAre(1, 2));
  EXPECT_FALSE(PoseMapper::ByPath(Paths{"C", "B", "A"}, all).IsOrdered());
  EXPECT_TRUE(PoseMapper::ByPath(Paths{}, all).IsNull());
}

TEST(PoseMapper, OfDoubledNamesTheLastIsTheTarget) {
  EXPECT_EQ(LetterMap("BA", "ABA").TargetOf(1), 2);
  EXPECT_EQ(LetterMap("AC", "ABAC").TargetOf(0), 2);
}

TEST(PoseMapper, RemapsIntoAFreshTarget) {
  EXPECT_THAT(Remap(LetterMap("ABC", "CDAEB"), {1, 2, 3}), ElementsAre(3, 0, 1, 0, 2));
  EXPECT_THAT(Remap(LetterMap("ABC", "DEABC"), {1, 2, 3}), ElementsAre(0, 0, 1, 2, 3));
  EXPECT_THAT(Remap(LetterMap("ABC", "DEAB"), {1, 2, 3}), ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(Remap(LetterMap("ABC", "CDEAB"), {1, 2, 3}), ElementsAre(3, 0, 0, 1, 2));
}

TEST(PoseMapper, KeepsWhatTheTargetHeld) {
  EXPECT_THAT(Remap(LetterMap("ABC", "CDAEB"), {1, 2, 3}, {4, 5, 6, 7, 8}),
              ElementsAre(3, 5, 1, 7, 2));
  EXPECT_THAT(Remap(LetterMap("ABC", "DEABC"), {1, 2, 3}, {4, 5, 6, 7, 8}),
              ElementsAre(4, 5, 1, 2, 3));
  EXPECT_THAT(Remap(LetterMap("ABC", "DEABC"), {}, {4, 5, 6, 7, 8}), ElementsAre(4, 5, 6, 7, 8));
}

TEST(PoseMapper, RemapsElementsOfSeveralFloats) {
  const Floats source = {10, 11, 20, 21, 30, 31};
  EXPECT_THAT(Remap(LetterMap("ABC", "CDAEB"), source, {}, 2),
              ElementsAre(30, 31, 0, 0, 10, 11, 0, 0, 20, 21));
  EXPECT_THAT(Remap(LetterMap("ABC", "DEABC"), source, {}, 2, 7),
              ElementsAre(7, 7, 7, 7, 10, 11, 20, 21, 30, 31));
}

TEST(PoseMapper, ANullMapOnlyResizes) {
  EXPECT_THAT(Remap(LetterMap("", "ABC"), {}), ElementsAre(0, 0, 0));
  EXPECT_THAT(Remap(LetterMap("", "ABC"), {}, {4, 5, 6}, 2), ElementsAre(4, 5, 6, 0, 0, 0));
  EXPECT_THAT(Remap(LetterMap("", "ABC"), {}, {1, 2, 3, 4}), ElementsAre(1, 2, 3));
  EXPECT_THAT(Remap(LetterMap("ABC", ""), {1, 2, 3}, {1}), ElementsAre());
}

TEST(PoseMapper, TakesAShortSourceAsFarAsItGoes) {
  EXPECT_THAT(Remap(LetterMap("ABC", "DEABC"), {1}, {4, 5, 6, 7, 8}), ElementsAre(4, 5, 1, 7, 8));
  EXPECT_THAT(Remap(LetterMap("AB", "BA"), {1, 2, 3}, {}, 2), ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(Remap(LetterMap("AB", "AB"), {1, 2, 3, 4}), ElementsAre(1, 2));
}

TEST(PoseMapper, RejectsAnElementSizeBelowOne) {
  Floats target = {1};
  const absl::Status status = LetterMap("A", "A").Remap(Floats{2}, 0, target);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(target, ElementsAre(1));
}

TEST(PoseMapper, MapsJointsAndShapesOfPoses) {
  Pose in(2, 3), out(3, 2);
  in.span().SetRotation(0, {0, 1, 0, 0});
  in.span().SetTranslation(1, {1, 2, 3});
  in.span().SetWeight(2, 0.5f);
  out.span().SetTranslation(0, {9, 9, 9});
  EXPECT_TRUE(LetterMap("AB", "XBA").MapJoints(in.view(), out.span()));
  EXPECT_TRUE(LetterMap("abc", "ca").MapShapes(in.view(), out.span()));
  EXPECT_EQ(out.view().tx[0], 9);
  EXPECT_EQ(out.view().tz[1], 3);
  EXPECT_EQ(out.view().has_r[1], 0);
  EXPECT_EQ(out.view().qx[2], 1);
  EXPECT_EQ(out.view().weights[0], 0.5f);
  EXPECT_EQ(out.view().has_w[1], 0);
  EXPECT_FALSE(LetterMap("ABC", "XBA").MapJoints(in.view(), out.span()));
  EXPECT_FALSE(LetterMap("abc", "c").MapShapes(in.view(), out.span()));
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
    const PoseMapper map = LetterMap(source, target);
    Floats values, want(target.size(), -1);
    for (size_t i = 0; i < source.size(); ++i) values.push_back(static_cast<float>(source[i]));
    size_t written = 0;
    for (size_t i = 0; i < target.size(); ++i) {
      if (source.find(target[i]) == std::string::npos) continue;
      want[i] = static_cast<float>(target[i]);
      ++written;
    }
    EXPECT_EQ(Remap(map, values, {}, 1, -1), want) << source << " " << target;
    if (!map.IsNull()) {
      EXPECT_EQ(map.IsSparse(), written < target.size());
      EXPECT_EQ(map.IsOrdered(), target.find(source) != std::string::npos);
    }
    EXPECT_EQ(map.IsNull(), source.empty() || target.empty());
  }
}

}  // namespace
}  // namespace posewire::skel
