#include "libs/stream/pull_errors.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "libs/stream/busy.h"

namespace posewire::stream {
namespace {

TEST(PullErrors, AListNamesEightAndCountsTheOthers) {
  NameList names;
  EXPECT_EQ(names.text(), "");
  for (int i = 0; i < 8; ++i) names.Add(absl::StrCat("t", i));
  EXPECT_EQ(names.text(), R"("t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7")");
  names.Add("t8");
  names.Add("t9");
  EXPECT_EQ(names.text(), R"("t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7" and 2 more)");
}

TEST(PullErrors, SayWhatWouldBeRight) {
  NameList two;
  two.Add("a");
  two.Add("b");
  EXPECT_EQ(NameOneAvatar("s", two),
            absl::InvalidArgumentError("target_object_id is empty, and stream_id \"s\" has the "
                                       "avatars \"a\", \"b\"; name one of them"));
  EXPECT_EQ(OfAnotherAvatar("r", "a", "b"),
            absl::InvalidArgumentError("request_id \"r\" belongs to target_object_id \"a\", and "
                                       "the pull names \"b\"; leave the target empty"));
}

TEST(PullErrors, ASlowPullMayComeAgain) { EXPECT_TRUE(IsBusy(TooFarBehind())); }

}  // namespace
}  // namespace posewire::stream
