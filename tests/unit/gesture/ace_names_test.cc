#include "libs/gesture/ace_names.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
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

// The names stand in one paragraph, each before its seconds: "Goodbye 2, Welcome 2.5, ...".
TEST(AceNames, HoldEveryNameThatTheSpecificationLists) {
  const char* source = std::getenv("POSEWIRE_SOURCE_DIR");
  std::ifstream file(std::string(source == nullptr ? "." : source) + "/../shared/spec/ace.md");
  if (!file) GTEST_SKIP() << "no specification beside the sources";
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  size_t at = text.find("Gestures with durations");
  ASSERT_NE(at, std::string::npos);
  std::stringstream words(text.substr(text.find(':', at) + 1, text.find("\n\n", at) - at));
  std::string word;
  int named = 0;
  while (words >> word && word != "##") {
    if (word[0] < 'A' || word[0] > 'Z' || word == "Number_1a..9c") continue;
    EXPECT_NE(FindAceGesture(word), nullptr) << word;
    ++named;
  }
  EXPECT_EQ(named + 27, static_cast<int>(AceGestures().size()));
}

}  // namespace
}  // namespace posewire::gesture
