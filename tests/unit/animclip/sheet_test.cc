#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/clip_facts.h"
#include "tools/animclip/clip_view.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(SheetCommand, DrawsPngAndSvg) {
  const std::string in = TempPath("talk.animdata");
  WriteClipFile(in, MakeTalk());
  for (const char* name : {"sheet.png", "sheet.svg"}) {
    SheetCommandOptions options;
    options.in = in;
    options.out = TempPath(name);
    TestConsole c;
    ASSERT_EQ(RunSheet(options, c.console), kDone) << c.err.str();
    EXPECT_GT(std::filesystem::file_size(options.out), 20000u);
  }
  EXPECT_THAT(Slurp(TempPath("sheet.svg")), StartsWith("<?xml"));
}

TEST(SheetCommand, DrawsAClipWithoutBodyOrVoice) {
  Messages messages = MakeTalk({.audio_hz = 0});
  auto* names = messages[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names->clear_joints();
  for (Message& m : messages) {
    if (!m.has_animation_data()) continue;
    m.mutable_animation_data()->mutable_skel_animation()->clear_rotations();
    m.mutable_animation_data()->mutable_skel_animation()->clear_translations();
  }
  SheetCommandOptions options;
  options.in = TempPath("face.jsonl");
  options.out = TempPath("face.png");
  WriteClipFile(options.in, messages);
  TestConsole c;
  EXPECT_EQ(RunSheet(options, c.console), kDone) << c.err.str();
}

TEST(SheetCommand, ChangesWithSpanViewAndInstants) {
  SheetCommandOptions options;
  options.in = TempPath("talk.animdata");
  options.out = TempPath("sheet.svg");
  WriteClipFile(options.in, MakeTalk());
  TestConsole c;
  ASSERT_EQ(RunSheet(options, c.console), kDone);
  const std::string whole = Slurp(options.out);
  const auto changed = [&](const SheetCommandOptions& o) {
    EXPECT_EQ(RunSheet(o, c.console), kDone) << c.err.str();
    return Slurp(o.out) != whole;
  };
  EXPECT_FALSE(changed(options));
  SheetCommandOptions o = options;
  o.instants = 3;
  EXPECT_TRUE(changed(o));
  o = options;
  o.views = "3/4";
  EXPECT_TRUE(changed(o));
  o = options;
  o.from = "0.5";
  EXPECT_TRUE(changed(o));
  o = options;
  o.from = "00:00:00:15";
  EXPECT_TRUE(changed(o));
  o = options;
  o.rig = "hanim_loa1";
  EXPECT_TRUE(changed(o));
}

TEST(SheetCommand, SaysWhatIsWrongAndWritesNothing) {
  SheetCommandOptions good;
  good.in = TempPath("talk.animdata");
  good.out = TempPath("sheet.png");
  WriteClipFile(good.in, MakeTalk());
  const auto fails = [&](const SheetCommandOptions& o, const char* text) {
    TestConsole c;
    EXPECT_EQ(RunSheet(o, c.console), kNo);
    EXPECT_THAT(c.err.str(), HasSubstr(text));
    EXPECT_FALSE(std::filesystem::exists(o.out));
  };
  SheetCommandOptions o = good;
  o.views = "front,top";
  fails(o, "\"top\"");
  o = good;
  o.out = TempPath("sheet.bmp");
  fails(o, ".svg or .png");
  o = good;
  o.instants = 0;
  fails(o, "1 to 48");
  o = good;
  o.rig = "spot";
  fails(o, "hanim_loa3");
  o = good;
  o.from = "5";
  fails(o, "span");
  o.from = "00:00:05:00";
  fails(o, "span from 5");
  o.from = "00:00:00;10";
  fails(o, "rate 30 has no drop-frame");
  o = good;
  o.translation_scale = 0;
  fails(o, "--translation-scale");
  o = good;
  o.in = "-";
  fails(o, "standard input");
}

TEST(SheetCommand, NamesOfNoRigAreAnError) {
  Messages messages = MakeTalk();
  auto* names = messages[0].mutable_animation_data_stream_header()->mutable_skel_animation_header();
  for (int i = 0; i < 3; ++i) names->set_joints(i, "wheel" + std::to_string(i));
  names->set_blend_shapes(0, "honk");
  names->set_blend_shapes(1, "blink_left_indicator");
  SheetCommandOptions options;
  options.in = TempPath("car.animdata");
  options.out = TempPath("car.png");
  WriteClipFile(options.in, messages);
  TestConsole c;
  EXPECT_EQ(RunSheet(options, c.console), kNo);
  EXPECT_THAT(c.err.str(), HasSubstr("wheel0"));
}

constexpr const char* kForeign = R"(HIERARCHY
ROOT mixamorig:Hips
{
  OFFSET 0 100 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT mixamorig:Spine
  {
    OFFSET 0 20 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    JOINT mixamorig:LeftArm
    {
      OFFSET 20 30 0
      CHANNELS 3 Zrotation Yrotation Xrotation
      End Site
      {
        OFFSET 60 0 0
      }
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.5
0 100 0 0 0 0 0 0 0 0 0 0
0 100 0 0 0 0 0 0 0 80 0 0
)";

TEST(SheetCommand, DrawsJointsOfNoBuiltInRigOnTheSkeletonOfTheirFile) {
  SheetCommandOptions options;
  options.in = TempPath("foreign.bvh");
  options.out = TempPath("foreign.svg");
  Spill(options.in, kForeign);
  TestConsole c;
  ASSERT_EQ(RunSheet(options, c.console), kDone) << c.err.str();
  EXPECT_GT(std::filesystem::file_size(options.out), 5000u);

  options.rig = "hanim_loa3";
  TestConsole rejected;
  EXPECT_EQ(RunSheet(options, rejected.console), kNo);
  EXPECT_THAT(rejected.err.str(), HasSubstr("hanim_loa3"));
}

TEST(DrawnClip, PosesTheSkeletonOfTheFile) {
  const std::string path = TempPath("foreign.bvh");
  Spill(path, kForeign);
  TestConsole c;
  const auto facts = GatherFacts(path, c.console);
  ASSERT_TRUE(facts.ok()) << facts.status();
  const auto clip = DrawnClip::Open(path, *facts, {0, 0.5}, "auto", {}, c.console);
  ASSERT_TRUE(clip.ok()) << clip.status();
  const skel::Rig& rig = *(*clip)->rig();
  EXPECT_EQ(rig.name(), "its own skeleton");
  ASSERT_EQ(rig.joints(), 3);
  EXPECT_EQ((*clip)->binding().ignored_joints(), 0);
  const int arm = rig.humanoid().joint(skel::HumanBone::kLeftUpperArm);
  ASSERT_EQ(arm, 2);
  EXPECT_EQ(rig.topology().parent(arm), 1);
  EXPECT_NEAR(rig.rest().translation(arm).x, 0.2f, 1e-6f);
  skel::Pose pose(rig.joints(), rig.shapes());
  ASSERT_TRUE((*clip)->PoseAt(0.5, pose.span()).ok());
  EXPECT_NEAR(pose.view().rotation(arm).z, std::sin(0.5 * 80 * M_PI / 180), 1e-5);
}

}  // namespace
}  // namespace posewire::animclip
