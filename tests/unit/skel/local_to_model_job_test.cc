#include "libs/skel/local_to_model_job.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/skel/helpers.h"
#include "tests/unit/skel/random_pose.h"

namespace posewire::skel {
namespace {

std::shared_ptr<const Rig> TwoJoints() {
  return *Rig::Parse("rig two\njoint A - 0 0 0\njoint A/B - 0 1 0\n");
}

TEST(LocalToModelJobValidity, WantsARigAndItsSizes) {
  const std::shared_ptr<const Rig> rig = TwoJoints();
  std::vector<Vec3> positions(2);
  LocalToModelJob job;
  EXPECT_FALSE(job.Validate().ok());
  EXPECT_FALSE(job.Run());
  job.rig = rig.get();
  EXPECT_FALSE(job.Validate().ok());
  job.local = rig->rest();
  EXPECT_TRUE(job.Validate().ok());
  job.positions = absl::MakeSpan(positions);
  EXPECT_TRUE(job.Run());
  job.positions = absl::MakeSpan(positions).first(1);
  EXPECT_FALSE(job.Run());
}

TEST(LocalToModelJob, AbsentJointsTakeTheirRest) {
  const std::shared_ptr<const Rig> rig = TwoJoints();
  Pose pose(2, 0);
  pose.span().SetTranslation(0, {5, 0, 0});
  pose.span().SetRotation(0, {kRootOfHalf, 0, 0, kRootOfHalf});
  std::vector<Vec3> positions(2);
  std::vector<Quat> rotations(2);
  std::vector<Affine> matrices(2);
  const LocalToModelJob job{rig.get(), pose.view(), absl::MakeSpan(positions),
                            absl::MakeSpan(rotations), absl::MakeSpan(matrices)};
  ASSERT_TRUE(job.Run());
  // B stands at its rest, one above A, and A turned "above" towards -X.
  EXPECT_NEAR(Length(positions[1] - Vec3{4, 0, 0}), 0, 1e-6);
  EXPECT_NEAR(rotations[1].z, kRootOfHalf, 1e-6);
  EXPECT_NEAR(Length(matrices[1].row[0] - Vec3{0, 1, 0}), 0, 1e-6);
  EXPECT_NEAR(Length(matrices[1].row[3] - Vec3{4, 0, 0}), 0, 1e-6);
}

// The slow reference carries one point up the chain, joint by joint.
TEST(LocalToModelJob, AgreesWithWalkingEachPointUpTheChain) {
  RandomPoses random(3);
  for (int round = 0; round < 50; ++round) {
    const int joints = 1 + random.Below(40);
    const std::shared_ptr<const Rig> rig = random.Tree(joints, 0);
    Pose pose = random.Of(joints, 0, 0.7f);
    for (int j = 0; round % 2 == 0 && j < joints; ++j) pose.span().SetScale(j, {1, 1, 1});
    const PoseView local = pose.view(), rest = rig->rest();
    std::vector<Vec3> positions(static_cast<size_t>(joints));
    std::vector<Quat> rotations(static_cast<size_t>(joints));
    std::vector<Vec3> alone(static_cast<size_t>(joints));
    LocalToModelJob job{rig.get(), local, absl::MakeSpan(positions), absl::MakeSpan(rotations), {}};
    ASSERT_TRUE(job.Run());
    ASSERT_TRUE((LocalToModelJob{rig.get(), local, absl::MakeSpan(alone), {}, {}}.Run()));
    for (int j = 0; j < joints; ++j) {
      Vec3 at;
      Quat turn;
      for (int k = j; k >= 0; k = rig->topology().parent(k)) {
        const Vec3 s = local.has_s[k] ? local.scale(k) : rest.scale(k);
        const Quat q = local.has_r[k] ? local.rotation(k) : rest.rotation(k);
        const Vec3 t = local.has_t[k] ? local.translation(k) : rest.translation(k);
        at = Rotate(q, {at.x * s.x, at.y * s.y, at.z * s.z}) + t;
        turn = Mul(q, turn);
      }
      const auto i = static_cast<size_t>(j);
      EXPECT_LT(Length(positions[i] - at), 1e-4f * (1 + Length(at)));
      EXPECT_EQ(Length(positions[i] - alone[i]), 0);
      EXPECT_LT(AngleBetween(rotations[i], turn), 2e-3f);
    }
  }
}

}  // namespace
}  // namespace posewire::skel
