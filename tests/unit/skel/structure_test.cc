// Which room includes which: read off the sources, so that no arrow runs up unseen.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace {

namespace fs = std::filesystem;

struct Include {
  std::string file;  // from the top of the tree
  std::string what;  // "libs/skel/pose.h", "chrono", "grpcpp/grpcpp.h"
};

std::vector<Include> AllIncludes() {
  const char* source = std::getenv("POSEWIRE_SOURCE_DIR");
  const fs::path top = source != nullptr ? source : ".";
  std::vector<Include> includes;
  for (const char* folder : {"libs", "services", "tools"}) {
    if (!fs::exists(top / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(top / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cc") continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        absl::string_view rest = line;
        if (!absl::ConsumePrefix(&rest, "#include ") || rest.size() < 2) continue;
        const size_t end = rest.find_first_of("\">", 1);
        includes.push_back(
            {fs::relative(entry.path(), top).string(), std::string(rest.substr(1, end - 1))});
      }
    }
  }
  return includes;
}

const std::vector<Include>& Includes() {
  static const auto& includes = *new std::vector<Include>(AllIncludes());
  return includes;
}

// "libs/skel/rig.h" -> "skel"; services and tools -> "services", "tools"; "" for what is not ours.
std::string RoomOf(const std::string& path) {
  const std::vector<std::string> parts = absl::StrSplit(path, '/');
  if (parts.size() < 2) return "";
  if (parts[0] == "libs") return parts[1];
  if (parts[0] == "services" || parts[0] == "tools") return parts[0];
  return "";
}

bool IsGrpc(const std::string& what) {
  return absl::StartsWith(what, "grpcpp/") || absl::StartsWith(what, "grpc++/") ||
         absl::StartsWith(what, "grpc/") || absl::StrContains(what, ".grpc.pb.h");
}
bool IsProtobuf(const std::string& what) {
  return absl::StartsWith(what, "google/protobuf/") || absl::StrContains(what, ".pb.h");
}

std::string Arrow(const Include& include) {
  return absl::StrCat(include.file, " includes ", include.what);
}

class Structure : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("POSEWIRE_SOURCE_DIR") == nullptr && Includes().empty()) {
      GTEST_SKIP() << "POSEWIRE_SOURCE_DIR is not set";
    }
    ASSERT_GT(Includes().size(), 100u);
  }
};

TEST_F(Structure, TimecodeAndSkelIncludeNothingOfTheOutsideWorld) {
  const std::set<std::string> forbidden = {
      "chrono", "ctime",   "time.h",   "sys/time.h", "fstream",
      "cstdio", "stdio.h", "iostream", "filesystem", "thread",
      "mutex",  "atomic",  "unistd.h", "fcntl.h",    "condition_variable",
      "future"};
  int seen = 0;
  for (const Include& include : Includes()) {
    const std::string room = RoomOf(include.file);
    if (room != "timecode" && room != "skel") continue;
    ++seen;
    EXPECT_EQ(forbidden.count(include.what), 0u) << Arrow(include);
    EXPECT_FALSE(IsGrpc(include.what)) << Arrow(include);
    EXPECT_FALSE(IsProtobuf(include.what)) << Arrow(include);
    EXPECT_FALSE(absl::StartsWith(include.what, "spdlog/")) << Arrow(include);
    EXPECT_FALSE(absl::StartsWith(include.what, "absl/time/")) << Arrow(include);
    const std::string target = RoomOf(include.what);
    EXPECT_TRUE(target.empty() || target == room) << Arrow(include);
  }
  EXPECT_GT(seen, 50);
}

TEST_F(Structure, NoArrowRunsUp) {
  // The four floors, from the ground up.
  const std::map<std::string, int> floor = {
      {"timecode", 0}, {"skel", 0},   {"wire", 1},     {"clip", 1},    {"graph", 2},
      {"clipio", 2},   {"vmc", 2},    {"client", 2},   {"service", 2}, {"gesture", 2},
      {"speech", 2},   {"figure", 2}, {"services", 3}, {"tools", 3}};
  int arrows = 0;
  for (const Include& include : Includes()) {
    const std::string from = RoomOf(include.file), to = RoomOf(include.what);
    ASSERT_TRUE(floor.count(from)) << from << " has no floor";
    if (to.empty() || to == from) continue;
    ASSERT_TRUE(floor.count(to)) << Arrow(include);
    EXPECT_LE(floor.at(to), floor.at(from)) << Arrow(include);
    ++arrows;
  }
  EXPECT_GT(arrows, 20);
}

TEST_F(Structure, OnlyShellsIncludeGrpc) {
  int seen = 0;
  for (const Include& include : Includes()) {
    if (!IsGrpc(include.what)) continue;
    ++seen;
    const std::vector<std::string> parts = absl::StrSplit(include.file, '/');
    const bool shell = parts[0] == "services" && parts.size() > 3 && parts[2] == "grpc";
    const std::string room = RoomOf(include.file);
    EXPECT_TRUE(shell || room == "client" || room == "service") << Arrow(include);
  }
  EXPECT_GT(seen, 0);
}

// Past the border there are no messages, only poses.
TEST_F(Structure, PoseRoomsAndTheGraphCoreIncludeNoProtobuf) {
  const std::set<std::string> rooms = {"timecode", "skel", "clip", "gesture", "figure", "speech"};
  int seen = 0;
  for (const Include& include : Includes()) {
    const bool core = absl::StartsWith(include.file, "services/anim_graph/core/");
    if (!core && rooms.count(RoomOf(include.file)) == 0) continue;
    ++seen;
    EXPECT_FALSE(IsProtobuf(include.what)) << Arrow(include);
  }
  EXPECT_GT(seen, 100);
}

TEST_F(Structure, CoresDoNotLog) {
  for (const Include& include : Includes()) {
    if (!absl::StrContains(include.file, "/core/")) continue;
    EXPECT_FALSE(absl::StartsWith(include.what, "spdlog/")) << Arrow(include);
    EXPECT_NE(RoomOf(include.what), "service") << Arrow(include);
  }
}

}  // namespace
