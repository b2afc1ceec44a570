// Joints and weights for points that move: a simple skin that comes near a complex animation.
//
// A film's character has no weights that we could use, or none at all. But its points over the
// frames say how they move, and a skin of few joints a point can be found that follows them. Two
// steps take turns, and neither makes the distance larger: weights by least squares, at most four a
// point, none negative, sum 1; then each joint's turn and way in each frame, by the singular values
// of what the other joints leave of its points. Where joints begin comes from a clip, or from the
// points alone: each belongs to the nearest bone at rest.
//
// Skinning mesh animations (James and Twigg, SIGGRAPH 2005) has the weights; smooth skinning
// decomposition with rigid bones (Le and Deng, SIGGRAPH Asia 2012) the turns and the number of
// influences; that few joints are enough for most of a motion, Kavan, Sloan and O'Sullivan (Fast
// and efficient skinning of animated meshes, Eurographics 2010).
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
  skel::Vec3 at;    // where the points are at rest
  int parent = -1;  // before it; -1: none
};

struct FitSkinSettings {
  int influences = 4;       // a point, 1 to 8
  int candidates = 12;      // joints that are tried for a point, at least `influences`
  int rounds = 8;           // of weights and joints, at least 1
  bool move_joints = true;  // else they stay as they are given
};

// Borrowed. Metres.
struct FitSkinInput {
  absl::Span<const skel::Vec3> rest;          // one a point
  absl::Span<const skel::Vec3> frames;        // the points of each frame, frame after frame
  absl::Span<const JointAtRest> joints;       // parents first
  absl::Span<const skel::Affine> transforms;  // SkinningTransform of each joint, frame after frame;
                                              // empty: found from the points
};

struct SkinError {
  double rms_m = 0, worst_m = 0;  // over all points and frames
};

struct FittedSkin {
  int per_point = 4;
  std::vector<int> indices;    // per_point for each point, heaviest first
  std::vector<float> weights;  // sum 1; 0 for what is not needed
  std::vector<skel::Affine> transforms;
  std::vector<SkinError> rounds;  // after each
};

// Any thread; deterministic. `progress` gets the rounds that are done, may be null, and ends the
// search by false: CANCELLED. INVALID_ARGUMENT: lengths that do not agree, no points, frames or
// joints, a parent that is not before its joint, settings out of range, values that are not finite,
// or joints that neither move nor are given.
absl::StatusOr<FittedSkin> FitSkin(const FitSkinInput& input, const FitSkinSettings& settings,
                                   const std::function<bool(int)>& progress = nullptr);

// What a linear skin leaves. Errors as of PointTransformsJob and for other lengths.
absl::StatusOr<SkinError> MeasureSkin(const FitSkinInput& input, absl::Span<const int> indices,
                                      absl::Span<const float> weights, int per_point);

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_FIT_SKIN_H_
