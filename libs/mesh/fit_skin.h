// Fits joints and weights to moving points: a simple skin that approximates a complex animation.
//
// A film character has no weights that can be used here, or none at all. But the motion of its
// points over the frames determines a skin with few joints per point that follows them. Two steps
// alternate, and neither increases the error: weights by least squares, at most four per point,
// none negative, sum 1; then each joint's rotation and translation in each frame, by singular value
// decomposition of the residual that the other joints leave for its points. The initial transforms
// come from a clip, or from the points alone: each point belongs to the nearest bone at rest.
//
// The weights follow Skinning mesh animations (James and Twigg, SIGGRAPH 2005); the rotations and
// the number of influences follow smooth skinning decomposition with rigid bones (Le and Deng,
// SIGGRAPH Asia 2012). That few joints suffice for most of a motion is from Kavan, Sloan and
// O'Sullivan (Fast and efficient skinning of animated meshes, Eurographics 2010).
#ifndef POSEWIRE_LIBS_MESH_FIT_SKIN_H_
#define POSEWIRE_LIBS_MESH_FIT_SKIN_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::mesh {

struct JointAtRest {
  skel::Vec3 at;    // position, where the points are at rest
  int parent = -1;  // its index is lower; -1: none
};

struct FitSkinSettings {
  int influences = 4;       // per point, 1 to 8
  int candidates = 12;      // joints tried for each point, at least `influences`
  int rounds = 8;           // iterations of weights and joints, at least 1
  bool move_joints = true;  // false: the given transforms are kept
};

// Borrowed spans. Metres.
struct FitSkinInput {
  absl::Span<const skel::Vec3> rest;          // one per point
  absl::Span<const skel::Vec3> frames;        // the points of each frame, frame after frame
  absl::Span<const JointAtRest> joints;       // parents first
  absl::Span<const skel::Affine> transforms;  // SkinningTransform of each joint, frame after frame;
                                              // empty: estimated from the points
};

struct SkinError {
  double rms_m = 0, worst_m = 0;  // over all points and frames
};

struct FittedSkin {
  int per_point = 4;
  std::vector<int> indices;    // per_point for each point, heaviest first
  std::vector<float> weights;  // sum 1; 0 for unused ones
  std::vector<skel::Affine> transforms;
  std::vector<SkinError> rounds;  // after each round
};

// Fits the skin. Any thread; deterministic. `progress` (may be null) gets the number of finished
// rounds, and cancels with CANCELLED by returning false. INVALID_ARGUMENT: lengths that do not
// match, no points, frames or joints, a parent that is not before its joint, settings out of range,
// values that are not finite, or joints that neither move nor are given.
absl::StatusOr<FittedSkin> FitSkin(const FitSkinInput& input, const FitSkinSettings& settings,
                                   const std::function<bool(int)>& progress = nullptr);

// Returns the remaining error of a linear skin. Errors: see PointTransformsJob, and for other
// lengths.
absl::StatusOr<SkinError> MeasureSkin(const FitSkinInput& input, absl::Span<const int> indices,
                                      absl::Span<const float> weights, int per_point);

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_FIT_SKIN_H_
