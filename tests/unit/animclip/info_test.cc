#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Info, PrintsIdsTracksRateVoiceAndStatus) {
  const std::string path = TempPath("talk.animdata");
  WriteClipFile(path, MakeTalk());
  TestConsole c;
  EXPECT_EQ(RunInfo({path}, c.console), kDone);
  EXPECT_THAT(c.out.str(),
              AllOf(HasSubstr("33 messages"), HasSubstr("request"), HasSubstr("stream"),
                    HasSubstr("3 (HumanoidRoot ... r_shoulder) of hanim_loa3"),
                    HasSubstr("2 (jawOpen ... mouthSmileLeft)"),
                    HasSubstr("31 keys, 0.000 to 1.000 s, 30 fps"), HasSubstr("16000 Hz"),
                    HasSubstr("16533 samples"), HasSubstr("SUCCESS done"),
                    HasSubstr("1970-01-01 00:16:40.000 UTC")));
  EXPECT_THAT(c.out.str(), Not(HasSubstr("remarks")));
}

TEST(Info, ShowsTheSpanInTimeCodeWhereThereIsOneRate) {
  const auto info = [](const Messages& messages) {
    const std::string path = TempPath("rate.animdata");
    WriteClipFile(path, messages);
    TestConsole c;
    EXPECT_EQ(RunInfo({path}, c.console), kDone);
    return c.out.str();
  };
  EXPECT_THAT(info(MakeTalk({.audio_hz = 0})), HasSubstr("00:00:00:00 to 00:00:01:00 at 30 fps\n"));
  EXPECT_THAT(info(MakeTalk({.frames = 200, .fps = 30000.0 / 1001, .audio_hz = 0})),
              HasSubstr("00:00:00;00 to 00:00:06;19 at 29.97 fps\n"));
  EXPECT_THAT(info(MakeTalk({.fps = 90, .start_s = 2, .audio_hz = 0})),
              HasSubstr("00:00:02:00 to 00:00:02:30 at 90 fps\n"));
  EXPECT_THAT(info(MakeTalk({.frames = 1})), Not(HasSubstr("time code")));
  Messages uneven = MakeTalk();
  uneven.erase(uneven.begin() + 5);
  EXPECT_THAT(info(uneven), Not(HasSubstr("time code")));
}

TEST(Info, RemarksOnWhatIsUnusual) {
  Messages messages = MakeTalk({.ids = false});
  auto* first = messages[1].mutable_animation_data()->mutable_skel_animation();
  first->mutable_rotations(0)->mutable_values(0)->Clear();
  auto* q = first->mutable_rotations(0)->mutable_values(1);
  q->set_real(1.004f), q->set_i(0), q->set_j(0), q->set_k(0);
  // Half a second of the voice is missing.
  for (size_t i = 10; i < 25; ++i) messages[i].mutable_animation_data()->clear_audio();
  const std::string path = TempPath("odd.animdata");
  WriteClipFile(path, messages);
  TestConsole c;
  EXPECT_EQ(RunInfo({path}, c.console), kDone);
  EXPECT_THAT(
      c.out.str(),
      AllOf(HasSubstr("1 rotations are all zero"), HasSubstr("1 rotations are a little off"),
            HasSubstr("a push needs request and stream id"), HasSubstr("1 gaps, 0.500 s")));
}

TEST(Info, RemarksOnAClipWithoutAStatusAtItsEnd) {
  Messages messages = MakeTalk();
  messages.insert(messages.begin() + 3, messages.back());
  messages.pop_back();
  const std::string path = TempPath("unended.animdata");
  WriteClipFile(path, messages);
  TestConsole c;
  EXPECT_EQ(RunInfo({path}, c.console), kDone);
  EXPECT_THAT(c.out.str(),
              AllOf(HasSubstr("SUCCESS done"), HasSubstr("last message is not a status")));
}

TEST(Info, ShowsTheLastOfManyStatuses) {
  Messages messages = MakeTalk();
  for (int i = 0; i < 30; ++i) messages.insert(messages.begin() + 3, messages.back());
  messages.back().mutable_status()->set_message("the very last");
  const std::string path = TempPath("wordy.animdata");
  WriteClipFile(path, messages);
  TestConsole c;
  EXPECT_EQ(RunInfo({path}, c.console), kDone);
  EXPECT_THAT(c.out.str(), AllOf(HasSubstr("and 11 more"), HasSubstr("SUCCESS the very last")));
}

TEST(Info, TellsUnevenKeysApart) {
  Messages messages = MakeTalk({.frames = 3, .audio_hz = 0});
  auto* skel = messages[3].mutable_animation_data()->mutable_skel_animation();
  skel->mutable_rotations(0)->set_time_code(0.25);
  const std::string path = TempPath("uneven.jsonl");
  WriteClipFile(path, messages);
  TestConsole c;
  EXPECT_EQ(RunInfo({path}, c.console), kDone);
  EXPECT_THAT(c.out.str(), HasSubstr("33.3 to 216.7 ms apart"));
}

TEST(Info, TellsThatAVmcCaptureIsOneAndHowItBecomesAClip) {
  TestConsole c;
  const std::string path = TempPath("take.jsonl");
  Spill(path, "{\"time\": 0.016667, \"buffer\": \"L1ZNQy9FeHQvT0sALGkAAAAAAAE=\"}\n");
  EXPECT_EQ(RunInfo({path}, c.console), kNo);
  EXPECT_THAT(c.err.str(), testing::HasSubstr("is a VMC capture"));
  EXPECT_THAT(c.err.str(), testing::HasSubstr("a2f_source vmc --replay "));
}

TEST(Info, NamesAFileThatIsNotThere) {
  TestConsole c;
  EXPECT_EQ(RunInfo({"nowhere.animdata"}, c.console), kNo);
  EXPECT_THAT(c.err.str(), HasSubstr("nowhere.animdata"));
  EXPECT_TRUE(c.out.str().empty());
}

TEST(Info, SendsATornFileToRecover) {
  const std::string path = TempPath("torn.animdata");
  WriteClipFile(path, MakeTalk());
  const std::string bytes = Slurp(path);
  Spill(path, bytes.substr(0, bytes.size() - 5));
  TestConsole c;
  EXPECT_EQ(RunInfo({path}, c.console), kNo);
  EXPECT_THAT(c.err.str(), HasSubstr("animclip recover"));
}

}  // namespace
}  // namespace posewire::animclip
