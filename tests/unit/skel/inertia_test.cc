#include "libs/skel/inertia.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/unit/skel/helpers.h"
#include "tests/unit/skel/random_pose.h"

namespace posewire::skel {
namespace {

constexpr double kFrame_s = 1.0 / 30;

// Eases every element of a pose, as a stage does.
class Eased {
 public:
  Eased(int joints, int shapes)
      : turns_(static_cast<size_t>(joints)),
        moves_(static_cast<size_t>(joints)),
        weights_(static_cast<size_t>(shapes)) {}
  // `target` is the input of now, `shown` what was shown last, `before` dt_s earlier.
  void Start(const PoseView& before, const PoseView& shown, double dt_s, const PoseView& target,
             double duration_s) {
    for (size_t i = 0; i < turns_.size(); ++i) {
      const int j = static_cast<int>(i);
      turns_[i].way = StartTurn(before.rotation(j), shown.rotation(j), dt_s, target.rotation(j),
                                duration_s, turns_[i].inertia);
      moves_[i].way = StartMove(before.translation(j), shown.translation(j), dt_s,
                                target.translation(j), duration_s, moves_[i].inertia);
    }
    for (size_t s = 0; s < weights_.size(); ++s) {
      weights_[s].way = StartMove({before.weights[s], 0, 0}, {shown.weights[s], 0, 0}, dt_s,
                                  {target.weights[s], 0, 0}, duration_s, weights_[s].inertia);
    }
  }
  void Apply(double dt_s, const PoseSpan& pose) {
    for (size_t i = 0; i < turns_.size(); ++i) {
      const int j = static_cast<int>(i);
      turns_[i].inertia.Advance(dt_s), moves_[i].inertia.Advance(dt_s);
      const Vec3 turn = turns_[i].way * turns_[i].inertia.Left();
      pose.SetRotation(j, Normalized(Mul(Exp(turn), pose.rotation(j))));
      pose.SetTranslation(j, pose.translation(j) + moves_[i].way * moves_[i].inertia.Left());
    }
    for (size_t s = 0; s < weights_.size(); ++s) {
      weights_[s].inertia.Advance(dt_s);
      pose.weights[s] += weights_[s].way.x * weights_[s].inertia.Left();
    }
  }
  bool active() const { return turns_[0].inertia.active(); }

 private:
  struct Difference {
    Vec3 way;
    Inertia inertia;
  };
  std::vector<Difference> turns_, moves_, weights_;
};

Pose Turned(float angle_rad, float weight) {
  Pose pose(1, 1);
  pose.span().SetTranslation(0, {angle_rad, 0, 0});
  pose.span().SetRotation(0, FromAxisAngle({0, 0, 1}, angle_rad));
  pose.span().SetScale(0, {1, 1, 1});
  pose.span().SetWeight(0, weight);
  return pose;
}

TEST(Inertia, StartsAtWhatWasShownAndEndsOnTheTarget) {
  const Pose shown = Turned(1, 0.2f), target = Turned(2, 1);
  Eased ease(1, 1);
  ease.Start(shown.view(), shown.view(), kFrame_s, target.view(), 0.3);
  EXPECT_TRUE(ease.active());
  Pose pose = target;
  ease.Apply(0, pose.span());
  EXPECT_NEAR(pose.view().tx[0], 1, 1e-5);
  EXPECT_NEAR(AngleBetween(pose.view().rotation(0), shown.view().rotation(0)), 0, 1e-3);
  EXPECT_NEAR(pose.view().weights[0], 0.2f, 1e-6);
  pose = target;
  ease.Apply(0.3, pose.span());
  EXPECT_EQ(pose.view().tx[0], 2);
  EXPECT_EQ(pose.view().weights[0], 1);
  EXPECT_FALSE(ease.active());
}

TEST(Inertia, EndsWithZeroSlopeAndZeroAcceleration) {
  const Pose shown = Turned(1, 0), target = Turned(0, 0);
  const auto at = [&](double t_s) {
    Eased ease(1, 1);
    ease.Start(Turned(1.02f, 0).view(), shown.view(), kFrame_s, target.view(), 0.3);
    Pose pose = target;
    ease.Apply(t_s, pose.span());
    return static_cast<double>(pose.view().tx[0]);
  };
  // It falls off as the cube of the time that is left: halving that divides by 8.
  EXPECT_NEAR(at(0.3 - 0.02) / at(0.3 - 0.01), 8, 0.5);
  EXPECT_LT(at(0.299), 1e-5);
}

TEST(Inertia, TakesUpTheVelocityThatWasShown) {
  const float step = 0.05f;  // towards the target at 0
  Eased ease(1, 1);
  ease.Start(Turned(1 + step, 0).view(), Turned(1, 0).view(), kFrame_s, Turned(0, 0).view(), 0.3);
  Pose pose = Turned(0, 0);
  const double small_s = 1e-3;
  ease.Apply(small_s, pose.span());
  const double slope = (static_cast<double>(pose.view().tx[0]) - 1) / small_s;
  EXPECT_NEAR(slope, -step / kFrame_s, 0.15);
}

// Also across half a turn, where the axis of the difference flips.
TEST(Inertia, TakesUpTheAngularVelocityThatWasShown) {
  for (const float degrees : {20.0f, 90.0f, 175.0f}) {
    const Pose shown = Turned(degrees * kDegree, 0), before = Turned((degrees + 10) * kDegree, 0);
    Eased ease(1, 1);
    ease.Start(before.view(), shown.view(), kFrame_s, Turned(0, 0).view(), 0.3);
    Pose pose = Turned(0, 0);
    const double small_s = 2e-3;
    ease.Apply(small_s, pose.span());
    const double turned = static_cast<double>(
        AngleBetween(pose.view().rotation(0), shown.view().rotation(0)) / kDegree);
    EXPECT_NEAR(turned / small_s, 10 / kFrame_s, 60) << degrees;
  }
}

TEST(Inertia, NeverMovesAwayFromTheTarget) {
  Eased ease(1, 1);
  ease.Start(Turned(0.5f, 0).view(), Turned(1, 0.5f).view(), kFrame_s, Turned(0, 0).view(), 0.3);
  float last = 1;
  for (int i = 0; i < 9; ++i) {
    Pose pose = Turned(0, 0);
    ease.Apply(kFrame_s, pose.span());
    EXPECT_LT(pose.view().tx[0], last);
    EXPECT_GE(pose.view().tx[0], 0);
    last = pose.view().tx[0];
  }
}

TEST(Inertia, AFastApproachDoesNotOvershoot) {
  RandomPoses random(10);
  for (int round = 0; round < 500; ++round) {
    const float x0 = random.Number(0.001f, 1), before = x0 + random.Number(0, 3);
    Eased ease(1, 1);
    ease.Start(Turned(before, before).view(), Turned(x0, x0).view(), kFrame_s, Turned(0, 0).view(),
               0.3);
    for (int i = 0; i < 30; ++i) {
      Pose pose = Turned(0, 0);
      ease.Apply(0.01, pose.span());
      EXPECT_GE(pose.view().tx[0], -1e-6f);
      EXPECT_GE(pose.view().weights[0], -1e-6f);
      EXPECT_LE(pose.view().tx[0], x0 + 1e-6f);
    }
  }
}

// The largest possible difference, any phase of the frames, at rest or in motion towards the
// target.
TEST(Inertia, NoFrameTurnsMoreThan40DegreesOrMovesAShapeMoreThan0p6) {
  float most_turn = 0, most_move = 0;
  for (int speed = 0; speed <= 30; speed += 5) {
    for (int phase = 0; phase < 20; ++phase) {
      const float turn = static_cast<float>(speed) * kDegree;
      const Pose shown = Turned(kPi - 1e-3f, 1.5f), target = Turned(0, -0.5f);
      Pose before = shown;
      before.span().SetRotation(0, FromAxisAngle({0, 0, 1}, kPi - 1e-3f + turn));
      Eased ease(1, 1);
      ease.Start(before.view(), shown.view(), kFrame_s, target.view(), 0.3);
      Pose last = shown;
      double dt_s = kFrame_s * phase / 20;
      for (int i = 0; i < 12; ++i) {
        Pose pose = target;
        ease.Apply(dt_s, pose.span());
        most_turn =
            std::max(most_turn, AngleBetween(last.view().rotation(0), pose.view().rotation(0)));
        most_move = std::max(most_move, std::fabs(last.view().weights[0] - pose.view().weights[0]));
        last = pose;
        dt_s = kFrame_s;
      }
      EXPECT_NEAR(AngleBetween(last.view().rotation(0), {}), 0, 1e-4);
    }
  }
  EXPECT_LT(most_turn, 40 * kDegree);
  EXPECT_GT(most_turn, 30 * kDegree);
  EXPECT_LT(most_move, 0.6f);
}

TEST(Inertia, GoesOnFromWhatWasShownWhenStartedAgainInTheMiddle) {
  RandomPoses random(11);
  for (int round = 0; round < 50; ++round) {
    Eased ease(4, 4);
    std::vector<Pose> shown = {random.Of(4, 4), Pose()};
    shown[1] = shown[0];
    for (int restart = 0; restart < 6; ++restart) {
      const Pose target = random.Of(4, 4);
      ease.Start(shown[0].view(), shown[1].view(), kFrame_s, target.view(), 0.3);
      const int frames = 1 + random.Below(8);
      for (int i = 0; i < frames; ++i) {
        Pose pose = target;
        ease.Apply(kFrame_s, pose.span());
        for (int j = 0; j < 4; ++j) {
          EXPECT_LT(AngleBetween(pose.view().rotation(j), shown[1].view().rotation(j)),
                    41 * kDegree);
          EXPECT_LT(std::fabs(pose.view().weights[j] - shown[1].view().weights[j]), 0.6f);
          EXPECT_NEAR(Dot(pose.view().rotation(j), pose.view().rotation(j)), 1, 1e-5);
        }
        shown[0] = shown[1];
        shown[1] = pose;
      }
    }
  }
}

TEST(Inertia, AnUnknownVelocityCountsAsNone) {
  Inertia moving(1, 1.1f, kFrame_s, 0.3), unknown(1, 1.1f, 0, 0.3), still(1, 1, kFrame_s, 0.3);
  for (Inertia* i : {&moving, &unknown, &still}) i->Advance(0.1);
  EXPECT_EQ(unknown.Left(), still.Left());
  EXPECT_LT(moving.Left(), still.Left());
}

TEST(Inertia, WithoutADifferenceOrATimeThereIsNone) {
  EXPECT_FALSE(Inertia().active());
  EXPECT_FALSE(Inertia(1e-7f, 0, kFrame_s, 0.3).active());
  EXPECT_FALSE(Inertia(1, 1, kFrame_s, 0).active());
  EXPECT_EQ(Inertia().Left(), 0);
  Inertia runs(1, 1, kFrame_s, 0.3);
  EXPECT_TRUE(runs.active());
  EXPECT_EQ(runs.Left(), 1);
  EXPECT_FLOAT_EQ(runs.rest_s(), 0.3f);
  runs.Advance(0.3);
  EXPECT_FALSE(runs.active());
}

}  // namespace
}  // namespace posewire::skel
