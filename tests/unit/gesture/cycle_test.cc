#include "libs/gesture/cycle.h"

#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "libs/skel/rig.h"

namespace posewire::gesture {
namespace {

constexpr double kPeriod_s = 4;

TEST(CyclicChannel, HoldsItsBase) {
  CyclicChannel c(0.3f);
  EXPECT_FALSE(c.used());
  EXPECT_EQ(c.At(1, kPeriod_s), 0.3f);
  c.Hold(0.7f);
  EXPECT_TRUE(c.used());
  EXPECT_EQ(c.At(3.9, kPeriod_s), 0.7f);
}

TEST(CyclicChannel, VisitsWholeAndComesBack) {
  CyclicChannel c(1);
  c.Go(2, {1, 1.5, 2, 3});
  EXPECT_EQ(c.At(0.5, kPeriod_s), 1);
  EXPECT_EQ(c.At(1, kPeriod_s), 1);
  EXPECT_NEAR(c.At(1.25, kPeriod_s), 2, 1e-5);
  EXPECT_EQ(c.At(1.7, kPeriod_s), 3);
  EXPECT_NEAR(c.At(2.5, kPeriod_s), 2, 1e-5);
  EXPECT_EQ(c.At(3.5, kPeriod_s), 1);
}

TEST(CyclicChannel, AVisitGoesOnPastTheSeam) {
  CyclicChannel c;
  c.Go(1, {3, 3.5, 4.5, 5});
  EXPECT_EQ(c.At(3.8, kPeriod_s), 1);
  EXPECT_EQ(c.At(0.2, kPeriod_s), 1);
  EXPECT_NEAR(c.At(0.75, kPeriod_s), 0.5, 1e-5);
  EXPECT_EQ(c.At(1.5, kPeriod_s), 0);
}

TEST(CyclicChannel, RepeatsAndHasNoStepWhateverItIsMadeOf) {
  std::mt19937 rng(5);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int round = 0; round < 200; ++round) {
    CyclicChannel c(static_cast<float>(unit(rng)));
    for (int i = 0; i < 3; ++i) {
      c.Swing(static_cast<float>(unit(rng)), 1 + i, unit(rng));
      const double t0 = 3.9 * unit(rng), rise = 0.3 + 0.5 * unit(rng), stay = unit(rng);
      c.Go(1, {t0, t0 + rise, t0 + rise + stay, t0 + 2 * rise + stay});
    }
    float last = c.At(0, kPeriod_s);
    for (int i = 1; i <= 4000; ++i) {
      const double t = i * kPeriod_s / 4000;
      const float here = c.At(std::fmod(t, kPeriod_s), kPeriod_s);
      EXPECT_LT(std::fabs(here - last), 0.05f) << t;
      EXPECT_NEAR(here, c.At(t + (i % 2) * kPeriod_s, kPeriod_s), 2e-5);
      last = here;
    }
  }
}

TEST(Cycle, CarriesOnlyWhatIsHeldOrMoved) {
  const auto rig = *skel::RigCatalog::Builtin()->Find("hanim_loa3");
  const Body body = *Body::Make(*rig);
  Cycle cycle(body, rig, CycleBase::kStance);
  cycle.SwingArm(Side::kLeft, kElbowFlex, 10, 2, 0);
  cycle.HoldShape("browInnerUp", 1.5f);
  cycle.HoldShape("noSuchShape", 1);
  const auto clip = cycle.Render("test", kPeriod_s);
  EXPECT_TRUE(clip->loops());
  EXPECT_EQ(clip->frames(), 120);
  const skel::PoseView p = clip->frame(0);
  EXPECT_EQ(p.has_r[rig->FindJoint("l_elbow")], 1);
  EXPECT_EQ(p.has_r[rig->FindJoint("r_elbow")], 0);
  EXPECT_EQ(p.has_r[rig->FindJoint("skullbase")], 0);
  EXPECT_EQ(p.has_t[rig->FindJoint("HumanoidRoot")], 0);
  EXPECT_EQ(p.weights[rig->FindShape("browInnerUp")], 1);
}

TEST(Cycle, ADifferenceCountsFromRest) {
  const auto rig = *skel::RigCatalog::Builtin()->Find("hanim_loa3");
  const Body body = *Body::Make(*rig);
  Cycle cycle(body, rig, CycleBase::kDifference);
  cycle.SwingArm(Side::kRight, kWristFlex, 10, 1, 0);
  const auto clip = cycle.Render("test", kPeriod_s);
  for (int j = 0; j < rig->joints(); ++j) {
    if (clip->frame(0).has_r[j] == 0) continue;
    EXPECT_LT(AngleBetween(clip->frame(0).rotation(j), {}), 1e-3f) << j;
  }
  const skel::Quat bent = clip->frame(30).rotation(rig->FindJoint("r_wrist"));
  EXPECT_NEAR(AngleBetween(bent, {}), 10 * 0.01745329f, 1e-3);
}

}  // namespace
}  // namespace posewire::gesture
