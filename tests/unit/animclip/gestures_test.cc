#include "libs/gesture_loader/gestures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

TEST(GesturesCommand, WritesEveryGestureAsAValidClip) {
  GesturesOptions options;
  options.out_dir = TempPath("new/folder");
  TestConsole c;
  options.overview = options.out_dir + "/all.svg";
  ASSERT_EQ(RunGestures(options, c.console), kDone) << c.err.str();
  std::ifstream overview(options.overview);
  EXPECT_TRUE(overview.good());
  const auto names = gesture::GestureNames();
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names) {
    const std::string path = options.out_dir + "/" + name + ".animdata";
    ASSERT_TRUE(std::filesystem::exists(path)) << path;
    TestConsole valid;
    EXPECT_EQ(RunValidate({path, true}, valid.console), kDone) << valid.err.str();
  }
}

TEST(GesturesCommand, ClipsHoldWhatTheGeneratorMade) {
  GesturesOptions options;
  options.out_dir = TempPath("out");
  options.format = "jsonl";
  TestConsole c;
  ASSERT_EQ(RunGestures(options, c.console), kDone) << c.err.str();
  const auto catalog = skel::RigCatalog::Builtin();
  ASSERT_TRUE(catalog.ok());
  const auto rig = *catalog->Find("hanim_loa3");
  const auto gestures = *gesture::MakeGestures(rig, gesture::GestureKind::kBody);
  const clip::Clip* wave = gestures->Find("wave");
  ASSERT_NE(wave, nullptr);
  const Messages messages = ReadClipFile(options.out_dir + "/wave.jsonl");
  ASSERT_EQ(messages.size(), static_cast<size_t>(wave->frames()) + 2);
  EXPECT_TRUE(messages.back().has_status());
  const auto& names = messages[0].animation_data_stream_header().skel_animation_header();
  for (int f : {0, 10, wave->frames() - 1}) {
    const auto& data = messages[static_cast<size_t>(f) + 1].animation_data().skel_animation();
    const skel::PoseView pose = wave->frame(f);
    for (int i = 0; i < names.joints_size(); ++i) {
      const std::string& path = names.joints(i);
      const int j = rig->FindJoint(path.substr(path.rfind('/') + 1));
      ASSERT_GE(j, 0) << path;
      if (!pose.has_r[j]) continue;
      EXPECT_EQ(data.rotations(0).values(i).real(), pose.rotation(j).w) << path;
      EXPECT_EQ(data.rotations(0).values(i).k(), pose.rotation(j).z) << path;
    }
    for (int i = 0; i < names.blend_shapes_size(); ++i) {
      const int s = rig->FindShape(names.blend_shapes(i));
      EXPECT_EQ(data.blend_shape_weights(0).values(i), pose.weights[s]);
    }
  }
}

TEST(GesturesCommand, AFolderThatCannotBeIsNamed) {
  const std::string file = TempPath("file");
  Spill(file, "x");
  GesturesOptions options;
  options.out_dir = file + "/below";
  TestConsole c;
  EXPECT_EQ(RunGestures(options, c.console), kNo);
  EXPECT_THAT(c.err.str(), testing::HasSubstr(file));
}

}  // namespace
}  // namespace posewire::animclip
