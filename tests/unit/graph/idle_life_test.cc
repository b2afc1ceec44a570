// Breath and small steps of somebody who stands.
#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "libs/graph/idle_breath.h"
#include "libs/graph/idle_feet.h"
#include "libs/graph/idle_node.h"
#include "tests/unit/gesture/forward.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {
namespace {

// When each breath was deepest, in seconds.
std::vector<double> Peaks(const std::vector<float>& breath) {
  std::vector<double> peaks;
  for (size_t k = 1; k + 1 < breath.size(); ++k) {
    if (breath[k] > 0.5f && breath[k] > breath[k - 1] && breath[k] >= breath[k + 1]) {
      peaks.push_back(static_cast<double>(k) * kTick_s);
    }
  }
  return peaks;
}

TEST(IdleBreath, IsNeverRegular) {
  Random rng(3);
  IdleBreath breath(rng);
  std::vector<float> at;
  for (int k = 0; k < 5400; ++k) {
    breath.Step(kTickAsFloat_s, false, false);
    at.push_back(breath.value());
  }
  const std::vector<double> peaks = Peaks(at);
  ASSERT_GT(peaks.size(), 33u) << "in three minutes";
  ASSERT_LT(peaks.size(), 57u);
  double sum = 0, squares = 0;
  for (size_t i = 1; i < peaks.size(); ++i) {
    const double length = peaks[i] - peaks[i - 1];
    sum += length, squares += length * length;
  }
  const double n = static_cast<double>(peaks.size() - 1), mean = sum / n;
  EXPECT_GT(std::sqrt(squares / n - mean * mean) / mean, 0.12) << "of the mean length";
  EXPECT_GT(*std::max_element(at.begin(), at.end()), 1.4f) << "a sigh";
}

TEST(IdleBreath, ComesInInThePausesOfSpeechAndGoesOutAlongIt) {
  Random rng(5);
  IdleBreath breath(rng);
  int rises = 0, in_pauses = 0;
  float in_speech_s = 0, falls_s = 0;
  float before = 0;
  // Phrases of four seconds with pauses of 0.7.
  for (int k = 0; k < 4230; ++k) {
    const bool speaks = k % 141 >= 21;
    breath.Step(kTickAsFloat_s, speaks, false);
    const float way = breath.value() - before;
    before = breath.value();
    if (k < 300) continue;
    if (way > 0.02f) {
      ++rises;
      // What begins in a pause may end with the first sound.
      in_pauses += k % 141 < 27;
    }
    if (speaks && k % 141 >= 30) {
      in_speech_s += kTickAsFloat_s;
      falls_s += way <= 0.005f ? kTickAsFloat_s : 0;
    }
  }
  ASSERT_GT(rises, 100);
  EXPECT_GT(in_pauses, 0.7 * rises);
  EXPECT_GT(falls_s, 0.8f * in_speech_s);
}

TEST(IdleBreath, ComesInBeforeAPhraseThatIsAnnounced) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Random rng(seed);
    IdleBreath breath(rng);
    for (int k = 0; k < 200 || breath.value() > 0.4f; ++k)
      breath.Step(kTickAsFloat_s, false, false);
    for (int k = 0; k < 27; ++k) breath.Step(kTickAsFloat_s, false, true);
    EXPECT_GT(breath.value(), 0.55f) << seed;
  }
}

TEST(IdleBreath, HasNoJerks) {
  Random rng(9), dice(2);
  IdleBreath breath(rng);
  float before = breath.value(), speed = 0;
  bool speaks = false;
  for (int k = 0; k < 3000; ++k) {
    if (dice.Uniform() < 0.03f) speaks = !speaks;
    breath.Step(kTickAsFloat_s, speaks, dice.Uniform() < 0.1f);
    const float now = breath.value() - before;
    EXPECT_LT(std::fabs(now), 0.12f) << k;
    EXPECT_LT(std::fabs(now - speed), 0.04f) << k;
    speed = now, before = breath.value();
  }
}

struct Feet {
  std::vector<gesture::FootMove> left, right;
  int steps = 0;
};

Feet Stand(uint64_t seed, int ticks) {
  Random rng(seed), dice(seed);
  IdleFeet feet(rng);
  Feet out;
  float weight = 0.8f;
  for (int k = 0; k < ticks; ++k) {
    if (dice.Uniform() < 0.006f) weight = -weight;
    out.steps += feet.Step(kTickAsFloat_s, weight, true);
    out.left.push_back(feet.feet()[0]), out.right.push_back(feet.feet()[1]);
  }
  return out;
}

TEST(IdleFeet, StepNowAndThenAndStayNear) {
  int steps = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Feet feet = Stand(seed, 1800);
    steps += feet.steps;
    for (const auto* foot : {&feet.left, &feet.right}) {
      for (const gesture::FootMove& at : *foot) {
        EXPECT_LE(std::hypot(at.by.x, at.by.z), IdleFeet::kMost_m);
      }
    }
  }
  EXPECT_GT(steps, 15) << "in ten minutes";
  EXPECT_LT(steps, 60);
}

TEST(IdleFeet, NeverSlide) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Feet feet = Stand(seed, 3600);
    float moved = 0;
    for (const auto* foot : {&feet.left, &feet.right}) {
      for (size_t k = 1; k < foot->size(); ++k) {
        const gesture::FootMove &a = (*foot)[k - 1], &b = (*foot)[k];
        const float over = std::hypot(b.by.x - a.by.x, b.by.z - a.by.z);
        moved += over;
        if (a.by.y < 1e-4f && b.by.y < 1e-4f) {
          EXPECT_LT(over, 5e-4f) << seed << " tick " << k;
          EXPECT_LT(std::fabs(b.toe_out - a.toe_out), 5e-3f);
        }
      }
    }
    EXPECT_GT(moved, 0.05f);
  }
}

TEST(IdleFeet, WaitForAFootThatBearsNoWeight) {
  Random rng(4);
  IdleFeet feet(rng);
  for (int k = 0; k < 3600; ++k) {
    EXPECT_FALSE(feet.Step(kTickAsFloat_s, 0.2f, true));
    EXPECT_FALSE(feet.Step(0, 1, false));
  }
}

// Arms that hang are not dead: elbows and fingers give a little, with the breath and by themselves.
TEST(IdleNode, HangingArmsSway) {
  const auto rig = BuiltinRig();
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    auto idle = *IdleNode::Make(rig);
    Random rng(seed);
    const Inputs none;
    skel::Pose pose(rig->joints(), rig->shapes());
    for (const char* joint : {"l_elbow", "r_elbow", "l_middle1", "r_middle1"}) {
      float least = 180, most = 0, last = 0;
      for (int k = 0; k < 1800; ++k) {
        const TickContext ctx{k, k * kTick_s, kTick_s, &rng, &none, nullptr};
        idle->Update(ctx, 1);
        idle->Evaluate(ctx, pose.span());
        const float bent = AngleBetween(pose.view().rotation(rig->FindJoint(joint)), {}) * kDegrees;
        least = std::min(least, bent), most = std::max(most, bent);
        if (k > 0) {
          EXPECT_LT(std::fabs(bent - last), 0.7f) << joint << " " << k;
        }
        last = bent;
      }
      EXPECT_GT(most - least, 3.5f) << joint << " in a minute, seed " << seed;
      EXPECT_LT(most - least, 16) << joint << " in a minute, seed " << seed;
    }
  }
}

// On the body: a foot on the ground stays where it is, and one at least is there.
TEST(IdleNode, StepsWithoutSlidingAndShiftsItsWeight) {
  const auto rig = BuiltinRig();
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    auto idle = *IdleNode::Make(rig);
    idle->set_steps(true);
    Random rng(seed);
    const Inputs none;
    skel::Pose pose(rig->joints(), rig->shapes());
    const gesture::Forward rest(*rig, rig->rest(), rig->rest());
    std::array<skel::Vec3, 2> before;
    float left = 0, right = 0, highest = 0, fastest = 0, last_knee = 0;
    for (int k = 0; k < 2700; ++k) {
      const TickContext ctx{k, k * kTick_s, kTick_s, &rng, &none, nullptr};
      idle->Update(ctx, 1);
      idle->Evaluate(ctx, pose.span());
      const gesture::Forward now(*rig, pose.view(), rig->rest());
      std::array<float, 2> up{};
      for (size_t side = 0; side < 2; ++side) {
        const std::string ball = side == 0 ? "l_metatarsal" : "r_metatarsal";
        const skel::Vec3 at = now.place(ball);
        up[side] = at.y - rest.place(ball).y;
        const float over = std::hypot(at.x - before[side].x, at.z - before[side].z);
        if (k > 0 && up[side] < 5e-4f) {
          EXPECT_LT(over, 1.5e-3f) << seed << " tick " << k;
        }
        EXPECT_GT(up[side], -2e-3f);
        before[side] = at;
        highest = std::max(highest, up[side]);
      }
      EXPECT_LT(std::min(up[0], up[1]), 1e-3f) << "no foot on the ground";
      const float hips = now.place("sacroiliac").x;
      left = std::max(left, hips), right = std::min(right, hips);
      const float knee =
          AngleBetween(pose.view().rotation(rig->FindJoint("l_knee")), {}) * kDegrees;
      if (k > 0) fastest = std::max(fastest, std::fabs(knee - last_knee));
      last_knee = knee;
    }
    EXPECT_GT(left - right, 0.04f) << "metres";
    EXPECT_GT(highest, 0.012f) << "a step";
    EXPECT_LT(highest, 0.04f);
    EXPECT_LT(fastest, 6) << "degrees a tick";
  }
}

}  // namespace
}  // namespace posewire::graph
