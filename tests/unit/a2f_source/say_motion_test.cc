// The face and the body of a speaker, over phrases of known words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "libs/speech/face_track.h"
#include "services/a2f_source/core/say_arm.h"
#include "services/a2f_source/core/say_body.h"
#include "tests/unit/speech/talk.h"

namespace posewire::a2f_source {
namespace {

constexpr double kFrame_s = 1.0 / 30;

size_t JointIndex(absl::string_view name) {
  const auto names = BodyJointNames();
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

// Runs both tracks as the source does, and calls `frame` with each frame's values.
template <typename Frame>
double Perform(const std::vector<speech::Phrase>& phrases, uint64_t seed, Frame frame) {
  speech::FaceTrack face(seed);
  BodyTrack body(seed, ArmPoser::Make().value());
  size_t added = 0;
  bool finished = false;
  const double end_s = phrases.back().end_s + 0.5;
  speech::FaceWeights weights;
  BodyPose pose;
  for (double t = 0; t <= end_s + 0.01; t += kFrame_s) {
    while (added < phrases.size() && phrases[added].start_s < t + 0.8) {
      face.Add(phrases[added]);
      body.Add(phrases[added++]);
    }
    if (added == phrases.size() && !finished && t + 0.8 > phrases.back().end_s) {
      finished = true;
      face.Finish(end_s - kFrame_s);
      body.Finish(end_s - kFrame_s);
    }
    body.At(t, pose);
    face.At(t, speech::MouthPose{}, body.look(), weights);
    frame(t, weights, pose);
  }
  return end_s;
}

TEST(SayMotion, IsBoundedAndSmooth) {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    speech::FaceWeights last{};
    BodyPose last_pose;
    bool first = true;
    Perform(speech::Talk(seed, 15), seed,
            [&](double t, const speech::FaceWeights& w, const BodyPose& pose) {
              for (size_t i = 0; i < w.size(); ++i) {
                ASSERT_TRUE(w[i] >= 0 && w[i] <= 1) << speech::FaceShapeNames()[i] << " at " << t;
                const float step = first ? 0 : std::abs(w[i] - last[i]);
                ASSERT_LE(step, 0.35f) << speech::FaceShapeNames()[i] << " at " << t;
              }
              for (size_t j = 0; j < pose.size(); ++j) {
                ASSERT_NEAR(Dot(pose[j], pose[j]), 1, 1e-4);
                const float step = first ? 0 : AngleBetween(pose[j], last_pose[j]);
                ASSERT_LE(step, 0.26f) << BodyJointNames()[j] << " at " << t;
              }
              last = w;
              last_pose = pose;
              first = false;
            });
  }
}

TEST(SayMotion, StartsAndEndsAtRest) {
  ArmPoser arms = ArmPoser::Make().value();
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const std::vector<speech::Phrase> phrases = speech::Talk(static_cast<uint32_t>(seed), 3);
    const double end_s = phrases.back().end_s + 0.5;
    Perform(phrases, seed, [&](double t, const speech::FaceWeights& w, const BodyPose& pose) {
      if (t > 0 && t < end_s - kFrame_s) return;
      for (size_t i = 0; i < w.size(); ++i)
        EXPECT_NEAR(w[i], 0, 1e-4) << speech::FaceShapeNames()[i];
      for (size_t j = 0; j < kHeadJoints; ++j) EXPECT_LT(AngleBetween(pose[j], {}), 1e-3f);
      const auto left = arms.Pose({}, gesture::Side::kLeft);
      const auto right = arms.Pose({}, gesture::Side::kRight);
      for (size_t j = 0; j < 3; ++j) {
        EXPECT_LT(AngleBetween(pose[kHeadJoints + j], left[j]), 1e-3f) << seed;
        EXPECT_LT(AngleBetween(pose[kHeadJoints + 3 + j], right[j]), 1e-3f) << seed;
      }
    });
  }
}

TEST(SayMotion, IsTheSameForTheSameSeedOnly) {
  const auto record = [](uint64_t seed) {
    std::vector<float> all;
    Perform(speech::Talk(3, 4), seed,
            [&](double, const speech::FaceWeights& w, const BodyPose& pose) {
              all.insert(all.end(), w.begin(), w.end());
              for (const skel::Quat& q : pose) all.insert(all.end(), {q.w, q.x, q.y, q.z});
            });
    return all;
  };
  EXPECT_EQ(record(1), record(1));
  EXPECT_NE(record(1), record(2));
}

TEST(BodyTrack, BothHandsTakeTurns) {
  float left = 0, right = 0;
  ArmPoser arms = ArmPoser::Make().value();
  const auto rest_l = arms.Pose({}, gesture::Side::kLeft);
  const auto rest_r = arms.Pose({}, gesture::Side::kRight);
  Perform(speech::Talk(2, 12), 4, [&](double, const speech::FaceWeights&, const BodyPose& pose) {
    left = std::max(left, AngleBetween(pose[JointIndex("l_elbow")], rest_l[1]));
    right = std::max(right, AngleBetween(pose[JointIndex("r_elbow")], rest_r[1]));
  });
  EXPECT_GT(left, 0.5f);
  EXPECT_GT(right, 0.5f);
}

TEST(BodyTrack, HeadNodsDownAndTurnsToEitherSide) {
  float down = 0, left = 0, right = 0;
  const size_t head = JointIndex("skullbase");
  Perform(speech::Talk(2, 12), 4, [&](double, const speech::FaceWeights&, const BodyPose& pose) {
    const skel::Vec3 front = Rotate(pose[head], {0, 0, 1});
    down = std::max(down, -front.y);
    left = std::max(left, front.x);
    right = std::max(right, -front.x);
  });
  EXPECT_GT(down, 0.03f);
  EXPECT_GT(left, 0.01f);
  EXPECT_GT(right, 0.01f);
}

// Forward kinematics of the arm: where the hand is, against the shoulder.
skel::Vec3 Wrist(const std::array<skel::Quat, 3>& arm, bool left) {
  const float side = left ? 1.0f : -1.0f;
  const skel::Vec3 fore{-0.003f * side, -0.2694f, 0.0099f};
  const skel::Vec3 upper{-0.0015f * side, -0.3019f, -0.0295f};
  return Rotate(arm[0], upper + Rotate(arm[1], fore));
}

TEST(ArmPoser, LiftsTheForearmForwardWithThePalmUp) {
  ArmPoser arms = ArmPoser::Make().value();
  for (const auto side : {gesture::Side::kLeft, gesture::Side::kRight}) {
    const bool left = side == gesture::Side::kLeft;
    const auto rest = arms.Pose({}, side);
    for (const float offer : {0.0f, 0.5f, 1.0f}) {
      const auto up = arms.Pose({1, offer, 0, 0}, side);
      EXPECT_GT(Wrist(up, left).z, Wrist(rest, left).z + 0.15f);
      EXPECT_GT(Wrist(up, left).y, Wrist(rest, left).y + 0.12f);
      const float outward = (left ? 1.0f : -1.0f) * Wrist(up, left).x;
      EXPECT_GT(outward, -0.05f);
      EXPECT_LT(outward, 0.25f);
      const skel::Vec3 palm = Rotate(Mul(Mul(up[0], up[1]), up[2]), {left ? -1.0f : 1.0f, 0, 0});
      EXPECT_GT(palm.y, 0.3f) << "offer " << offer;
      const auto beat = arms.Pose({1, offer, 1, 1}, side);
      EXPECT_LT(Wrist(beat, left).y, Wrist(up, left).y - 0.03f);
    }
  }
}

TEST(ArmPoser, MirrorsTheArms) {
  ArmPoser arms = ArmPoser::Make().value();
  const ArmBeat beat{0.7f, 0.4f, 0.3f, 0.1f};
  const skel::Vec3 l = Wrist(arms.Pose(beat, gesture::Side::kLeft), true);
  const skel::Vec3 r = Wrist(arms.Pose(beat, gesture::Side::kRight), false);
  EXPECT_NEAR(l.x, -r.x, 1e-4);
  EXPECT_NEAR(l.y, r.y, 1e-4);
  EXPECT_NEAR(l.z, r.z, 1e-4);
}

}  // namespace
}  // namespace posewire::a2f_source
