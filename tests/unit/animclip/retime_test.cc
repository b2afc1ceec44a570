#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/clip_diff.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

using ::testing::HasSubstr;

class Retime : public testing::Test {
 protected:
  Messages Run(const Messages& messages, const RetimeOptions& options) {
    WriteClipFile(in_, messages);
    EXPECT_EQ(RunRetime(options, c_.console), kDone) << c_.err.str();
    TestConsole valid;
    EXPECT_EQ(RunValidate({out_}, valid.console), kDone) << valid.err.str();
    return ReadClipFile(out_);
  }
  // All codes of the rotations.
  static std::vector<double> Codes(const Messages& messages) {
    std::vector<double> codes;
    for (const Message& m : messages) {
      for (const auto& key : m.animation_data().skel_animation().rotations()) {
        codes.push_back(key.time_code());
      }
    }
    return codes;
  }
  const std::string in_ = TempPath("in.animdata"), out_ = TempPath("out.animdata");
  TestConsole c_;
};

TEST_F(Retime, SpeedMovesTheCodesAndNothingElse) {
  const Messages talk = MakeTalk({.audio_hz = 0}),
                 fast = Run(talk, {.in = in_, .out = out_, .speed = 1.25});
  ASSERT_EQ(fast.size(), talk.size());
  const std::vector<double> was = Codes(talk), is = Codes(fast);
  for (size_t i = 0; i < was.size(); ++i) EXPECT_DOUBLE_EQ(is[i], was[i] / 1.25);
  EXPECT_EQ(fast[7].animation_data().skel_animation().rotations(0).values(1).SerializeAsString(),
            talk[7].animation_data().skel_animation().rotations(0).values(1).SerializeAsString());
}

TEST_F(Retime, KeysStandAtWholeFramesOfTheNewRate) {
  for (const auto& [fps, per_second] :
       {std::pair{"60", 60.0}, {"24", 24.0}, {"12/1", 12.0}, {"29.97", 30000.0 / 1001}}) {
    const std::vector<double> codes =
        Codes(Run(MakeTalk(), {.in = in_, .out = out_, .to_fps = fps}));
    for (size_t i = 0; i < codes.size(); ++i) {
      EXPECT_DOUBLE_EQ(codes[i], static_cast<double>(i) / per_second) << fps;
    }
    EXPECT_GE(codes.back(), 1 - 1e-9) << "the last key is not lost";
    EXPECT_LT(codes.back(), 1 + 1 / per_second);
  }
}

TEST_F(Retime, AHigherRatePlaysAsBeforeWithTheVoiceInPlace) {
  const Messages twice = Run(MakeTalk(), {.in = in_, .out = out_, .to_fps = "60"});
  const auto diff = DiffClips(in_, out_, {}, c_.console);
  ASSERT_TRUE(diff.ok());
  EXPECT_TRUE(Within(*diff, 1e-5)) << "frames of the old rate stay themselves";
  EXPECT_EQ(VoiceOf(twice), VoiceOf(MakeTalk()));
}

TEST_F(Retime, UnevenTracksInMessagesOfTheirOwnBecomeEven) {
  Messages talk = MakeTalk({.frames = 41, .fps = 40, .start_s = 0.013, .audio_hz = 0});
  talk.erase(talk.begin() + 5, talk.begin() + 9);
  Messages apart = {talk[0]};
  for (const Message& m : talk) {  // weights first, all of them
    if (!m.has_animation_data()) continue;
    apart.push_back(m);
    apart.back().mutable_animation_data()->mutable_skel_animation()->clear_rotations();
    apart.back().mutable_animation_data()->mutable_skel_animation()->clear_translations();
  }
  for (const Message& m : talk) {
    if (!m.has_animation_data()) continue;
    apart.push_back(m);
    apart.back().mutable_animation_data()->mutable_skel_animation()->clear_blend_shape_weights();
  }
  apart.push_back(talk.back());
  const std::vector<double> codes = Codes(Run(apart, {.in = in_, .out = out_, .to_fps = "30"}));
  ASSERT_EQ(codes.size(), 32u);  // 0 to 31: the last key is at 1.013 s
  for (size_t i = 0; i < codes.size(); ++i) EXPECT_DOUBLE_EQ(codes[i], static_cast<double>(i) / 30);
  EXPECT_TRUE(ReadClipFile(out_).back().has_status());
}

TEST_F(Retime, AVoiceIsDroppedOnlyWhenToldSo) {
  WriteClipFile(in_, MakeTalk());
  EXPECT_EQ(RunRetime({.in = in_, .out = out_, .speed = 2}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("the clip has a voice"));
  EXPECT_THAT(c_.err.str(), HasSubstr("--drop-audio"));
  EXPECT_FALSE(std::filesystem::exists(out_));
  const Messages mute = Run(MakeTalk(), {.in = in_, .out = out_, .speed = 2, .drop_audio = true});
  EXPECT_TRUE(VoiceOf(mute).empty());
  EXPECT_FALSE(mute[0].animation_data_stream_header().has_audio_header());
}

TEST_F(Retime, AWrongRateOrSpeedIsAWrongCommandLine) {
  EXPECT_EQ(RunRetime({.in = in_, .out = out_}, c_.console), kUsage);
  EXPECT_EQ(RunRetime({.in = in_, .out = out_, .speed = 0}, c_.console), kUsage);
  EXPECT_THAT(c_.err.str(), HasSubstr("--speed is 0; it must be from 0.01 to 100"));
  EXPECT_EQ(RunRetime({.in = in_, .out = out_, .to_fps = "fast"}, c_.console), kUsage);
  EXPECT_THAT(c_.err.str(), HasSubstr("--to-fps: "));
}

}  // namespace
}  // namespace posewire::animclip
