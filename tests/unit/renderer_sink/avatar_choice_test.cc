#include "services/renderer_sink/core/avatar_choice.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"

namespace posewire::renderer_sink {
namespace {

TEST(AvatarChoice, GivesEachStreamItsOwnAndTheOthersTheRest) {
  const auto choice = AvatarChoice::Parse({"a=man", "my.vrm", "b=files/x=y.glb"});
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->Of("a"), "man");
  EXPECT_EQ(choice->Of("b"), "files/x=y.glb");
  EXPECT_EQ(choice->Of("c"), "my.vrm");
  EXPECT_EQ(choice->All(),
            (std::vector<std::string>{"my.vrm", "woman", "man", "man", "files/x=y.glb"}));
}

TEST(AvatarChoice, IsTheWomanWhereNobodyIsChosen) {
  EXPECT_EQ(AvatarChoice::Parse({})->Of("a"), "");
  EXPECT_EQ(AvatarChoice::Parse({"a=man"})->Of("b"), "");
}

TEST(AvatarChoice, AnAvatarsOwnGoesBeforeItsStreams) {
  const auto choice = AvatarChoice::Parse({"a=man", "ben=b.glb"});
  EXPECT_EQ(choice->Of("a", "ben"), "b.glb");
  EXPECT_EQ(choice->Of("a", "anna"), "man");
  EXPECT_EQ(choice->Of("c", "anna"), "");
}

TEST(AvatarChoice, TakesWhatHasASlashBeforeTheEqualsSignForAFile) {
  EXPECT_EQ(AvatarChoice::Parse({"./a=b.glb"})->Of("a"), "./a=b.glb");
}

TEST(AvatarChoice, RejectsWhatIsSaidTwiceOrNotAtAll) {
  const auto rejected = [](const std::vector<std::string>& texts, const char* why) {
    const auto choice = AvatarChoice::Parse(texts);
    return absl::StrContains(choice.status().message(), why);
  };
  EXPECT_TRUE(rejected({"man", "woman"}, "\"man\" and \"woman\" are both for every stream"));
  EXPECT_TRUE(rejected({"a=man", "a=woman"}, "the stream \"a\" has a character already"));
  EXPECT_TRUE(rejected({"a="}, "\"a=\" names no character"));
  EXPECT_TRUE(rejected({"=man"}, "the stream's id is empty"));
}

TEST(AvatarChoice, KnowsWhomAStreamMayMean) {
  const auto choice = AvatarChoice::Parse({"other.glb", "anna=anna.vrm", "man=my_man.glb"});
  EXPECT_EQ(choice->Named("anna"), "anna.vrm");
  EXPECT_EQ(choice->Named("woman"), "woman");
  EXPECT_EQ(choice->Named("man"), "my_man.glb");
  EXPECT_FALSE(choice->Named("other.glb"));  // a stream names no file
  EXPECT_FALSE(choice->Named(""));
}

}  // namespace
}  // namespace posewire::renderer_sink
