#include "libs/skel/mirror.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libs/clipio/load_clip.h"
#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/clip_diff.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MirrorCommand : public testing::Test {
 protected:
  void Run(const std::string& in, const std::string& out) {
    ASSERT_EQ(RunMirror({in, out}, c_.console), kDone) << c_.err.str();
    ASSERT_EQ(RunValidate({out}, c_.console), kDone) << c_.err.str();
  }
  const std::string in_ = TempPath("in.animdata"), out_ = TempPath("out.animdata"),
                    back_ = TempPath("back.animdata");
  TestConsole c_;
};

TEST_F(MirrorCommand, NamesGoToTheOtherSide) {
  WriteClipFile(in_, MakeTalk());
  Run(in_, out_);
  const auto names = ReadClipFile(out_)[0].animation_data_stream_header().skel_animation_header();
  EXPECT_THAT(names.joints(),
              ElementsAre("HumanoidRoot", "HumanoidRoot/vl5", "HumanoidRoot/vl5/l_shoulder"));
  EXPECT_THAT(names.blend_shapes(), ElementsAre("jawOpen", "mouthSmileRight"));
}

TEST_F(MirrorCommand, ShowsWhatSkelMirrorMakesOfEveryFrame) {
  WriteClipFile(in_, MakeTalk());
  Run(in_, out_);
  const auto catalog = *skel::RigCatalog::Builtin();
  const auto rig = *catalog.Find("hanim_loa3");
  const auto was = *clipio::LoadClip(in_, rig, catalog), is = *clipio::LoadClip(out_, rig, catalog);
  const skel::Mirror mirror(*rig);
  skel::Pose expected(rig->joints(), rig->shapes());
  ASSERT_EQ(is->frames(), was->frames());
  for (int k = 0; k < was->frames(); ++k) {
    mirror.Run(was->frame(k), expected.span());
    const skel::PoseView want = expected.view(), got = is->frame(k);
    for (int j = 0; j < rig->joints(); ++j) {
      ASSERT_EQ(got.has_r[j], want.has_r[j]) << j;
      if (got.has_r[j]) {
        EXPECT_LT(AngleBetween(got.rotation(j), want.rotation(j)), 1e-5);
      }
      ASSERT_EQ(got.has_t[j], want.has_t[j]) << j;
      if (got.has_t[j]) {
        EXPECT_LT(Length(got.translation(j) - want.translation(j)), 1e-5);
      }
    }
    for (int s = 0; s < rig->shapes(); ++s) {
      ASSERT_EQ(got.has_w[s], want.has_w[s]);
      if (got.has_w[s]) {
        EXPECT_EQ(got.weights[s], want.weights[s]);
      }
    }
  }
}

TEST_F(MirrorCommand, TwiceIsAsBeforeWithTheVoiceUntouched) {
  WriteClipFile(in_, MakeTalk());
  Run(in_, out_);
  Run(out_, back_);
  const auto diff = DiffClips(in_, back_, {}, c_.console);
  ASSERT_TRUE(diff.ok());
  EXPECT_TRUE(Within(*diff, 1e-5));
  EXPECT_EQ(VoiceOf(ReadClipFile(out_)), VoiceOf(MakeTalk()));
}

TEST_F(MirrorCommand, TheCameraGoesAlong) {
  Messages talk = MakeTalk({.frames = 1});
  auto& camera = *talk[1].mutable_animation_data()->mutable_camera();
  auto& at = *camera.add_position()->mutable_value();
  at.set_x(1), at.set_y(2), at.set_z(3);
  auto& turn = *camera.add_rotation()->mutable_value();
  turn.set_real(0.5), turn.set_i(0.5), turn.set_j(0.5), turn.set_k(0.5);
  WriteClipFile(in_, talk);
  Run(in_, out_);
  const auto camera_now = ReadClipFile(out_)[1].animation_data().camera();
  EXPECT_EQ(camera_now.position(0).value().x(), -1);
  EXPECT_EQ(camera_now.position(0).value().z(), 3);
  EXPECT_EQ(camera_now.rotation(0).value().i(), 0.5);
  EXPECT_EQ(camera_now.rotation(0).value().j(), -0.5);
  EXPECT_EQ(camera_now.rotation(0).value().k(), -0.5);
}

TEST_F(MirrorCommand, AJointOfNoRigIsNamedWithTheWayOut) {
  Messages talk = MakeTalk();
  talk[0].mutable_animation_data_stream_header()->mutable_skel_animation_header()->set_joints(
      1, "tail");
  WriteClipFile(in_, talk);
  EXPECT_EQ(RunMirror({in_, out_}, c_.console), kNo);
  EXPECT_THAT(c_.err.str(), HasSubstr("joint \"tail\" is not in rig hanim_loa"));
  EXPECT_THAT(c_.err.str(), HasSubstr("--rig FILE"));
}

}  // namespace
}  // namespace posewire::animclip
