#include "libs/skel/pose.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "libs/skel/local_to_model_job.h"
#include "libs/skel/pose_mapper.h"
#include "tests/unit/skel/random_pose.h"

namespace posewire::skel {
namespace {

TEST(Pose, BeginsWithNothingPresent) {
  const Pose pose(3, 2);
  const PoseView view = pose.view();
  EXPECT_EQ(view.joints, 3);
  EXPECT_EQ(view.shapes, 2);
  for (int j = 0; j < 3; ++j) {
    EXPECT_EQ(view.has_t[j] + view.has_r[j] + view.has_s[j], 0);
    EXPECT_EQ(view.qw[j], 1);
    EXPECT_EQ(view.sx[j], 1);
  }
  EXPECT_EQ(view.has_w[0] + view.has_w[1], 0);
}

TEST(Pose, RowsStartOn64BytesAndDoNotOverlap) {
  for (const int joints : {1, 15, 16, 17, 94}) {
    Pose pose(joints, 52);
    const PoseSpan span = pose.span();
    const std::vector<float*> rows = {span.tx, span.ty, span.tz, span.qw, span.qx,     span.qy,
                                      span.qz, span.sx, span.sy, span.sz, span.weights};
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(rows[i]) % 64, 0u);
      if (i > 0) {
        EXPECT_GE(rows[i] - rows[i - 1], joints);
      }
    }
  }
}

TEST(Pose, CopiesOwnTheirMemory) {
  RandomPoses random(21);
  Pose a = random.Of(5, 4, 0.5f);
  const Pose b = a;
  Pose c;
  c = a;
  a.span().SetWeight(0, 99);
  a.span().SetTranslation(4, {9, 9, 9});
  for (const Pose* copy : {&b, &std::as_const(c)}) {
    EXPECT_NE(copy->view().weights[0], 99);
    EXPECT_NE(copy->view().tx[4], 9);
    EXPECT_EQ(copy->view().qx[2], a.view().qx[2]);
    EXPECT_EQ(copy->view().has_s[3], a.view().has_s[3]);
  }
  const Pose moved = std::move(a);
  EXPECT_EQ(moved.view().weights[0], 99);
}

TEST(Pose, ClearPresenceMarksEverythingAbsent) {
  RandomPoses random(22);
  Pose pose = random.Of(7, 3);
  pose.span().ClearPresence();
  for (int j = 0; j < 7; ++j) {
    EXPECT_EQ(pose.view().has_t[j] + pose.view().has_r[j] + pose.view().has_s[j], 0);
  }
  for (int s = 0; s < 3; ++s) EXPECT_EQ(pose.view().has_w[s], 0);
}

// An animation of fewer joints than the skeleton leaves the others at rest, under what moves above.
TEST(Pose, ASparseAnimationLeavesUnmappedJointsAtRest) {
  const auto rig = *Rig::Parse("rig r\njoint A - 0 0 0\njoint A/B - 0 1 0\n");
  const std::vector<std::string> names = {"A"};
  const PoseMapper mapper(names, rig->joint_paths());
  const int a = mapper.TargetOf(0);
  Pose pose(2, 0);
  pose.span().CopyFrom(rig->rest());
  pose.span().SetTranslation(a, {0, 0, 2});
  pose.span().SetRotation(a, FromAxisAngle({1, 0, 0}, 1.5707963f));
  EXPECT_EQ(pose.view().ty[1], 1);
  std::vector<Vec3> at(2);
  const LocalToModelJob job{rig.get(), pose.view(), absl::MakeSpan(at), {}, {}};
  ASSERT_TRUE(job.Run());
  EXPECT_NEAR(Length(at[1] - Vec3{0, 0, 3}), 0, 1e-6);
}

}  // namespace
}  // namespace posewire::skel
