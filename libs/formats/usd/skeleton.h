// UsdSkel's skeletons, animations and bindings, in our space: metres, Y up.
//
// Where a skeleton stands is folded into its root joints, and its unit into the lengths of its
// bones, so that a pose needs nothing but its joints. Joints are told apart by their whole paths;
// an animation may have others, or fewer, in any order, and what it does not move stays at rest.
#ifndef POSEWIRE_LIBS_FORMATS_USD_SKELETON_H_
#define POSEWIRE_LIBS_FORMATS_USD_SKELETON_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/usd/stage.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::usd {

using JointPlace = skel::Trs;

struct Skeleton {
  int prim = -1;                    // -1: of an animation that no skeleton is bound to
  int animation = -1;               // the prim that moves it, or -1
  std::vector<std::string> joints;  // as the file names them
  // Paths for streams: of jointNames where the file has them.
  std::vector<std::string> names;
  std::vector<int> parents;
  std::vector<JointPlace> rest;
  // What takes its space into ours, at the first time.
  skel::Trs space;
  // What takes points at bind, in the stage's units, into the joints' spaces; empty without
  // bindTransforms.
  std::vector<skel::Affine> inverse_bind;
  std::vector<std::string> warnings;
};

// The skeletons of a stage that are defined, in its order, with what moves them: the
// skel:animationSource that the Skeleton inherits, or else of where it is bound. INVALID_ARGUMENT
// begins with the line: over 1024 joints, parents behind their children, paths that are there
// twice.
absl::StatusOr<std::vector<Skeleton>> ReadSkeletons(const Stage& stage);
// An animation alone, as if its joints were a skeleton, at rest as at its first time.
absl::StatusOr<Skeleton> SkeletonOfAnimation(const Stage& stage, int animation);

// The parent of each joint: the nearest path above it that is listed; -1 for none.
std::vector<int> ParentsOf(const std::vector<std::string>& joints);

// Maps names of one list to places in another, -1 for those that it lacks; of names that are there
// twice the last counts.
std::vector<int> MapNames(const std::vector<std::string>& from, const std::vector<std::string>& to);

// The poses of a skeleton that an animation moves. Both must outlive this; one thread.
class SkeletonMotion {
 public:
  SkeletonMotion(const Stage& stage, const Skeleton& skeleton);

  // That of rest where the animation does not say all of translations, rotations and scales.
  // Scales are by those at rest.
  const std::vector<JointPlace>& PoseAt(double time);
  bool moves_joints() const { return moves_; }

  // Of the animation, and the weights of these at a time: none where their number is not right.
  const std::vector<std::string>& shapes() const { return *shapes_; }
  std::vector<double> WeightsAt(double time) const;

  // The times at which a part of the pose has a key, ascending; one, kEarliest, for what is the
  // same at all times. Of the attributes translations, rotations, scales, blendShapeWeights.
  std::vector<double> Times(absl::string_view attribute) const;

 private:
  const Stage& stage_;
  const Skeleton& skeleton_;
  bool moves_ = false;
  std::vector<int> to_skeleton_;  // of the animation's joints
  const std::vector<std::string>* shapes_;
  std::vector<JointPlace> file_rest_;  // in the file's units, without where it stands
  std::vector<JointPlace> pose_;
};

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_SKELETON_H_
