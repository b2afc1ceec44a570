#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Concat : public testing::Test {
 protected:
  Messages Run(const Messages& a, const Messages& b, std::optional<double> gap_s = {}) {
    WriteClipFile(a_, a);
    WriteClipFile(b_, b);
    EXPECT_EQ(RunConcat({.in = {a_, b_}, .out = out_, .gap_s = gap_s}, c_.console), kDone)
        << c_.err.str();
    TestConsole valid;
    EXPECT_EQ(RunValidate({out_}, valid.console), kDone) << valid.err.str();
    return ReadClipFile(out_);
  }
  const std::string a_ = TempPath("a.animdata"), b_ = TempPath("b.animdata"),
                    out_ = TempPath("out.animdata");
  TestConsole c_;
};

double CodeOf(const Message& m) {
  return m.animation_data().skel_animation().rotations(0).time_code();
}

TEST_F(Concat, TheSecondBeginsAFrameLaterAtAWholeFrameWithEverySample) {
  const Messages a = MakeTalk(), b = MakeTalk({.frames = 10, .start_s = 2, .seed = 2});
  const Messages both = Run(a, b);
  ASSERT_EQ(both.size(), 1u + 31 + 10 + 1) << "one header, one status";
  for (size_t i = 1; i <= 41; ++i) {
    EXPECT_DOUBLE_EQ(CodeOf(both[i]), static_cast<double>(i - 1) / 30);
    const Message& from = i <= 31 ? a[i] : b[i - 31];
    EXPECT_EQ(both[i].animation_data().skel_animation().rotations(0).values(2).i(),
              from.animation_data().skel_animation().rotations(0).values(2).i());
  }
  std::vector<int16_t> voice = VoiceOf(a), rest = VoiceOf(b);
  voice.insert(voice.end(), rest.begin(), rest.end());
  EXPECT_EQ(VoiceOf(both), voice);
  EXPECT_THAT(c_.out.str(), HasSubstr("1.033 s"));
}

TEST_F(Concat, AShortPauseInTheVoiceIsSilenceAndNotClosed) {
  const Messages a = MakeTalk();
  const Messages both = Run(a, MakeTalk({.seed = 2}), 0.01);
  // The second clip begins 10 ms after the last sample of the first.
  EXPECT_EQ(VoiceOf(both).size(), 2 * VoiceOf(a).size() + 160);
  EXPECT_EQ(VoiceOf(both)[VoiceOf(a).size() + 80], 0);
}

TEST_F(Concat, WhatOnlyOneClipNamesIsAtRestInTheOtherAndOrdersMayDiffer) {
  Messages b = MakeTalk({.frames = 3, .audio_hz = 0, .seed = 2});
  auto& names = *b[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.set_joints(2, "HumanoidRoot/vl5/l_shoulder");
  names.set_blend_shapes(0, "browInnerUp");
  names.set_blend_shapes(1, "JawOpen");
  const Messages both = Run(MakeTalk({.frames = 3}), b);
  const auto& all = both[0].animation_data_stream_header().skel_animation_header();
  EXPECT_THAT(all.joints(),
              ElementsAre("HumanoidRoot", "HumanoidRoot/vl5", "HumanoidRoot/vl5/r_shoulder",
                          "HumanoidRoot/vl5/l_shoulder"));
  EXPECT_THAT(all.blend_shapes(), ElementsAre("jawOpen", "mouthSmileLeft", "browInnerUp"));
  const auto& first = both[1].animation_data().skel_animation();
  const auto& last = both[6].animation_data().skel_animation();
  const auto& of_b = b[3].animation_data().skel_animation();
  EXPECT_EQ(first.rotations(0).values(3).real(), 1);
  EXPECT_EQ(last.rotations(0).values(2).real(), 1);
  EXPECT_NE(last.translations(0).values(2).y(), 0) << "where the rig has the shoulder";
  EXPECT_EQ(last.rotations(0).values(3).i(), of_b.rotations(0).values(2).i());
  EXPECT_THAT(
      last.blend_shape_weights(0).values(),
      ElementsAre(of_b.blend_shape_weights(0).values(1), 0, of_b.blend_shape_weights(0).values(0)));
}

TEST_F(Concat, TheVoiceOfALaterClipIsDeclared) {
  const Messages both = Run(MakeTalk({.audio_hz = 0}), MakeTalk({.audio_hz = 22050}));
  EXPECT_EQ(both[0].animation_data_stream_header().audio_header().samples_per_second(), 22050u);
  EXPECT_EQ(VoiceOf(both).size(), VoiceOf(MakeTalk({.audio_hz = 22050})).size());
}

TEST_F(Concat, RejectsVoicesOfTwoRatesAndJointsWithoutARestAndWritesNothing) {
  WriteClipFile(a_, MakeTalk());
  WriteClipFile(b_, MakeTalk({.audio_hz = 22050}));
  EXPECT_EQ(RunConcat({.in = {a_, b_}, .out = out_}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("voices of 16000 and 22050 Hz"));
  Messages tail = MakeTalk();
  tail[0].mutable_animation_data_stream_header()->mutable_skel_animation_header()->set_joints(
      2, "tail");
  WriteClipFile(b_, tail);
  EXPECT_EQ(RunConcat({.in = {a_, b_}, .out = out_}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("joint \"tail\" is in some of the clips only"));
  EXPECT_FALSE(std::filesystem::exists(out_));
}

}  // namespace
}  // namespace posewire::animclip
