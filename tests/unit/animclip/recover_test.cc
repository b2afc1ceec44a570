#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

using ::testing::HasSubstr;

TEST(Recover, AWholeFileIsCopiedWithoutLoss) {
  const std::string in = TempPath("in.animdata"), out = TempPath("out.animdata");
  WriteClipFile(in, MakeTalk());
  TestConsole c;
  EXPECT_EQ(RunRecover({in, out}, c.console), kDone);
  EXPECT_EQ(Slurp(out), Slurp(in));
  EXPECT_THAT(c.out.str(), HasSubstr("nothing lost"));
}

TEST(Recover, AtAnyPlaceOfTheTearWholeMessagesSurvive) {
  const Messages messages = MakeTalk({.frames = 4});
  const std::string in = TempPath("in.animdata"), out = TempPath("out.animdata");
  WriteClipFile(in, messages);
  const std::string bytes = Slurp(in);
  std::vector<size_t> ends;
  size_t end = 0;
  for (const Message& m : messages) {
    const size_t n = m.ByteSizeLong();
    end += n + (n < 128 ? 1 : n < 16384 ? 2 : 3);
    ends.push_back(end);
  }
  ASSERT_EQ(ends.back(), bytes.size());
  for (size_t cut = 1; cut < bytes.size(); cut += 1 + cut % 37) {
    const auto whole =
        static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin());
    Spill(in, bytes.substr(0, cut));
    std::filesystem::remove(out);
    TestConsole c;
    const int code = RunRecover({in, out}, c.console);
    const bool clean = whole > 0 && ends[whole - 1] == cut;
    EXPECT_EQ(code, whole == 0 ? kNo : clean ? kDone : kLoss) << cut;
    EXPECT_EQ(std::filesystem::exists(out), whole > 0) << cut;
    if (whole > 0) {
      EXPECT_EQ(Slurp(out), bytes.substr(0, ends[whole - 1])) << cut;
    }
  }
}

TEST(Recover, StopsAtTheFirstMessageThatBreaksARule) {
  Messages messages = MakeTalk();
  messages[9]
      .mutable_animation_data()
      ->mutable_skel_animation()
      ->mutable_rotations(0)
      ->set_time_code(0);
  const std::string in = TempPath("in.animdata"), out = TempPath("out.animdata");
  WriteClipFile(in, messages);
  TestConsole c;
  EXPECT_EQ(RunRecover({in, out}, c.console), kLoss);
  EXPECT_EQ(ReadClipFile(out).size(), 9u);
  EXPECT_THAT(c.err.str(), HasSubstr("message 9"));
}

TEST(Recover, MendsTornJson) {
  const std::string in = TempPath("in.jsonl"), out = TempPath("out.animdata");
  WriteClipFile(in, MakeTalk());
  const std::string text = Slurp(in);
  Spill(in, text.substr(0, text.size() / 2));
  TestConsole c;
  EXPECT_EQ(RunRecover({in, out}, c.console), kLoss);
  TestConsole valid;
  EXPECT_EQ(RunValidate({out}, valid.console), kDone) << valid.err.str();
  EXPECT_GT(ReadClipFile(out).size(), 10u);
}

TEST(Recover, NothingIsLeftOfNoiseAndNoFileIsMade) {
  const std::string in = TempPath("in.animdata"), out = TempPath("out.animdata");
  Spill(in, std::string(5000, '\xff'));
  TestConsole c;
  EXPECT_EQ(RunRecover({in, out}, c.console), kNo);
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_THAT(c.err.str(), HasSubstr("Nothing could be recovered"));
}

TEST(Recover, AFileThatIsNotThereIsNamed) {
  TestConsole c;
  EXPECT_EQ(RunRecover({"gone.animdata", TempPath("out.animdata")}, c.console), kNo);
  EXPECT_THAT(c.err.str(), HasSubstr("gone.animdata"));
}

}  // namespace
}  // namespace posewire::animclip
