// A minute of a performer over a bad network, in the bundles of real programs, on a fake clock.
#include <cmath>
#include <cstdio>
#include <string>

#include "gtest/gtest.h"
#include "libs/skel/math.h"
#include "tests/unit/a2f_source/vmc_recorder.h"
#include "tests/unit/a2f_source/vmc_sender.h"

namespace posewire::a2f_source {
namespace {

using nvidia_ace::animation_data::v1::AnimationData;

constexpr double kDegree = M_PI / 180;

struct Steps {
  double angle_deg = 0;
  double weight = 0;
};

skel::Quat QuatOf(const nvidia_ace::animation_data::v1::QuatF& q) {
  return {q.real(), q.i(), q.j(), q.k()};
}

// The largest change from one frame to the next.
Steps LargestSteps(const std::vector<AnimationData>& frames) {
  Steps steps;
  for (size_t f = 1; f < frames.size(); ++f) {
    const auto& a = frames[f - 1].skel_animation();
    const auto& b = frames[f].skel_animation();
    for (int j = 0; j < b.rotations(0).values_size(); ++j) {
      const double angle =
          skel::AngleBetween(QuatOf(a.rotations(0).values(j)), QuatOf(b.rotations(0).values(j)));
      steps.angle_deg = std::max(steps.angle_deg, angle / kDegree);
    }
    for (int s = 0; s < b.blend_shape_weights(0).values_size(); ++s) {
      steps.weight = std::max<double>(steps.weight, std::fabs(b.blend_shape_weights(0).values(s) -
                                                              a.blend_shape_weights(0).values(s)));
    }
  }
  return steps;
}

VmcRecorder Play(const std::vector<Arrival>& arrivals, double seconds) {
  VmcRecorder recorder;
  auto session = VmcSession::Make({}, &recorder).value();
  size_t next = 0;
  for (int tick = 0; tick < static_cast<int>(seconds * 60); ++tick) {
    // Half a frame aside of the sender's, so that rounding decides nothing.
    const double now_s = 100 + (tick + 0.5) / 60;
    for (; next < arrivals.size() && 100 + arrivals[next].at_s <= now_s; ++next) {
      session->Offer(arrivals[next].bytes, VmcPort::kMarionette, 100 + arrivals[next].at_s);
    }
    session->Tick(now_s);
  }
  EXPECT_EQ(session->reader().counts().rejected_in_all(), 0u) << session->reader().LastRejection();
  session->Finish();
  return recorder;
}

class Network : public testing::TestWithParam<Style> {};

TEST_P(Network, AMinuteWithLossJitterAndDisorderHasNoStepBeyondTheSendersOwn) {
  const double kSeconds = 60;
  const VmcRecorder clean = Play(Perform(GetParam(), kSeconds, 0, 0, 1), kSeconds);
  const VmcRecorder bad = Play(Perform(GetParam(), kSeconds, 0.05, 0.03, 2), kSeconds);
  ASSERT_EQ(clean.requests.size(), 1u);
  ASSERT_EQ(bad.requests.size(), 1u);
  EXPECT_GT(bad.requests[0].frames.size(), kSeconds * 60 - 30);
  EXPECT_EQ(bad.requests[0].header.skel_animation_header().blend_shapes_size(), 52);
  const Steps want = LargestSteps(clean.requests[0].frames);
  const Steps got = LargestSteps(bad.requests[0].frames);
  std::printf("largest step: sent %.1f deg %.3f, shown %.1f deg %.3f\n", want.angle_deg,
              want.weight, got.angle_deg, got.weight);
  EXPECT_LT(got.angle_deg, 40);
  EXPECT_LT(got.weight, 0.6);
  // A correction adds about as much again at most.
  EXPECT_LT(got.angle_deg, 2.2 * want.angle_deg);
  EXPECT_LT(got.weight, 2.2 * want.weight);
}

INSTANTIATE_TEST_SUITE_P(Styles, Network, testing::ValuesIn(kStyles));

}  // namespace
}  // namespace posewire::a2f_source
