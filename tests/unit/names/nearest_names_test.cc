#include "libs/names/nearest_names.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace posewire {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const std::vector<std::string>& Names() {
  static const auto* names = new std::vector<std::string>{
      "none",  "bow",       "point_left", "point_you", "thumbs_up",  "thumbs_down",
      "wave",  "welcome",   "Bowing",     "Bowing_1",  "Point_Left", "Pointing_To_User",
      "Taunt", "Thumbs_Up", "Chefs_Kiss"};
  return *names;
}

std::vector<std::string> Near(const char* text) { return NearestNames(text, Names()); }

TEST(NearestNames, ForgivesAFewStrokes) {
  EXPECT_THAT(Near("wvae"), ElementsAre("wave"));
  EXPECT_THAT(Near("wav"), ElementsAre("wave"));
  EXPECT_THAT(Near("cheff-kiss"), ElementsAre("Chefs_Kiss"));
  EXPECT_THAT(Near("Thumb Up"), ElementsAre("thumbs_up"));
}

TEST(NearestNames, FindsTheWordInALongerOneAndTheOtherWayRound) {
  EXPECT_THAT(Near("Taunting_Loudly"), ElementsAre("Taunt"));
  EXPECT_THAT(Near("Pointing"), Contains("Pointing_To_User"));
  EXPECT_THAT(Near("bowing_2"), ElementsAre("Bowing_1", "Bowing"));
}

TEST(NearestNames, IsEmptyForWhatIsLikeNothing) {
  for (const std::string& text : {std::string("Cartwheel"), std::string(), std::string("_"),
                                  std::string(100, 'a'), std::string("\0\xff", 2)}) {
    EXPECT_THAT(NearestNames(text, Names()), IsEmpty()) << text;
  }
  EXPECT_THAT(NearestNames("wave", {}), IsEmpty());
}

TEST(NearestNames, GivesTheNearestFirstAndNoMoreThanAsked) {
  EXPECT_THAT(NearestNames("thumbs_uq", Names(), 1), ElementsAre("thumbs_up"));
  const std::vector<std::string> many(20, "wave");
  EXPECT_THAT(NearestNames("wave", many), SizeIs(1)) << "the same name, once";
  EXPECT_THAT(NearestNames("abc", std::vector<std::string>{"abd", "abce", "abd_", "xbc", "abc_"}),
              ElementsAre("abd", "abce", "xbc"));
}

// One stroke away: a letter left out, doubled, changed or swapped with the next.
TEST(NearestNames, FindsEveryNameOneStrokeAway) {
  std::mt19937 random(7);
  for (const std::string& name : Names()) {
    for (int i = 0; i < 50; ++i) {
      std::string text = name;
      const size_t at = random() % (text.size() - 1);
      switch (random() % 4) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text.insert(at, 1, text[at]);
          break;
        case 2:
          text[at] = '*';
          break;
        default:
          std::swap(text[at], text[at + 1]);
      }
      std::vector<std::string> found;
      for (const std::string& n : NearestNames(text, Names(), 99))
        found.push_back(absl::AsciiStrToLower(n));
      EXPECT_THAT(found, Contains(absl::AsciiStrToLower(name))) << text;
    }
  }
}

}  // namespace
}  // namespace posewire
