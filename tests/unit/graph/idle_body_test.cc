#include "libs/graph/idle_body.h"

#include "gtest/gtest.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {
namespace {

TEST(IdleBody, RejectsARigThatItCannotMove) {
  EXPECT_EQ(IdleBody::Make(BuiltinRig("vrm")).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(IdleArm, PosesAsTheAnglesDo) {
  const auto rig = BuiltinRig();
  const auto body = *IdleBody::Make(rig);
  Random rng(7);
  float worst = 0, moved = 0;
  for (int round = 0; round < 500; ++round) {
    const IdleArm::Play play{rng.Uniform(-2.5f, 2.5f), rng.Uniform(-2.5f, 2.5f),
                             rng.Uniform(-2.5f, 2.5f)};
    for (const gesture::Side side : {gesture::Side::kLeft, gesture::Side::kRight}) {
      skel::Pose quick = body->stance, slow = body->stance;
      body->arms[static_cast<size_t>(side)].Pose(play, quick.span());
      gesture::PoseArm(body->body, side, IdleArm::AnglesOf(play), slow.span());
      for (int j = 0; j < rig->joints(); ++j) {
        const skel::Quat q = quick.view().rotation(j);
        ASSERT_NEAR(Dot(q, q), 1, 1e-5) << j;
        worst = std::max(worst, AngleBetween(q, slow.view().rotation(j)));
        moved = std::max(moved, AngleBetween(q, body->stance.view().rotation(j)));
      }
    }
  }
  EXPECT_LT(worst, 0.002f);
  EXPECT_GT(moved, 0.08f);
}

}  // namespace
}  // namespace posewire::graph
