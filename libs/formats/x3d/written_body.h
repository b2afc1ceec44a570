// What a written humanoid has besides joints and surfaces: limits, stiffness, sites, and motion as
// frames.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_WRITTEN_BODY_H_
#define POSEWIRE_LIBS_FORMATS_X3D_WRITTEN_BODY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/formats/x3d/joint_names.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"
#include "libs/skel/rig.h"

namespace posewire::x3d {

struct WrittenSite {
  std::string name;
  size_t joint = 0;
  skel::Vec3 place;  // in the humanoid's space
  std::optional<skel::Quat> rotation;
};

// Empty lists: unknown; else one entry per joint.
struct WrittenBody {
  std::vector<std::optional<skel::JointLimit>> limits;
  std::vector<skel::Vec3> stiffness;
  std::vector<WrittenSite> sites;
};

// Those of the standard's joints, as the built-in rig of their level has them; sites only if the
// joints rest where that rig's do.
absl::StatusOr<WrittenBody> StandardBody(const JointNames& named,
                                         const std::vector<skel::Vec3>& centers);

// Those of a character with the joints of its rig, and the sites of its file. `joint_of` has the
// written joint of each node (-1: none), and `models` the nodes at rest.
WrittenBody CharacterBody(const character::Character& of, const std::vector<int>& joint_of,
                          const std::vector<skel::Affine>& models, size_t joints);

// Returns for each node of a character whether it is written as a joint: those of its body, but no
// nameless node that nothing follows.
std::vector<bool> WrittenNodes(const character::Character& of);

// Returns whether two keys differ: by over a micrometre, or 1e-6 of a quaternion.
bool Apart(skel::Vec3 a, skel::Vec3 b);
bool Apart(skel::Quat a, skel::Quat b);

// Fields of an HAnimMotion. Rotations are about Z, X and Y, in degrees.
struct MotionFrames {
  std::string joints, channels, values;
  double frame_s = 0;
};

// Returns the frames of joints that have rotations or translations, one for each time. Joints
// without either have no channels. INVALID_ARGUMENT unless the times are at one rate.
absl::StatusOr<MotionFrames> FramesOf(const std::vector<std::string>& joints,
                                      absl::Span<const double> times_s,
                                      const std::vector<std::vector<skel::Quat>>& turns,
                                      const std::vector<std::vector<skel::Vec3>>& ways);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_WRITTEN_BODY_H_
