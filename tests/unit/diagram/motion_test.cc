#include "libs/diagram/motion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/unit/diagram/rigs.h"

namespace posewire::diagram {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Fixture {
  std::shared_ptr<const skel::Rig> rig = BuiltinRig("hanim_loa3");
  BodyPlan plan = MakeBodyPlan(*rig);
  int joint(const char* name) const { return rig->FindJoint(name); }
  int shape(const char* name) const { return rig->FindShape(name); }
};

const JointTrack* Track(const SampledMotion& motion, const std::string& label) {
  for (const JointTrack& track : motion.tracks) {
    if (track.label == label) return &track;
  }
  return nullptr;
}

TEST(SampleMotion, InstantsAreEvenAndIncludeBothEnds) {
  Fixture f;
  std::vector<double> asked;
  const auto motion = SampleMotion(*f.rig, f.plan,
                                   [&](double t, const skel::PoseSpan&) {
                                     asked.push_back(t);
                                     return absl::OkStatus();
                                   },
                                   {.start_s = 1, .end_s = 3, .instants = 5});
  ASSERT_TRUE(motion.ok());
  ASSERT_EQ(motion->instants.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(motion->instants[i].t_s, 1 + 0.5 * static_cast<double>(i), 1e-12);
  }
  EXPECT_TRUE(std::is_sorted(asked.begin(), asked.end()));
  EXPECT_EQ(asked.front(), 1);
  EXPECT_EQ(asked.back(), 3);
  EXPECT_EQ(asked, motion->times_s);
}

TEST(SampleMotion, AMotionOfNoLengthHasOneInstant) {
  Fixture f;
  const auto still = [](double, const skel::PoseSpan&) { return absl::OkStatus(); };
  const auto motion = SampleMotion(*f.rig, f.plan, still, {.start_s = 2, .end_s = 2});
  ASSERT_TRUE(motion.ok());
  EXPECT_EQ(motion->instants.size(), 1u);
  EXPECT_TRUE(FindMovingTracks(*motion).tracks.empty());
}

TEST(SampleMotion, TurnsOverHalfACircleStayContinuous) {
  Fixture f;
  const int j = f.joint("r_shoulder");
  const auto spin = [&](double t, const skel::PoseSpan& out) {
    out.SetRotation(j, skel::FromAxisAngle({0, 0, 1}, static_cast<float>(t * 4)));
    return absl::OkStatus();
  };
  const auto motion = SampleMotion(*f.rig, f.plan, spin, {.start_s = 0, .end_s = 1});
  ASSERT_TRUE(motion.ok());
  const JointTrack* track = Track(*motion, "r_shoulder");
  ASSERT_NE(track, nullptr);
  for (size_t i = 0; i < motion->times_s.size(); ++i) {
    EXPECT_NEAR(track->turn_deg[i].z, motion->times_s[i] * 4 * 180 / M_PI, 0.05) << i;
  }
}

TEST(SampleMotion, ATurnSharedOutOverTheSpineIsOneTrack) {
  Fixture f;
  const char* names[] = {"vl5", "vl3", "vl1", "vt10", "vt6", "vt1"};
  const auto bend = [&](double t, const skel::PoseSpan& out) {
    for (const char* name : names) {
      out.SetRotation(f.joint(name),
                      skel::FromAxisAngle({1, 0, 0}, static_cast<float>(t * M_PI / 180 * 5)));
    }
    return absl::OkStatus();
  };
  const auto motion = SampleMotion(*f.rig, f.plan, bend, {.start_s = 0, .end_s = 1});
  ASSERT_TRUE(motion.ok());
  const auto moving = FindMovingTracks(*motion);
  ASSERT_EQ(moving.tracks.size(), 1u);
  EXPECT_EQ(moving.tracks[0]->label, "spine");
  EXPECT_NEAR(moving.tracks[0]->turn_deg.back().x, 30, 0.01);
}

TEST(SampleMotion, ANodIsATurnOfNeckAndHead) {
  Fixture f;
  const auto nod = [&](double t, const skel::PoseSpan& out) {
    for (const char* name : {"vc4", "skullbase"}) {
      out.SetRotation(f.joint(name), skel::FromAxisAngle({1, 0, 0}, static_cast<float>(0.1 * t)));
    }
    return absl::OkStatus();
  };
  const auto motion = SampleMotion(*f.rig, f.plan, nod, {.start_s = 0, .end_s = 1});
  ASSERT_TRUE(motion.ok());
  const auto moving = FindMovingTracks(*motion);
  ASSERT_EQ(moving.tracks.size(), 1u);
  EXPECT_EQ(moving.tracks[0]->label, "neck and head");
  EXPECT_NEAR(moving.tracks[0]->turn_deg.back().x, 0.2 * 180 / M_PI, 0.01);
}

TEST(SampleMotion, TheLongArcComesBeforeTheLargeAngleOfAFinger) {
  Fixture f;
  const auto move = [&](double t, const skel::PoseSpan& out) {
    const float a = static_cast<float>(t);
    out.SetRotation(f.joint("l_shoulder"), skel::FromAxisAngle({1, 0, 0}, -0.5f * a));
    for (const char* name : {"l_index1", "l_index2", "l_middle1"}) {
      out.SetRotation(f.joint(name), skel::FromAxisAngle({0, 0, 1}, 1.4f * a));
    }
    return absl::OkStatus();
  };
  const auto motion = SampleMotion(*f.rig, f.plan, move, {.start_s = 0, .end_s = 1});
  ASSERT_TRUE(motion.ok());
  const auto moving = FindMovingTracks(*motion);
  ASSERT_EQ(moving.tracks.size(), 2u);
  EXPECT_EQ(moving.tracks[0]->label, "l_shoulder");
  EXPECT_TRUE(moving.tracks[1]->finger);
  EXPECT_EQ(moving.fingers_left_out, 2);
}

TEST(SampleMotion, FollowsTheFirstJointThatMovesFromRest) {
  Fixture f;
  const auto walk = [&](double t, const skel::PoseSpan& out) {
    out.SetTranslation(0, f.rig->rest().translation(0) + skel::Vec3{0, 0, static_cast<float>(t)});
    return absl::OkStatus();
  };
  const auto motion = SampleMotion(*f.rig, f.plan, walk, {.start_s = 0, .end_s = 2});
  ASSERT_TRUE(motion.ok());
  EXPECT_EQ(motion->mover, 0);
  ASSERT_EQ(motion->mover_m.size(), motion->times_s.size());
  EXPECT_NEAR(motion->mover_m.back().z, 2, 1e-5);
  EXPECT_NEAR(motion->mover_m.front().z, 0, 1e-5);
}

TEST(SampleMotion, LongMotionsTakeNoMoreSamplesThanAsked) {
  Fixture f;
  const auto still = [](double, const skel::PoseSpan&) { return absl::OkStatus(); };
  const auto motion =
      SampleMotion(*f.rig, f.plan, still, {.start_s = 0, .end_s = 36000, .max_samples = 500});
  ASSERT_TRUE(motion.ok());
  EXPECT_LE(motion->times_s.size(), 501u + 12u);
}

TEST(SampleMotion, HandsOnTheSourcesError) {
  Fixture f;
  const auto broken = [](double t, const skel::PoseSpan&) {
    return t > 0.5 ? absl::DataLossError("torn") : absl::OkStatus();
  };
  const auto motion = SampleMotion(*f.rig, f.plan, broken, {.start_s = 0, .end_s = 1});
  EXPECT_EQ(motion.status().code(), absl::StatusCode::kDataLoss);
}

TEST(SampleMotion, RejectsAnEndBeforeTheStart) {
  Fixture f;
  const auto still = [](double, const skel::PoseSpan&) { return absl::OkStatus(); };
  const auto backwards = SampleMotion(*f.rig, f.plan, still, {.start_s = 2, .end_s = 1});
  EXPECT_EQ(backwards.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(backwards.status().message()), HasSubstr("before its start"));
  EXPECT_FALSE(SampleMotion(*f.rig, f.plan, still, {.end_s = 1, .instants = 0}).ok());
}

TEST(MovingShapes, PairsShareALaneAndTheLargestComesFirst) {
  Fixture f;
  const auto face = [&](double t, const skel::PoseSpan& out) {
    const float a = static_cast<float>(t);
    out.SetWeight(f.shape("jawOpen"), 0.4f * a);
    out.SetWeight(f.shape("eyeBlinkLeft"), 0.9f * a);
    out.SetWeight(f.shape("eyeBlinkRight"), 0.8f * a);
    out.SetWeight(f.shape("jawLeft"), 0.2f * a);
    out.SetWeight(f.shape("mouthPucker"), -0.1f * a);
    out.SetWeight(f.shape("browInnerUp"), 0);
    return absl::OkStatus();
  };
  const auto motion = SampleMotion(*f.rig, f.plan, face, {.start_s = 0, .end_s = 1});
  ASSERT_TRUE(motion.ok());
  const auto curves = MovingShapes(*f.rig, *motion);
  std::vector<std::string> labels;
  labels.reserve(curves.size());
  for (const ShapeCurve& c : curves) labels.push_back(c.label);
  EXPECT_THAT(labels,
              ElementsAre(testing::StrCaseEq("eyeBlink"), testing::StrCaseEq("jawOpen"),
                          testing::StrCaseEq("jawLeft"), testing::StrCaseEq("mouthPucker")));
  EXPECT_EQ(curves[0].left, f.shape("eyeBlinkLeft"));
  EXPECT_EQ(curves[0].right, f.shape("eyeBlinkRight"));
  EXPECT_NEAR(curves[0].high, 0.9f, 1e-6);
  // A jaw that goes to the left is no left half of anything.
  EXPECT_EQ(curves[2].middle, f.shape("jawLeft"));
  EXPECT_NEAR(curves[3].low, -0.1f, 1e-6);
}

}  // namespace
}  // namespace posewire::diagram
