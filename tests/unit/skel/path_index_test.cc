#include "libs/skel/path_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/support/cpu_time.h"
#include "tests/support/hostile_names.h"

namespace posewire::skel {
namespace {

PathIndex IndexOf(const std::vector<std::string>& paths) {
  PathIndex index;
  for (const std::string& path : paths) index.Add(path);
  return index;
}

TEST(PathIndex, FindsWholePathsAndTheirUnambiguousEnds) {
  const std::vector<std::string> paths = {"Body", "Body/L", "Body/L/Finger", "Body/R/Finger"};
  const PathIndex index = IndexOf(paths);
  EXPECT_EQ(index.Find("Body/L/Finger").index, 2);
  EXPECT_EQ(index.Find("Body/L/Finger").elements, PathIndex::kWhole);
  EXPECT_EQ(index.Find("R/Finger").index, 3);
  EXPECT_EQ(index.Find("R/Finger").elements, 2);
  EXPECT_EQ(index.Find("/Root/Body/R/Finger").index, 3);
  EXPECT_EQ(index.Find("Other/Body").index, 0);
  EXPECT_EQ(index.Find("Finger").index, -1);
  EXPECT_TRUE(index.Find("Finger").several);
  EXPECT_TRUE(index.Find("Tail/Finger").several);
  EXPECT_EQ(index.Find("Toe").index, -1);
  EXPECT_FALSE(index.Find("Toe").several);
  EXPECT_EQ(index.Find("").index, -1);
}

TEST(PathIndex, AWholePathGoesBeforeALongerOneThatEndsInIt) {
  const std::vector<std::string> paths = {"X/A/B", "A/B", "B"};
  const PathIndex index = IndexOf(paths);
  EXPECT_EQ(index.Find("A/B").index, 1);
  EXPECT_EQ(index.Find("B").index, 2);
  EXPECT_EQ(index.Find("X/A/B").index, 0);
}

TEST(PathIndex, ElementsAreComparedWhole) {
  const std::vector<std::string> paths = {"Arm/Hand"};
  const PathIndex index = IndexOf(paths);
  EXPECT_EQ(index.Find("LeftArm/Hand").elements, 1);
  EXPECT_EQ(index.Find("and").index, -1);
}

// The ends of a path, the shortest first.
std::vector<std::string> Ends(const std::string& path) {
  const std::vector<std::string> elements = absl::StrSplit(path, '/');
  std::vector<std::string> ends;
  for (size_t n = 1; n <= elements.size(); ++n) {
    ends.push_back(
        absl::StrJoin(elements.end() - static_cast<std::ptrdiff_t>(n), elements.end(), "/"));
  }
  return ends;
}

TEST(PathIndex, AgreesWithASlowReference) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const auto path = [&] {
      std::string p(1, static_cast<char>('a' + random() % 3));
      for (size_t depth = random() % 4; depth > 0; --depth) {
        p += absl::StrCat("/", std::string(1, static_cast<char>('a' + random() % 3)));
      }
      return p;
    };
    std::vector<std::string> paths;
    for (size_t n = 1 + random() % 6; n > 0; --n) {
      const std::string p = path();
      if (std::find(paths.begin(), paths.end(), p) == paths.end()) paths.push_back(p);
    }
    const PathIndex index = IndexOf(paths);
    const std::string asked = path();
    int expected = -1;
    const std::vector<std::string> ends = Ends(asked);
    if (const auto it = std::find(paths.begin(), paths.end(), asked); it != paths.end()) {
      expected = static_cast<int>(it - paths.begin());
    } else {
      // From the longest end down to the first that any path ends in.
      for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
        std::vector<int> having;
        for (size_t i = 0; i < paths.size(); ++i) {
          const std::vector<std::string> of = Ends(paths[i]);
          if (std::find(of.begin(), of.end(), *end) != of.end()) {
            having.push_back(static_cast<int>(i));
          }
        }
        if (having.size() == 1) expected = having[0];
        if (!having.empty()) break;
      }
    }
    ASSERT_EQ(index.Find(asked).index, expected) << asked << " in " << absl::StrJoin(paths, " ");
    for (size_t i = 0; i < paths.size(); ++i) {
      const std::string name(index.ShortestName(static_cast<int>(i)));
      ASSERT_EQ(index.Find(name).index, static_cast<int>(i)) << name;
      // No shorter end does.
      const std::vector<std::string> shorter = Ends(name);
      for (size_t n = 0; n + 1 < shorter.size(); ++n) {
        const PathIndex::Match match = index.Find(shorter[n]);
        EXPECT_TRUE(match.index != static_cast<int>(i)) << shorter[n];
      }
    }
  }
}

TEST(PathIndex, OfPathsThatAreThereTwiceFindsTheLastAndNamesNeitherByLess) {
  const std::vector<std::string> paths = {"A/B", "A/B", "B"};
  const PathIndex index = IndexOf(paths);
  EXPECT_EQ(index.Find("A/B").index, 1);
  EXPECT_EQ(index.ShortestName(0), "A/B");
  EXPECT_EQ(index.ShortestName(1), "A/B");
}

TEST(PathIndex, AnElementThatBeginsWithALowCharacterDoesNotSeparateItsNeighbours) {
  const std::vector<std::string> paths = {"x/A", "-A", "y/A", "!A", "A"};
  const PathIndex index = IndexOf(paths);
  EXPECT_TRUE(index.Find("z/A").several);
  EXPECT_EQ(index.ShortestName(0), "x/A");
  EXPECT_EQ(index.ShortestName(1), "-A");
}

// The square of the joints took minutes.
TEST(PathIndex, TakesNoLongForAnyNames) {
  for (const auto& [what, paths] : test::HostileNames()) {
    const double cpu_s = test::CpuSeconds([&paths = paths] {
      PathIndex index;
      for (const std::string& path : paths) index.Add(path);
      for (size_t i = 0; i < paths.size(); ++i) {
        ASSERT_EQ(index.Find(paths[i]).index, static_cast<int>(i));
        ASSERT_FALSE(index.ShortestName(static_cast<int>(i)).empty());
        index.Find("x/" + paths[i]);
        index.Find(absl::string_view(paths[i]).substr(1));
      }
    });
    EXPECT_LT(cpu_s, 5) << what;
  }
}

}  // namespace
}  // namespace posewire::skel
