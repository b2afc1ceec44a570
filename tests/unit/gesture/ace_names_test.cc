#include "libs/gesture/ace_names.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "libs/gesture/gestures.h"

namespace posewire::gesture {
namespace {

std::set<std::string> NamesOf(GestureKind kind) {
  const auto names = GestureNames(kind);
  return {names.begin(), names.end()};
}

TEST(AceNames, EachNamesAClipOfTheRightKind) {
  const auto body = NamesOf(GestureKind::kBody), postures = NamesOf(GestureKind::kPosture);
  std::set<std::string> seen;
  for (const AceName& n : AceGestures()) {
    EXPECT_EQ(body.count(std::string(n.clip)), 1u) << n.ace << " -> " << n.clip;
    EXPECT_TRUE(seen.insert(std::string(n.ace)).second) << n.ace << " stands twice";
  }
  for (const AceName& n : AcePostures()) {
    EXPECT_EQ(postures.count(std::string(n.clip)), 1u) << n.ace << " -> " << n.clip;
    EXPECT_TRUE(n.own);
  }
  EXPECT_EQ(AcePostures().size(), postures.size());
  const auto facial = NamesOf(GestureKind::kFacial);
  for (const AceName& n : AceFacialGestures()) {
    EXPECT_EQ(facial.count(std::string(n.clip)), 1u) << n.ace << " -> " << n.clip;
  }
}

TEST(AceNames, NoClipIsTheOwnOneOfTwoNames) {
  std::set<std::string> own;
  for (const AceName& n : AceGestures()) {
    if (!n.own) continue;
    EXPECT_TRUE(own.insert(std::string(n.clip)).second) << n.clip;
  }
}

TEST(AceNames, AreFoundInUpperAndLowerCase) {
  ASSERT_NE(FindAceGesture("thumbs_up"), nullptr);
  EXPECT_EQ(FindAceGesture("Thumbs_Up"), FindAceGesture("thumbs_up"));
  EXPECT_EQ(FindAceGesture("Thumbs_Up")->clip, "thumbs_up");
  EXPECT_EQ(FindAcePosture("LISTENING")->clip, "posture_listening");
  EXPECT_EQ(FindAceGesture("Talking"), nullptr);
  EXPECT_EQ(FindAceGesture(""), nullptr);
}

TEST(AceNames, NumbersComeInThreeVariants) {
  for (int digit = 1; digit <= 9; ++digit) {
    for (const char* variant : {"a", "b", "c"}) {
      EXPECT_NE(FindAceGesture(absl::StrCat("Number_", digit, variant)), nullptr);
    }
  }
}

// Every id of ACE's own test configuration: "variable,clip_id,duration_s", behind remarks.
TEST(AceNames, HoldEveryNameOfAcesOwnConfiguration) {
  const char* source = std::getenv("POSEWIRE_SOURCE_DIR");
  std::ifstream file(std::string(source == nullptr ? "." : source) + "/tests/data/ace_clips.csv");
  ASSERT_TRUE(file) << "POSEWIRE_SOURCE_DIR is the folder of the sources";
  std::string line;
  int ids = 0;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = absl::StrSplit(line, ',');
    if (line[0] == '#' || cells[0] == "variable") continue;
    ++ids;
    const auto names = cells[0] == "posture_state"   ? AcePostures()
                       : cells[0] == "gesture_state" ? AceGestures()
                                                     : AceFacialGestures();
    EXPECT_TRUE(std::any_of(names.begin(), names.end(), [&](const AceName& n) {
      return n.ace == cells[1];
    })) << line;
  }
  EXPECT_EQ(ids, 70);
}

}  // namespace
}  // namespace posewire::gesture
