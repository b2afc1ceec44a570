#include "libs/skel/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/cpu_time.h"
#include "tests/support/hostile_names.h"

namespace posewire::skel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int16_t> Parents(const std::vector<std::string>& paths) {
  const Topology topology = Topology::FromPaths(paths);
  return {topology.parents().begin(), topology.parents().end()};
}

TEST(Topology, TakesTheNearestPresentAncestorPath) {
  EXPECT_THAT(Parents({"A", "A/B/C", "A/B", "Nested/Without/Parent/Joint", "D", "D/E/F/G", "/A/B/C",
                       "/A/B", "/A", "", "/", ".."}),
              ElementsAre(-1, 2, 0, -1, -1, 4, 7, 8, -1, -1, -1, -1));
  EXPECT_THAT(Parents({"A", "A/B", "C", "C/D/E"}), ElementsAre(-1, 0, -1, 2));
}

TEST(Topology, KeepsAbsoluteAndRelativePathsApart) {
  EXPECT_THAT(Parents({"/A", "A/B"}), ElementsAre(-1, -1));
  EXPECT_THAT(Parents({"A", "/A/B"}), ElementsAre(-1, -1));
}

TEST(Topology, TreatsEmptySlashAndDotDotAsRoots) {
  EXPECT_THAT(Parents({"", "/", "..", "A"}), ElementsAre(-1, -1, -1, -1));
}

TEST(Topology, DoesNotMatchAPrefixOfAName) {
  EXPECT_THAT(Parents({"A", "AB/C", "AB"}), ElementsAre(-1, 2, -1));
}

TEST(Topology, TakesNoLongForAnyNames) {
  for (const auto& [what, paths] : test::HostileNames()) {
    EXPECT_LT(test::CpuSeconds([&paths = paths] { Topology::FromPaths(paths); }), 5) << what;
  }
}

TEST(Topology, AcceptsNoJointsAndSeveralRoots) {
  EXPECT_EQ(Topology::FromPaths({}).size(), 0);
  EXPECT_TRUE(Topology::FromPaths({}).Validate().ok());
  const std::vector<std::string> paths = {"A", "B", "B/C"};
  EXPECT_TRUE(Topology::FromPaths(paths).Validate().ok());
}

TEST(Topology, ValidatesThatParentsComeFirst) {
  const std::vector<std::string> good = {"A", "A/B", "A/B/C", "D", "D/E"};
  EXPECT_TRUE(Topology::FromPaths(good).Validate().ok());

  const std::vector<std::string> bad = {"A/B", "C", "A"};
  const Topology topology = Topology::FromPaths(bad);
  EXPECT_THAT(topology.parents(), ElementsAre(2, -1, -1));
  const absl::Status status = topology.Validate();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("joint 0 has parent 2"));
}

TEST(Topology, ValidateRejectsSelfAndNonsenseParents) {
  EXPECT_FALSE(Topology({0}).Validate().ok());
  EXPECT_FALSE(Topology({-1, 1}).Validate().ok());
  EXPECT_FALSE(Topology({-2}).Validate().ok());
}

// The slow reference looks at every pair: the longest other path that is a proper prefix at a
// slash.
TEST(Topology, AgreesWithAPairwiseSearchOnRandomPaths) {
  std::mt19937 rng(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> paths;
    const int count = static_cast<int>(rng() % 30);
    for (int i = 0; i < count; ++i) {
      std::string path(rng() % 8 == 0 ? "/" : "");
      const int depth = 1 + static_cast<int>(rng() % 4);
      for (int d = 0; d < depth; ++d) {
        if (d > 0) path += '/';
        path += "a-."[rng() % 3];  // two of them sort before the slash
      }
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
    }
    std::vector<int16_t> want;
    for (const std::string& path : paths) {
      int best = -1;
      size_t longest = 0;
      for (size_t j = 0; j < paths.size(); ++j) {
        const std::string prefix = paths[j] + "/";
        if (path.rfind(prefix, 0) == 0 && prefix.size() > longest) {
          best = static_cast<int>(j);
          longest = prefix.size();
        }
      }
      want.push_back(static_cast<int16_t>(best));
    }
    EXPECT_EQ(Parents(paths), want);
  }
}

}  // namespace
}  // namespace posewire::skel
