// The H-Anim humanoid of a scene (ISO/IEC 19774): the body that its nodes describe, and the rig
// made from it.
//
// Names are those of version 1 if the standard has the joint, for either version of file and with
// or without "hanim_"; other joints keep theirs. Joints rest without rotation about centres that
// the file has in the humanoid's space, so joint rotations in the file are a pose, and not part of
// the rig.
//
// But an HAnimJoint is also a Transform, and converters place joints by `translation` and
// `rotation` only (glTF's nodes). If more joints below the roots have a translation and no centre
// than have a centre, the transforms are the rest pose.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_HUMANOID_H_
#define POSEWIRE_LIBS_FORMATS_X3D_HUMANOID_H_

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/x3d/scene.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"
#include "libs/skel/rig.h"

namespace posewire::x3d {

// Lengths are metres, in the humanoid's space.
struct HumanoidJoint {
  std::string name;
  std::string other_name;  // version 2's name, "" if it has none
  int parent = -1;
  int node = -1;  // in the scene
  skel::Vec3 center;
  // Relative to its parent, whose space has its centre as the origin; without rotation if centres
  // are used.
  skel::Trs rest;
  std::optional<skel::JointLimit> limit;
  std::array<float, 3> stiffness{};  // 0 (free) to 1
};

struct HumanoidSegment {
  std::string name;
  int joint = -1;
  int node = -1;
  float mass_kg = 0;  // 0: unknown
  skel::Vec3 center_of_mass;
  std::array<float, 9> moments_of_inertia{};  // kg m2, row by row
};

struct HumanoidSite {
  std::string name;
  int joint = -1;
  skel::Vec3 place;
  std::optional<skel::Quat> rotation;
};

// A displacer without displacements, which names points of the body: "l_eyeball_feature".
struct HumanoidFeature {
  std::string name;
  int joint = -1;
  std::vector<int> points;  // of the segment's coord, or of skinCoord for a joint's displacer
  skel::Vec3 place;         // their middle
};

struct HAnimHumanoid {
  std::string name, version;
  std::vector<std::string> info;
  int node = -1;
  float unit_m = 1;                   // metres per unit of its space: UNIT length and its own scale
  std::vector<HumanoidJoint> joints;  // parents first
  std::vector<HumanoidSegment> segments;
  std::vector<HumanoidSite> sites;
  std::vector<HumanoidFeature> features;
  // Deviations from the standard, with the line; and those of them that required assumptions about
  // the parents, names and rest pose of joints.
  std::vector<std::string> notes, assumed;
};

// Returns the first HAnimHumanoid of a scene. `standard` has the names: hanim_loa4. A joint without
// a name is named by its DEF, or else joint_1, joint_2 ... by its index among all joints. NOT_FOUND
// if there is no humanoid; INVALID_ARGUMENT with the line for invalid values, over 1024 joints, or
// one that is used twice in the skeleton; RESOURCE_EXHAUSTED for features of over 4 million points.
absl::StatusOr<HAnimHumanoid> ReadHumanoid(const Scene& scene, const skel::Rig& standard);

// Returns a displacer's name without H-Anim's prefix and suffix: "x_jawOpen_action" is "jawOpen".
// x_ precedes names that are not the standard's, and the displacer's level follows.
absl::string_view BareDisplacer(absl::string_view name);

// Returns its rig, which has no shapes. Its features are sites too, in the middle of their points,
// so that avatars look at them, and carry props there. The stance is a T-pose if the left upper arm
// points more sideways than down, else arms down. Has limits if a joint has; those of others are
// half a turn each way.
skel::RigParts RigOf(const HAnimHumanoid& humanoid);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_HUMANOID_H_
