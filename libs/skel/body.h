// Examines a skeleton from an unknown source as a human body at rest: which bones it lacks, its
// orientation, and its height. Files do not specify these, so they are detected.
#ifndef POSEWIRE_LIBS_SKEL_BODY_H_
#define POSEWIRE_LIBS_SKEL_BODY_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/skel/math.h"
#include "libs/skel/rig.h"

namespace posewire::skel {

// Lists bones of a moving body that have no joint, by limb: "hips; left arm (upper arm, hand)". A
// spine is required, but not each of its joints; shoulders, fingers and toes are not required. ""
// if none is missing.
std::string MissingBones(const Rig& rig);

// Returns the bones that were found, one line per limb that has any: "left arm: LeftShoulder =
// LeftCollar, LeftUpperArm = LeftShoulder".
std::vector<std::string> FoundBones(const Rig& rig);

struct Standing {
  // Head and feet are on opposite sides of the hips, and left and right can be distinguished, so
  // the other fields are valid.
  bool known = false;
  // Rotates up to +Y by quarter turns, and front to +Z.
  Quat upright;
  // From the soles to the top of the head, in the rig's unit, to within 10 %.
  float height = 0;
};
Standing StandingOf(const Rig& rig);

// Returns the name of the axis that `rotation` rotates to `to`: "+Z", "-X".
std::string AxisBroughtTo(Vec3 to, Quat rotation);

// Returns the quarter turn that rotates an axis, "x", "-x", "y" ..., to +Y; nothing for other text.
std::optional<Quat> UprightFrom(absl::string_view axis);
// Returns a unit of length in metres: m, cm, mm, in, ft, or a number from 1e-6 to 1e6; nothing for
// other text.
std::optional<float> LengthOfUnit(absl::string_view unit);
// INVALID_ARGUMENT for other texts; "auto" is also allowed.
absl::Status CheckUp(absl::string_view axis);
absl::Status CheckUnit(absl::string_view unit);

// Returns the skeleton with its lowest joint on the ground, if it is far from it, as in a BVH file
// whose root has no offset. Moves the joints at this depth (0: the roots).
std::shared_ptr<const Rig> OnGround(std::shared_ptr<const Rig> rig, int depth);

// Makes a rig of the skeleton in a file from names, positions and rotations, with stance
// kAsItStands, and puts it on the ground. If it stands along another axis, it is put on the ground
// only after Turned. Returns null if the parts are not a valid rig.
std::shared_ptr<const Rig> RestRig(RigParts parts);

// Returns the skeleton scaled by `unit`, below an additional root that is rotated by `turn`, and
// puts it on the ground. Joint paths begin with the new root's name, kTurnedRoot. Returns null for
// paths that cannot be below another root.
inline constexpr absl::string_view kTurnedRoot = "(upright)";
std::shared_ptr<const Rig> Turned(const Rig& rig, Quat turn, float unit);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_BODY_H_
