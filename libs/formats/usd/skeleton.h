// UsdSkel's skeletons, animations and bindings, converted to our space: metres, Y up.
//
// A skeleton's place is merged into its root joints, and its unit into the lengths of its bones, so
// that a pose needs only its joints. A skeleton that is stretched, mirrored or at first without
// size gets a joint of that scale above its roots, with the name of its prim. Joints are identified
// by their whole paths. An animation may have others, or fewer, in any order; joints that it does
// not move stay at rest.
#ifndef POSEWIRE_LIBS_FORMATS_USD_SKELETON_H_
#define POSEWIRE_LIBS_FORMATS_USD_SKELETON_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/usd/stage.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::usd {

using JointPlace = skel::Trs;

// A skeleton instance: a Skeleton, and the animation that moves it where it is bound.
struct Skeleton {
  int prim = -1;                    // -1: an animation without a skeleton
  int animation = -1;               // the prim that moves it, or -1
  std::vector<int> sites;           // the prims that bind it (skel:skeleton); empty: none does
  std::vector<std::string> joints;  // as the file names them; of the joint above its roots ""
  int added = 0;                    // joints before those of the file: that one
  // Paths for streams: jointNames if the file has them.
  std::vector<std::string> names;
  std::vector<int> parents;
  std::vector<JointPlace> rest;
  // When its place is that at rest: the first time, or if it has no size then, the first with one.
  double rest_time = kEarliest;
  // From its space to ours, at that time.
  skel::Trs space;
  // From points at bind, in the stage's units, to the joints' spaces; empty without bindTransforms.
  std::vector<skel::Affine> inverse_bind;
  std::vector<std::string> warnings;
  // Whether its points have their left and right swapped.
  bool mirrored() const {
    const skel::Vec3 s = added > 0 ? rest[0].scale : skel::Vec3{1, 1, 1};
    return s.x * s.y * s.z < 0;
  }

  // Moves everything after the stage's own transforms: see PutInto.
  skel::Affine onto;
};

// Bindings outside a SkelRoot have no meaning in UsdSkel.
struct BindingRules {
  bool outside_skel_root = false;  // they count too
};

// Returns the SkelRoot that encloses a prim, the topmost of several; -1: none.
int SkelRootOf(const Stage& stage, int prim);
// Returns true for a prim that is this one or below it.
bool IsBelow(const Stage& stage, int prim, int above);

struct SkeletonInstances {
  // All defined Skeletons, in order. Bound with different animations, a Skeleton is several
  // instances, next to each other in the order of their bindings.
  std::vector<Skeleton> all;
  // Names the prims whose bindings are ignored, and the flag that sets the rule; "" if none.
  std::string ignored;

  absl::flat_hash_map<int, int> by_site;  // indices in `all`

  // Returns the index of the instance that is bound at a prim, as it or one above says; -1: none.
  int BoundAt(const Stage& stage, int prim) const;
};

// An instance moves by the skel:animationSource that its binding inherits, or else its Skeleton; a
// source between the two is nearer, and goes first. INVALID_ARGUMENT begins with the line: over
// 1024 joints, parents after their children, duplicate paths. RESOURCE_EXHAUSTED: the instances
// have too many joints, or too long names of them.
absl::StatusOr<SkeletonInstances> ReadSkeletons(const Stage& stage, const BindingRules& rules = {});
// Returns an animation alone, as if its joints were a skeleton whose rest pose is its first pose.
absl::StatusOr<Skeleton> SkeletonOfAnimation(const Stage& stage, int animation);

// Reads the skeleton and its poses in another space, without a scale: that of a character's place.
void PutInto(const skel::Affine& space, Skeleton& skeleton);

// Returns the parent of each joint: the nearest listed path above it; -1 for none.
std::vector<int> ParentsOf(const std::vector<std::string>& joints);

// Maps names of one list to indices in another, -1 for missing ones; of duplicate names, uses the
// last.
std::vector<int> MapNames(const std::vector<std::string>& from, const std::vector<std::string>& to);

// The animated poses of a skeleton. Both must outlive this. One thread.
class SkeletonMotion {
 public:
  SkeletonMotion(const Stage& stage, const Skeleton& skeleton);

  // Returns the rest pose if the animation does not have all of translations, rotations and scales.
  // Scales are relative to those at rest.
  const std::vector<JointPlace>& PoseAt(double time);
  bool moves_joints() const { return moves_; }

  // The animation's shapes, and their weights at a time: none if their number does not match.
  const std::vector<std::string>& shapes() const { return *shapes_; }
  std::vector<double> WeightsAt(double time) const;

  // The times at which a part of the pose has a key, ascending; one, kEarliest, if it never
  // changes. `attribute` is translations, rotations, scales or blendShapeWeights.
  std::vector<double> Times(absl::string_view attribute) const;

 private:
  const Stage& stage_;
  const Skeleton& skeleton_;
  bool moves_ = false;
  std::vector<int> to_skeleton_;  // of the animation's joints
  const std::vector<std::string>* shapes_;
  float rest_scale_ = 0;  // of its place at rest, if a joint above its roots moves by it
  std::vector<JointPlace> file_rest_;  // in the file's units, without its place
  std::vector<JointPlace> pose_;
};

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_SKELETON_H_
