#include "libs/retarget/motion_doubts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/skel/model_place.h"

namespace posewire::retarget {
namespace {

using Bone = skel::HumanBone;

constexpr float kLeastUp = 0.3f;  // of the distance from a foot to the head
constexpr float kStill = 0.1f * skel::kDeg, kMoved = 15 * skel::kDeg;

}  // namespace

std::string MotionDoubts::Watch(const skel::PoseView& pose) {
  const bool is_first = !first_;
  if (is_first) {
    first_.emplace(pose.joints, pose.shapes);
    first_->span().CopyFrom(pose);
  }
  for (size_t s = 0; s < turned_.size(); ++s) {
    const Bone bone = skel::kLimbSegments[s].first;
    for (int j = rig_->humanoid().end(bone); j >= 0; j = rig_->topology().parent(j)) {
      if (pose.has_r[j]) {
        turned_[s] =
            std::max(turned_[s], skel::AngleBetween(first_->view().rotation(j), pose.rotation(j)));
      }
      if (j == rig_->humanoid().joint(bone)) break;
    }
  }
  const int head = rig_->humanoid().joint(Bone::kHead);
  const int foot = rig_->humanoid().FirstOf({Bone::kLeftFoot, Bone::kRightFoot});
  if (!is_first || head < 0 || foot < 0) return "";
  const skel::Vec3 up = skel::PlaceOf(*rig_, pose, head).at - skel::PlaceOf(*rig_, pose, foot).at;
  if (up.y >= kLeastUp * skel::Length(up)) return "";
  return "the person lies or hangs in the first pose; if another axis than Y is up, say which with "
         "--up";
}

std::string MotionDoubts::Judge() const {
  std::vector<std::string> stiff;
  // Each limb's upper segment is followed by its lower one.
  for (size_t s = 0; s < turned_.size(); s += 2) {
    const auto [upper, lower] = skel::kLimbSegments[s];
    const int joint = rig_->humanoid().joint(upper);
    const float moved = turned_[s + 1];
    if (joint < 0 || turned_[s] > kStill || moved < kMoved) continue;
    stiff.push_back(absl::StrFormat(
        "%s (%s) never turns, while %s turns by %.0f degrees", skel::NameOf(upper),
        rig_->joint_names()[static_cast<size_t>(joint)], skel::NameOf(lower), moved / skel::kDeg));
  }
  if (stiff.empty()) return "";
  return absl::StrCat(absl::StrJoin(stiff, "; "),
                      "; if another joint is that bone, say which with --map FILE");
}

}  // namespace posewire::retarget
