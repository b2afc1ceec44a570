#include "libs/avatar/bind_pose.h"

#include <array>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/skel/local_to_model_job.h"
#include "libs/skel/pose.h"

namespace posewire::avatar {
namespace {

using skel::Affine;
using skel::Vec3;

constexpr std::array kMiddle = {
    "HumanoidRoot", "sacroiliac", "vl5",  "vl4", "vl3", "vl2",       "vl1",
    "vt12",         "vt11",       "vt10", "vt9", "vt8", "vt7",       "vt6",
    "vt5",          "vt4",        "vt3",  "vt2", "vt1", "vc7",       "vc6",
    "vc5",          "vc4",        "vc3",  "vc2", "vc1", "skullbase", "temporomandibular"};
constexpr std::array kSides = {
    "hip",          "knee",   "ankle",  "midtarsal", "sternoclavicular", "acromioclavicular",
    "shoulder",     "elbow",  "wrist",  "thumb1",    "thumb2",           "thumb3",
    "index1",       "index2", "index3", "middle1",   "middle2",          "middle3",
    "ring1",        "ring2",  "ring3",  "pinky1",    "pinky2",           "pinky3",
    "eyeball_joint"};

}  // namespace

absl::StatusOr<BindPose> BindPose::Make(std::shared_ptr<const skel::Rig> rig) {
  std::vector<std::string> names(kMiddle.begin(), kMiddle.end());
  for (const char* name : kSides) {
    names.push_back(absl::StrCat("l_", name));
    names.push_back(absl::StrCat("r_", name));
  }
  for (const std::string& name : names) {
    if (rig->FindJoint(name) < 0) {
      return absl::InvalidArgumentError(absl::StrCat("rig ", rig->name(), " has no joint ", name,
                                                     "; the avatar needs those of hanim_loa3"));
    }
  }
  const auto size = static_cast<size_t>(rig->joints());
  BindPose out;
  skel::Pose pose(rig->joints(), rig->shapes());
  pose.span().CopyFrom(rig->rest());
  out.rest_.resize(size);
  out.matrices_.resize(size);
  const auto walk = [&](std::vector<Affine>& into) {
    skel::LocalToModelJob job;
    job.rig = rig.get();
    job.local = pose.view();
    job.matrices = absl::MakeSpan(into);
    return job.Run();
  };
  bool good = walk(out.rest_);
  const auto spread = [&](const char* joint, float angle) {
    const int j = rig->FindJoint(joint);
    pose.span().SetRotation(
        j, skel::Mul(skel::FromAxisAngle({0, 0, 1}, angle), rig->rest().rotation(j)));
  };
  spread("l_shoulder", kArmSpread);
  spread("r_shoulder", -kArmSpread);
  spread("l_hip", kLegSpread);
  spread("r_hip", -kLegSpread);
  good = walk(out.matrices_) && good;
  if (!good) return absl::InternalError("the bind pose cannot be walked");
  out.rig_ = std::move(rig);
  return out;
}

Vec3 BindPose::At(absl::string_view name) const {
  return matrices_[static_cast<size_t>(Joint(name))].row[3];
}

Vec3 BindPose::AtRest(absl::string_view name) const {
  return rest_[static_cast<size_t>(Joint(name))].row[3];
}

Vec3 BindPose::FromRest(absl::string_view joint, Vec3 p) const {
  const auto j = static_cast<size_t>(Joint(joint));
  const Affine inverse = skel::Inverse(rest_[j]).value_or(Affine{});
  return skel::TransformPoint(matrices_[j], skel::TransformPoint(inverse, p));
}

Vec3 BindPose::FromRestVector(absl::string_view joint, Vec3 v) const {
  const auto j = static_cast<size_t>(Joint(joint));
  const Affine inverse = skel::Inverse(rest_[j]).value_or(Affine{});
  return skel::TransformVector(matrices_[j], skel::TransformVector(inverse, v));
}

}  // namespace posewire::avatar
