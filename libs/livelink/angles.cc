#include "libs/livelink/angles.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace posewire::livelink {

skel::Quat TurnOf(const Angles& angles) {
  const skel::Quat yaw = skel::FromAxisAngle({0, 1, 0}, -angles.yaw);
  const skel::Quat pitch = skel::FromAxisAngle({1, 0, 0}, angles.pitch);
  const skel::Quat roll = skel::FromAxisAngle({0, 0, 1}, -angles.roll);
  return skel::Mul(skel::Mul(yaw, pitch), roll);
}

Angles AnglesOf(skel::Quat turn) {
  const skel::Vec3 front = skel::Rotate(turn, {0, 0, 1});
  Angles out;
  out.pitch = -std::asin(std::clamp(front.y, -1.0f, 1.0f));
  // Straight up or down, yaw and roll are the same rotation.
  if (std::hypot(front.x, front.z) > 1e-4f) out.yaw = -std::atan2(front.x, front.z);
  const skel::Quat rest = skel::Mul(skel::Conjugate(TurnOf({out.yaw, out.pitch, 0})), turn);
  const skel::Vec3 left = skel::Rotate(rest, {1, 0, 0});
  out.roll = -std::atan2(left.y, left.x);
  return out;
}

absl::StatusOr<Angles> ParseFactors(absl::string_view text) {
  constexpr float kMost = 10;
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ',');
  float factors[3] = {};
  bool valid = parts.size() == 3;
  for (size_t i = 0; valid && i < 3; ++i) {
    valid = absl::SimpleAtof(parts[i], &factors[i]) && std::fabs(factors[i]) <= kMost;
  }
  if (valid) return Angles{factors[0], factors[1], factors[2]};
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is not of the form YAW,PITCH,ROLL, factors from -10 to 10"));
}

}  // namespace posewire::livelink
