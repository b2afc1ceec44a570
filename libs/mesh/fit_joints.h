// Finds where the joints of a skeleton belong: the rest positions with which a skin follows points
// best while each joint keeps its rotations.
//
// A clip says how joints turn, but a skeleton of other proportions turns them about the wrong
// centres. Where a joint is at rest enters the skin linearly. If joint k moves by d_k at rest, its
// transforms and those of all below it move by d_k (Q_p - Q_k), with the rotations Q of its parent
// and its own from rest to frame; above a root is the world, which does not turn. So all positions
// follow from one system of equations.
#ifndef POSEWIRE_LIBS_MESH_FIT_JOINTS_H_
#define POSEWIRE_LIBS_MESH_FIT_JOINTS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/mesh/fit_skin.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::mesh {

// Returns how far each joint moves at rest for the least error (least squares) over all points and
// frames of `input`, whose transforms are required, with these weights. A root that moves takes the
// places of its clip with it. `hold` is how strongly joints stay where the motion leaves that open,
// such as along the axis of a hinge: the mean squared turn against the parent, in radians, at which
// motion and given place count alike.
// Errors: those of MeasureSkin.
absl::StatusOr<std::vector<skel::Vec3>> FitJoints(const FitSkinInput& input,
                                                  absl::Span<const int> indices,
                                                  absl::Span<const float> weights, int per_point,
                                                  double hold = 0.004);

// Moves joints at rest: changes the transforms of all frames accordingly. INVALID_ARGUMENT for
// lengths that do not match, or a parent that is not before its joint.
absl::Status ShiftJoints(absl::Span<const JointAtRest> joints, absl::Span<const skel::Vec3> shifts,
                         absl::Span<skel::Affine> transforms);

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_FIT_JOINTS_H_
