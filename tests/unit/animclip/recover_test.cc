#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "libs/recording/chunk_record.h"
#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

using ::testing::ContainsRegex;
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
  for (size_t cut = 1; cut < bytes.size(); cut += 1 + cut % 37) {
    // Frames that are whole, and of these the messages: the second and the last are records.
    size_t frames = 0, end = 0;
    while (const auto framing = recording::ReadFraming(absl::string_view(bytes).substr(end))) {
      if (end + framing->bytes() > cut) break;
      end += framing->bytes();
      ++frames;
    }
    const size_t whole = frames - (frames > 1 ? 1 : 0);
    Spill(in, bytes.substr(0, cut));
    std::filesystem::remove(out);
    TestConsole c;
    const int code = RunRecover({in, out}, c.console);
    EXPECT_EQ(code, whole == 0 ? kNo : end == cut ? kDone : kLoss) << cut;
    ASSERT_EQ(std::filesystem::exists(out), whole > 0) << cut;
    if (whole == 0) continue;
    const Messages kept = ReadClipFile(out);
    ASSERT_EQ(kept.size(), whole) << cut;
    for (size_t i = 0; i < whole; ++i) {
      EXPECT_EQ(kept[i].SerializeAsString(), messages[i].SerializeAsString()) << cut;
    }
  }
}

TEST(Recover, LeavesOutTheMessageThatBreaksARuleAndGoesOn) {
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
  EXPECT_EQ(ReadClipFile(out).size(), messages.size() - 1);
  EXPECT_THAT(c.err.str(), HasSubstr("rotations"));
  TestConsole valid;
  EXPECT_EQ(RunValidate({out}, valid.console), kDone) << valid.err.str();
}

// Case 57 of docs/evidence/reliability.md.
TEST(Recover, FindsWhatStandsBeforeAndBehindADamagedMiddle) {
  const Messages messages = MakeTalk({.frames = 600});
  const std::string in = TempPath("in.animdata"), out = TempPath("out.animdata");
  WriteClipFile(in, messages);
  std::string bytes = Slurp(in);
  ASSERT_GT(bytes.size(), 500'000u);
  bytes.replace(bytes.size() / 2, 512, 512, '\xff');
  Spill(in, bytes);
  TestConsole c;
  EXPECT_EQ(RunRecover({in, out}, c.console), kLoss);
  const Messages kept = ReadClipFile(out);
  EXPECT_GE(kept.size(), messages.size() - 2);
  EXPECT_LT(kept.size(), messages.size());
  EXPECT_TRUE(kept.back().has_status());
  EXPECT_THAT(c.err.str(), ContainsRegex("lost bytes [0-9]+ to [0-9]+, after [0-9.]+ s"));
  TestConsole valid;
  EXPECT_EQ(RunValidate({out}, valid.console), kDone) << valid.err.str();
}

// A file that was written before there were records.
TEST(Recover, OfAFileWithoutRecordsKeepsAllBeforeTheDamage) {
  const Messages messages = MakeTalk();
  std::string bytes;
  for (size_t i = 0; i < messages.size(); ++i) {
    recording::AppendVarint(i == 9 ? 0x7fffffff : messages[i].ByteSizeLong(), &bytes);
    bytes += messages[i].SerializeAsString();
  }
  const std::string in = TempPath("in.animdata"), out = TempPath("out.animdata");
  Spill(in, bytes);
  TestConsole c;
  EXPECT_EQ(RunRecover({in, out}, c.console), kLoss);
  EXPECT_EQ(ReadClipFile(out).size(), 9u);
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
