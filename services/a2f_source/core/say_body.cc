#include "services/a2f_source/core/say_body.h"

#include <iterator>

namespace posewire::a2f_source {
namespace {

using skel::Mul;
using skel::Quat;

constexpr absl::string_view kJointNames[] = {"vc7", "vc4", "skullbase"};
static_assert(std::size(kJointNames) == kHeadJoints);

constexpr float kDeg = 0.01745329252f;

// Shares of a turn that neck and head get.
constexpr float kShare[kHeadJoints] = {0.25f, 0.3f, 0.45f};

Quat About(float x, float y, float z, float degrees) {
  return skel::FromAxisAngle({x, y, z}, degrees * kDeg);
}

}  // namespace

absl::Span<const absl::string_view> HeadJointNames() { return kJointNames; }

void PoseHead(const speech::HeadAngles& head, absl::Span<Quat> joints) {
  for (size_t j = 0; j < kHeadJoints; ++j) {
    const float share = kShare[j];
    joints[j] =
        Mul(Mul(About(0, 1, 0, head.yaw_deg * share), About(1, 0, 0, head.pitch_deg * share)),
            About(0, 0, 1, head.roll_deg * share));
  }
}

}  // namespace posewire::a2f_source
