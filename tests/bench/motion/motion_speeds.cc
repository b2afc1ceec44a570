#include "tests/bench/motion/motion_speeds.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "libs/skel/model_place.h"

namespace posewire {
namespace {

using skel::HumanBone;

constexpr float kRate = 30;

float ShareOf(std::vector<float>& values, double share) {
  if (values.empty()) return 0;
  const auto at =
      values.begin() + static_cast<int64_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

MotionSpeeds::MotionSpeeds(std::shared_ptr<const skel::Rig> rig) : rig_(std::move(rig)) {
  constexpr HumanBone kBones[kParts] = {HumanBone::kLeftHand, HumanBone::kRightHand,
                                        HumanBone::kHead, HumanBone::kHips};
  for (size_t i = 0; i < kParts; ++i) parts_[i].joint = rig_->humanoid().joint(kBones[i]);
}

void MotionSpeeds::Add(const skel::PoseView& pose) {
  ++seen_;
  for (Part& part : parts_) {
    if (part.joint < 0) continue;
    std::rotate(part.at.begin(), part.at.end() - 1, part.at.end());
    part.at[0] = PlaceOf(*rig_, pose, part.joint).at;
    if (seen_ > 1) part.speeds.push_back(Length(part.at[0] - part.at[1]) * kRate);
    if (seen_ < 4) continue;
    const skel::Vec3 third = part.at[0] - part.at[3] + (part.at[2] - part.at[1]) * 3;
    part.jerks.push_back(Length(third) * kRate * kRate * kRate);
  }
}

void MotionSpeeds::PrintHead() {
  std::printf(
      "\nSpeed and jerk, median and 95th percentile\n\n"
      "| | left wrist m/s | m/s^3 | right wrist m/s | m/s^3 | head m/s | m/s^3 | hips m/s | m/s^3 "
      "|\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

void MotionSpeeds::PrintRow(const std::string& name) {
  std::printf("| %s |", name.c_str());
  for (Part& part : parts_) {
    std::printf(" %.2f, %.2f | %.0f, %.0f |", ShareOf(part.speeds, 0.5), ShareOf(part.speeds, 0.95),
                ShareOf(part.jerks, 0.5), ShareOf(part.jerks, 0.95));
  }
  std::printf("\n");
}

}  // namespace posewire
