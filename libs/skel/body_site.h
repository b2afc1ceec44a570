// Named places on a body to which things are attached: a hat on the head, a backpack on the back.
#ifndef POSEWIRE_LIBS_SKEL_BODY_SITE_H_
#define POSEWIRE_LIBS_SKEL_BODY_SITE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/skel/hand_grip.h"
#include "libs/skel/model_place.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// A frame that moves with a joint. Plain data, found once.
struct BodySite {
  int joint = -1;
  Placement in_joint = {};
};

// Finds a place by name:
//   head                      the top of the skull
//   back                      the skin between the shoulder blades, a hand below the shoulders
//   hips                      the joint of the hips
//   left_hand, right_hand     the grip of the hand (HandGrip)
//   left_wrist, right_wrist   the wrist, with the axes of that grip
// or else a site or a joint of the rig, as GetSites names them. Except for hands and wrists, and
// sites with a rotation of their own, the axes at rest are those of the model's space: +Y up, +Z to
// the front. FAILED_PRECONDITION names a part of the body that the rig lacks; NOT_FOUND lists the
// known names.
absl::StatusOr<BodySite> FindBodySite(const Rig& rig, absl::string_view name);

// Returns the site of the left (0) or right (1) hand; its joint is -1 if the rig has no such hand.
BodySite HandSite(const Rig& rig, int side);

// Returns the frame in model space. No allocation, any thread.
inline Placement PlaceOf(const Rig& rig, const PoseView& pose, const BodySite& site) {
  return PlaceOf(rig, pose, site.joint) * site.in_joint;
}

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_BODY_SITE_H_
