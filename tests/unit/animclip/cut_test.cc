#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "absl/strings/str_format.h"
#include "libs/recording/chunk_record.h"
#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

using ::testing::HasSubstr;

class Cut : public testing::Test {
 protected:
  Messages Run(const Messages& messages, double from_s, std::optional<double> to_s) {
    const std::string in = TempPath("in.animdata"), out = TempPath("out.animdata");
    WriteClipFile(in, messages);
    const auto text = [](double t_s) { return absl::StrFormat("%.17g", t_s); };
    const int code = RunCut({in, out, text(from_s), to_s ? text(*to_s) : ""}, c_.console);
    EXPECT_EQ(code, kDone) << c_.err.str();
    TestConsole valid;
    EXPECT_EQ(RunValidate({out}, valid.console), kDone) << valid.err.str();
    return ReadClipFile(out);
  }
  TestConsole c_;
};

TEST_F(Cut, AudioIsCutToTheSample) {
  const Messages talk = MakeTalk();
  const std::vector<int16_t> voice = VoiceOf(talk);
  for (const auto& [from, to] : {std::pair{0.1, 0.5}, {0.25, 0.7001}, {1.0 / 3, 0.34}}) {
    const Messages cut = Run(talk, from, to);
    const auto first = static_cast<ptrdiff_t>(std::llround(from * 16000));
    const auto end = static_cast<ptrdiff_t>(std::llround(to * 16000));
    EXPECT_EQ(VoiceOf(cut), std::vector<int16_t>(voice.begin() + first, voice.begin() + end));
    for (const Message& m : cut) {
      if (!m.animation_data().has_audio()) continue;
      EXPECT_EQ(m.animation_data().audio().time_code(), 0);
      break;
    }
  }
}

TEST_F(Cut, AudioCodesSayWhereEachBufferBelongs) {
  const Messages cut = Run(MakeTalk(), 0.1, 0.9);
  int64_t position = 0;
  for (const Message& m : cut) {
    if (!m.animation_data().has_audio()) continue;
    const auto& audio = m.animation_data().audio();
    EXPECT_EQ(std::llround(audio.time_code() * 16000), position);
    position += static_cast<int64_t>(audio.audio_buffer().size() / 2);
  }
  EXPECT_EQ(position, 12800);
}

TEST_F(Cut, CodesStartAtZeroAndTheEpochMovesAlong) {
  const Messages cut = Run(MakeTalk(), 0.5, {});
  EXPECT_EQ(cut[0].animation_data_stream_header().start_time_code_since_epoch(), 1000.5);
  EXPECT_NEAR(cut[1].animation_data().skel_animation().rotations(0).time_code(), 0, 1e-9);
  EXPECT_TRUE(cut.back().has_status());
  // Frames 15 to 30.
  EXPECT_EQ(cut.size(), 1u + 16u + 1u);
}

TEST_F(Cut, MetadataGoesWithItsMessage) {
  Messages talk = MakeTalk({.frames = 4});
  for (size_t i = 1; i <= 4; ++i) {
    (*talk[i].mutable_animation_data()->mutable_metadata())["n"].set_type_url(
        "type.googleapis.com/x" + std::to_string(i));
  }
  const Messages cut = Run(talk, 1 / 30.0, 2 / 30.0);
  std::vector<std::string> seen;
  for (const Message& m : cut) {
    for (const auto& [key, any] : m.animation_data().metadata()) seen.push_back(any.type_url());
  }
  EXPECT_THAT(seen, testing::ElementsAre("type.googleapis.com/x2", "type.googleapis.com/x3"));
}

// By the index of a recording, or by reading all of a file that has none.
TEST_F(Cut, IsTheSameWithAnIndexAndWithout) {
  Messages talk = MakeTalk({.frames = 1200});
  for (size_t i = 2; i <= 1200; ++i) {
    if (i % 700 == 0) continue;
    talk[i].mutable_animation_data()->mutable_skel_animation()->clear_blend_shape_weights();
  }
  talk[100].mutable_status()->set_message("on its way");
  std::string old;
  for (const Message& m : talk) {
    recording::AppendVarint(m.ByteSizeLong(), &old);
    old += m.SerializeAsString();
  }
  const std::string in = TempPath("in.animdata"), without = TempPath("without.animdata"),
                    out = TempPath("out.animdata"), same = TempPath("same.animdata");
  WriteClipFile(in, talk);
  Spill(without, old);
  ASSERT_GT(Slurp(in).size(), old.size());
  for (const auto& [from, to] : {std::pair{"0", "1"},
                                 {"0.01", "39"},
                                 {"20", "20.5"},
                                 {"23.333333333333332", "24"},
                                 {"25.0001", ""},
                                 {"39.9", "40"}}) {
    ASSERT_EQ(RunCut({in, out, from, to}, c_.console), kDone) << c_.err.str();
    ASSERT_EQ(RunCut({without, same, from, to}, c_.console), kDone) << c_.err.str();
    EXPECT_EQ(Slurp(out), Slurp(same)) << from << " to " << to;
  }
}

TEST_F(Cut, ATrackThatEndedBeforeTheSpanIsHeldThroughIt) {
  Messages talk = MakeTalk();
  // The smile is set once, at the start.
  for (size_t i = 2; i <= 31; ++i) {
    talk[i].mutable_animation_data()->mutable_skel_animation()->clear_blend_shape_weights();
  }
  const float smile = talk[1].animation_data().skel_animation().blend_shape_weights(0).values(1);
  const Messages cut = Run(talk, 0.5, 0.8);
  int found = 0;
  for (const Message& m : cut) {
    for (const auto& key : m.animation_data().skel_animation().blend_shape_weights()) {
      EXPECT_EQ(key.time_code(), 0);
      EXPECT_EQ(key.values(1), smile);
      ++found;
    }
  }
  EXPECT_EQ(found, 1);
  EXPECT_TRUE(cut.back().has_status());
}

TEST_F(Cut, ASpanBeyondTheClipIsAnErrorAndWritesNothing) {
  const std::string in = TempPath("in.animdata"), out = TempPath("out.animdata");
  Messages mute = MakeTalk({.start_s = 5, .audio_hz = 0});
  WriteClipFile(in, mute);
  EXPECT_EQ(RunCut({in, out, "0", "2"}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("nothing in that span"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(Cut, ATimeBeyondTheEndIsNamedAndTheLastFrameCountsAsShown) {
  const std::string in = TempPath("in.animdata"), out = TempPath("out.animdata");
  WriteClipFile(in, MakeTalk({.audio_hz = 0}));  // the last key is at 1 s
  EXPECT_EQ(RunCut({in, out, "1.5"}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("--from 1.5 s is beyond the end of"));
  EXPECT_EQ(RunCut({in, out, "0", "1.1"}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("--to 1.1 s is beyond the end of"));
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(RunCut({in, out, "0", "1.03333"}, c_.console), kDone);
  // A voice that goes on is part of the clip, even if it is left out.
  Messages spoken = MakeTalk();
  spoken[31].mutable_animation_data()->mutable_audio()->mutable_audio_buffer()->append(32000, 0);
  WriteClipFile(in, spoken);
  CutOptions mute;
  mute.in = in;
  mute.out = out;
  mute.to = "1.9";
  mute.drop = {"audio"};
  EXPECT_EQ(RunCut(mute, c_.console), kDone) << c_.err.str();
}

TEST_F(Cut, RejectsASpanThatIsEmpty) {
  const std::string in = TempPath("in.animdata");
  WriteClipFile(in, MakeTalk());
  for (const auto& [from, to] :
       {std::pair{"2", "1"}, {"1", "1"}, {"-1", "1"}, {"00:00:01:00", "1"}}) {
    EXPECT_EQ(RunCut({in, TempPath("out.animdata"), from, to}, c_.console), kNo);
  }
  EXPECT_THAT(c_.err.str(), HasSubstr("--from"));
}

TEST_F(Cut, TakesTimeCodeAtTheRateOfTheClip) {
  const std::string in = TempPath("in.animdata"), out = TempPath("out.animdata"),
                    same = TempPath("same.animdata");
  WriteClipFile(in, MakeTalk({.frames = 61, .fps = 24}));
  ASSERT_EQ(RunCut({in, out, "00:00:01:06", "00:00:02:00"}, c_.console), kDone) << c_.err.str();
  EXPECT_THAT(c_.out.str(), HasSubstr(", 00:00:01:06 to 00:00:02:00 at 24 fps\n"));
  ASSERT_EQ(RunCut({in, same, "1.25", "2"}, c_.console), kDone);
  EXPECT_EQ(Slurp(out), Slurp(same));
}

TEST_F(Cut, CountsDropFrameAtTheRatesThatHaveIt) {
  const std::string in = TempPath("in.animdata"), out = TempPath("out.animdata");
  // A minute in, where drop-frame leaves out two labels.
  WriteClipFile(in,
                MakeTalk({.fps = 30000.0 / 1001, .start_s = 1800 * 1001.0 / 30000, .audio_hz = 0}));
  ASSERT_EQ(RunCut({in, out, "00:01:00;02"}, c_.console), kDone) << c_.err.str();
  EXPECT_THAT(c_.out.str(), HasSubstr("00:01:00;02 to 00:01:01;02 at 29.97 fps"));
  ASSERT_EQ(RunCut({in, out, "00:01:00:00"}, c_.console), kDone) << c_.err.str();
  EXPECT_THAT(c_.out.str(), HasSubstr("00:01:00;02 to"));
  EXPECT_EQ(RunCut({in, out, "00:01:00;01"}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("the minute begins with frame 2"));
}

TEST_F(Cut, SaysWhyATimeCodeDoesNotServe) {
  const std::string in = TempPath("in.animdata"), out = TempPath("out.animdata");
  WriteClipFile(in, MakeTalk());
  EXPECT_EQ(RunCut({in, out, "00:00:00:30"}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("frames 0..29 at 30"));
  EXPECT_EQ(RunCut({in, out, "soon"}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("\"soon\": write seconds, or HH:MM:SS:FF"));
  EXPECT_EQ(RunCut({"-", out, "00:00:00:10"}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("give seconds"));
  Messages uneven = MakeTalk();
  uneven.erase(uneven.begin() + 5);
  WriteClipFile(in, uneven);
  EXPECT_EQ(RunCut({in, out, "00:00:00:10"}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("there is no one frame rate; write seconds"));
}

}  // namespace
}  // namespace posewire::animclip
