#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const auto& NamesIn(const Messages& messages) {
  return messages[0].animation_data_stream_header().skel_animation_header();
}

class CutParts : public testing::Test {
 protected:
  Messages Run(const std::vector<std::string>& keep, const std::vector<std::string>& drop) {
    WriteClipFile(in_, MakeTalk());
    const int code = RunCut({.in = in_, .out = out_, .keep = keep, .drop = drop}, c_.console);
    EXPECT_EQ(code, kDone) << c_.err.str();
    TestConsole valid;
    EXPECT_EQ(RunValidate({out_}, valid.console), kDone) << valid.err.str();
    return ReadClipFile(out_);
  }
  const std::string in_ = TempPath("in.animdata"), out_ = TempPath("out.animdata");
  TestConsole c_;
};

TEST_F(CutParts, KeepsARegionWithItsOwnValuesAndDropsFaceAndVoice) {
  const Messages talk = MakeTalk(), cut = Run({"right_arm"}, {"shapes", "audio"});
  EXPECT_THAT(NamesIn(cut).joints(), ElementsAre("HumanoidRoot/vl5/r_shoulder"));
  EXPECT_THAT(NamesIn(cut).blend_shapes(), IsEmpty());
  EXPECT_FALSE(cut[0].animation_data_stream_header().has_audio_header());
  ASSERT_EQ(cut.size(), talk.size());
  for (size_t i = 1; i + 1 < cut.size(); ++i) {
    const auto& was = talk[i].animation_data().skel_animation();
    const auto& is = cut[i].animation_data().skel_animation();
    EXPECT_FALSE(cut[i].animation_data().has_audio());
    ASSERT_EQ(is.rotations(0).values_size(), 1);
    EXPECT_EQ(is.rotations(0).values(0).SerializeAsString(),
              was.rotations(0).values(2).SerializeAsString());
    EXPECT_EQ(is.rotations(0).time_code(), was.rotations(0).time_code());
  }
  EXPECT_THAT(c_.out.str(), HasSubstr("1 of 3 joints, 0 of 2 shapes"));
}

TEST_F(CutParts, AJointMeansAllBelowItByTheRigWhateverTheClipsPathsSay) {
  EXPECT_THAT(NamesIn(Run({"vl5"}, {})).joints(),
              ElementsAre("HumanoidRoot/vl5", "HumanoidRoot/vl5/r_shoulder"));
  EXPECT_THAT(NamesIn(Run({}, {"vl5"})).joints(), ElementsAre("HumanoidRoot"));
  Messages leaves = MakeTalk();
  auto& names = *leaves[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.set_joints(1, "vl5");
  names.set_joints(2, "r_shoulder");
  WriteClipFile(in_, leaves);
  ASSERT_EQ(RunCut({.in = in_, .out = out_, .drop = {"vl5"}}, c_.console), kDone);
  EXPECT_THAT(NamesIn(ReadClipFile(out_)).joints(), ElementsAre("HumanoidRoot"));
}

TEST_F(CutParts, AShapeIsFoundIgnoringCaseAndSoundStaysUnlessDropped) {
  const Messages cut = Run({"JAWOPEN"}, {});
  EXPECT_THAT(NamesIn(cut).blend_shapes(), ElementsAre("jawOpen"));
  EXPECT_THAT(NamesIn(cut).joints(), IsEmpty());
  EXPECT_EQ(VoiceOf(cut), VoiceOf(MakeTalk()));
}

TEST_F(CutParts, TranslationsGoAlone) {
  for (const Message& m : Run({}, {"translations"})) {
    EXPECT_THAT(m.animation_data().skel_animation().translations(), IsEmpty());
    if (m.has_animation_data()) {
      EXPECT_EQ(m.animation_data().skel_animation().rotations_size(), 1);
    }
  }
}

TEST_F(CutParts, RigFilesSayWhatHangsTogether) {
  const std::string rig = TempPath("my.rig");
  Spill(rig,
        "rig mine\njoint HumanoidRoot - 0 1 0\njoint HumanoidRoot/r_shoulder - 0 0 0\n"
        "joint HumanoidRoot/r_shoulder/vl5 - 0 0 0\n");
  WriteClipFile(in_, MakeTalk());
  ASSERT_EQ(RunCut({.in = in_, .out = out_, .keep = {"r_shoulder"}, .rig = rig}, c_.console), kDone)
      << c_.err.str();
  EXPECT_THAT(NamesIn(ReadClipFile(out_)).joints(),
              ElementsAre("HumanoidRoot/vl5", "HumanoidRoot/vl5/r_shoulder"));
  EXPECT_EQ(RunCut({.in = in_, .out = out_, .keep = {"head"}, .rig = "no.rig"}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("no.rig: cannot open: No such file"));
}

TEST_F(CutParts, WrongNamesAreAnsweredWithTheNearestAndWriteNothing) {
  WriteClipFile(in_, MakeTalk());
  EXPECT_EQ(RunCut({.in = in_, .out = out_, .keep = {"rihgt_arm"}}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("did you mean right_arm?"));
  EXPECT_EQ(RunCut({.in = in_, .out = out_, .keep = {"audio"}}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("stay unless they are dropped"));
  EXPECT_EQ(RunCut({.in = in_, .out = out_, .keep = {"legs"}, .drop = {"audio"}}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("has none of these parts"));
  EXPECT_FALSE(std::filesystem::exists(out_));
}

}  // namespace
}  // namespace posewire::animclip
