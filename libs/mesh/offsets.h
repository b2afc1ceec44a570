// What a simple skin lacks to look like a complex character, and the way back.
//
// A film's character is deformed by muscles, cloth, correctives and lattices, which no live picture
// can afford. But whatever made its points v", they are a simple skin's points and a little: with S
// the transform that the skin blends for a point, v" = (v + o) S for the offset o = v" S^-1 - v.
// Offsets are made once a frame and point (bake), and lie in the space before skinning, so that
// they turn with the limb, can be blended with the clips that they belong to, and are small.
// S comes from linear blend or dual quaternion skinning. Where its inverse would lose digits, a
// collapsed elbow say, the joint of greatest weight stands in for it, on both ways.
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

// The transform S of each point, as SkinJob moves it: geom_bind, then the blend of `transforms`
// (SkinningTransform: R^-1 M) by its influences; weights are used as given. Fill in, Run(). Linear
// does not allocate; any thread.
struct PointTransformsJob {
  SkinningMethod method = SkinningMethod::kClassicLinear;
  absl::Span<const skel::Affine> transforms;
  absl::Span<const int> indices;  // per_point for each of `out`
  absl::Span<const float> weights;
  int per_point = 4;
  skel::Affine geom_bind;
  absl::Span<skel::Affine> out;
  // Gets the points whose blend is singular, or so near it that floats could not invert it (the
  // norms of matrix and inverse multiply to more than 200; 3 is a rotation's). They move with the
  // joint of greatest weight, or stay if that is singular too. May be null.
  std::vector<size_t>* singular = nullptr;

  // INVALID_ARGUMENT: lengths that do not agree, or an index that is not a joint.
  absl::Status Validate() const;
  // Writes nothing if Validate() fails.
  absl::Status Run() const;
};

// o = v" S^-1 - v, in metres of the space before skinning. Fill in, Run(). No allocation; any
// thread.
struct OffsetsJob {
  absl::Span<const skel::Affine> transforms;  // S of each point: PointTransformsJob's
  absl::Span<const skel::Vec3> points;        // v, as the simple skin takes it
  absl::Span<const skel::Vec3> complex;       // v"
  absl::Span<skel::Vec3> out;

  // INVALID_ARGUMENT: lengths that do not agree.
  absl::Status Validate() const;
  // INVALID_ARGUMENT also for a transform that cannot be inverted (named).
  absl::Status Run() const;
};

// The offsets of one clip at one frame, and how much of the clip is shown: `weight` times the share
// of each point, which is 1 where there are no shares.
struct WeighedOffsets {
  absl::Span<const skel::Vec3> offsets;  // one a point
  float weight = 1;
  absl::Span<const float> shares = {};  // one a point, or none
};

// v" = (v + sum of x o) S. Fill in, Run(). No allocation; any thread. `out` may be `points`.
struct ReconstructJob {
  absl::Span<const skel::Affine> transforms;
  absl::Span<const skel::Vec3> points;
  absl::Span<const WeighedOffsets> clips;
  absl::Span<skel::Vec3> out;

  // INVALID_ARGUMENT: lengths that do not agree.
  absl::Status Validate() const;
  absl::Status Run() const;
};

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_OFFSETS_H_
