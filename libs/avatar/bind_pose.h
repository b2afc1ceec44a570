// The stance in which the avatar is modelled: the rig's rest with arms and legs spread.
#ifndef POSEWIRE_LIBS_AVATAR_BIND_POSE_H_
#define POSEWIRE_LIBS_AVATAR_BIND_POSE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"
#include "libs/skel/rig.h"

namespace posewire::avatar {

inline constexpr float kArmSpread = 0.70f;   // of the shoulders, radians
inline constexpr float kLegSpread = 0.105f;  // of the hips

// Immutable. Joints are looked up by name; Make has checked that those of hanim_loa3 exist.
class BindPose {
 public:
  static absl::StatusOr<BindPose> Make(std::shared_ptr<const skel::Rig> rig);

  const skel::Rig& rig() const { return *rig_; }
  const std::vector<skel::Affine>& matrices() const { return matrices_; }
  int Joint(absl::string_view name) const { return rig_->FindJoint(name); }
  // Where a joint is: in the bind pose, and in the rig's rest pose.
  skel::Vec3 At(absl::string_view name) const;
  skel::Vec3 AtRest(absl::string_view name) const;
  // Of a point of the rest pose that moves with the joint: where the bind pose has it.
  skel::Vec3 FromRest(absl::string_view joint, skel::Vec3 p) const;
  skel::Vec3 FromRestVector(absl::string_view joint, skel::Vec3 v) const;

 private:
  BindPose() = default;

  std::shared_ptr<const skel::Rig> rig_;
  std::vector<skel::Affine> matrices_, rest_;
};

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_BIND_POSE_H_
