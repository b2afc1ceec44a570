// The H-Anim humanoid of a scene (ISO/IEC 19774): what its nodes say of the body, and the rig that
// this makes.
//
// Names are those of version 1 where the standard has the joint, whichever version the file has and
// whether or not "hanim_" stands before them; others keep theirs. Joints rest unturned about
// centres that the file gives in the humanoid's space, so what turns they have in the file are a
// pose, and no part of the rig.
//
// An HAnimJoint is a Transform, though, and converters place joints by `translation` and `rotation`
// alone (glTF's nodes). Where more joints below the roots have a translation and no centre than
// have a centre, these are where joints rest.
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
  std::string other_name;  // of version 2, "" where it has none
  int parent = -1;
  int node = -1;  // in the scene
  skel::Vec3 center;
  // Below its parent, whose space has its centre as the origin; unturned where centres count.
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

struct Humanoid {
  std::string name, version;
  std::vector<std::string> info;
  int node = -1;
  float unit_m = 1;                   // of its space: UNIT length and its own scale
  std::vector<HumanoidJoint> joints;  // parents first
  std::vector<HumanoidSegment> segments;
  std::vector<HumanoidSite> sites;
  // What is not as the standard says, with the line; and of that, what had to be assumed about
  // where joints belong, what they are called and where they rest.
  std::vector<std::string> notes, assumed;
};

// The first HAnimHumanoid of a scene. `standard` has the names: hanim_loa4. A joint without a name
// is called by its DEF, or else joint_1, joint_2 ... by its place among all joints. NOT_FOUND if
// there is no humanoid; INVALID_ARGUMENT with the line for values that cannot be, over 1024 joints,
// or one that is used twice in the skeleton.
absl::StatusOr<Humanoid> ReadHumanoid(const Scene& scene, const skel::Rig& standard);

// A displacer's name without what H-Anim has around it: "x_jawOpen_action" is "jawOpen". x_ stands
// before what is none of the standard's, and the displacer's level behind.
absl::string_view BareDisplacer(absl::string_view name);

// Its rig, which has no shapes. The stance is a T-pose where the left upper arm lies more across
// than down, else arms down. Has limits if a joint has; those of others are half a turn each way.
skel::RigParts RigOf(const Humanoid& humanoid);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_HUMANOID_H_
