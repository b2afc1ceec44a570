// Offsets: the difference between a complex character and a simple rig, and the way back.
//
// A film character is deformed by muscles, cloth, correctives and lattices, which are too slow for
// real time. But however its points v" were made, they are the points p = v S of a simple rig plus
// a small offset: with S the transform that the skin blends for a point v, v" = (v + o) S for the
// offset o = v" S^-1 - v = (v" - p) S^-1, with the rotation and stretch of S alone. Offsets are
// computed once per frame and point (baked), in the space before skinning, so that they rotate with
// the limb, can be blended with the clips that they belong to, and are small.
//
// The simple rig may have shapes: v is then the point that they have moved.
//
// S comes from linear blend or dual quaternion skinning. Where its inverse would lose precision,
// for example at a collapsed elbow, the transform of the joint with the greatest weight replaces
// it, in both directions.
#ifndef POSEWIRE_LIBS_MESH_OFFSETS_H_
#define POSEWIRE_LIBS_MESH_OFFSETS_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/mesh/skin_job.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::mesh {

// Computes the transform S of each point, as SkinJob moves it: geom_bind, then the blend of
// `transforms` (SkinningTransform: R^-1 M) by its influences; weights are used as given. Set the
// fields, then call Run(). Linear does not allocate; any thread.
struct PointTransformsJob {
  SkinningMethod method = SkinningMethod::kClassicLinear;
  absl::Span<const skel::Affine> transforms;
  absl::Span<const int> indices;  // per_point for each of `out`
  absl::Span<const float> weights;
  int per_point = 4;
  skel::Affine geom_bind;
  absl::Span<skel::Affine> out;
  // Receives the points whose blend is singular, or too nearly so to be inverted in floats (the
  // norms of matrix and inverse multiply to more than 200; 3 is a rotation's). These move with the
  // joint of greatest weight, or stay if that is singular too. May be null.
  std::vector<size_t>* singular = nullptr;

  // INVALID_ARGUMENT: lengths that do not match, or an index that is not a joint.
  absl::Status Validate() const;
  // Writes nothing if Validate() fails.
  absl::Status Run() const;
};

// Computes o = (v" - p) S^-1, in metres of the space before skinning. Set the fields, then call
// Run(). No allocation; any thread. `out` may be `complex`.
struct OffsetsJob {
  absl::Span<const skel::Affine> transforms;  // S of each point, from PointTransformsJob
  absl::Span<const skel::Vec3> simple;        // p, the points of the simple rig in that pose
  absl::Span<const skel::Vec3> complex;       // v"
  absl::Span<skel::Vec3> out;

  // INVALID_ARGUMENT: lengths that do not match.
  absl::Status Validate() const;
  // INVALID_ARGUMENT also for a transform that cannot be inverted (named).
  absl::Status Run() const;
};

// The offsets of one clip at one frame, and its weight: `weight` times the share of each point,
// which is 1 without shares.
struct WeighedOffsets {
  absl::Span<const skel::Vec3> offsets;  // one per point
  float weight = 1;
  absl::Span<const float> shares = {};  // one per point, or empty
};

// Computes v" = p + (sum of weight * o) S. Set the fields, then call Run(). No allocation; any
// thread. `out` may be `simple`.
struct ReconstructJob {
  absl::Span<const skel::Affine> transforms;
  absl::Span<const skel::Vec3> simple;
  absl::Span<const WeighedOffsets> clips;
  absl::Span<skel::Vec3> out;

  // INVALID_ARGUMENT: lengths that do not match.
  absl::Status Validate() const;
  absl::Status Run() const;
};

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_OFFSETS_H_
