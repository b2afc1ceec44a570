// What a skeleton of unknown make looks like as a human's body at rest: which bones it lacks, which
// way it stands and how tall it is. Files say none of that, so it is checked rather than trusted.
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

// The bones that carry a body's motion and that no joint is, by limb: "hips; left arm (upper arm,
// hand)". A spine is needed, not each of its joints; shoulders, fingers and toes are not. "" if
// none is missing.
std::string MissingBones(const Rig& rig);

// The bones that were found, a line for each limb that has any: "left arm: LeftShoulder =
// LeftCollar, LeftUpperArm = LeftShoulder".
std::vector<std::string> FoundBones(const Rig& rig);

struct Standing {
  // Head and feet are on opposite sides of the hips, and left and right are told apart, so that the
  // rest is known.
  bool known = false;
  // Brings up to +Y by quarter turns, and front to +Z.
  Quat upright;
  // From the soles to the top of the head, in the rig's unit, within 10 %.
  float height = 0;
};
Standing StandingOf(const Rig& rig);

// The axis that a rotation brings to `to`: "+Z", "-X".
std::string AxisBroughtTo(Vec3 to, Quat rotation);

// The quarter turn that brings an axis, "x", "-x", "y" ..., to +Y; nothing for another word.
std::optional<Quat> UprightFrom(absl::string_view axis);
// A unit of length in metres: m, cm, mm, in, ft, or a number from 1e-6 to 1e6; nothing for another
// word.
std::optional<float> LengthOfUnit(absl::string_view unit);
// INVALID_ARGUMENT for what is none of those; "auto" is an axis too.
absl::Status CheckUp(absl::string_view axis);
absl::Status CheckUnit(absl::string_view unit);

// The same skeleton with its lowest joint on the ground, if it is far from it, as where a BVH's
// root has no offset: the joints at this depth (0: the roots) are moved.
std::shared_ptr<const Rig> OnGround(std::shared_ptr<const Rig> rig, int depth);

// The skeleton that a file holds, kAsItStands and put onto the ground, of names, places and turns.
// One that stands along another axis is put there once it is turned. Null for parts that are no
// rig.
std::shared_ptr<const Rig> RestRig(RigParts parts);

// The same skeleton `unit` times as large, below one more root that is turned by `turn`. Its
// joints' paths begin with that root's name, kTurnedRoot. Put on the ground. Null for paths that
// cannot hang on another root.
inline constexpr absl::string_view kTurnedRoot = "(upright)";
std::shared_ptr<const Rig> Turned(const Rig& rig, Quat turn, float unit);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_BODY_H_
