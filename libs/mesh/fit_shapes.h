// Fits blend shapes to moving points whose weights are known: a face from examples.
#ifndef POSEWIRE_LIBS_MESH_FIT_SHAPES_H_
#define POSEWIRE_LIBS_MESH_FIT_SHAPES_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/skel/math.h"

namespace posewire::mesh {

// Borrowed spans.
struct FitShapesInput {
  // What the shapes have to add to each point before skinning: point after point, frame after
  // frame.
  absl::Span<const skel::Vec3> offsets;
  absl::Span<const float> weights;  // of each shape, frame after frame
  size_t points = 0, shapes = 0;
};

// Returns the offsets d of each shape at full strength, one per point, shape after shape, for which
// the sum of weight * d comes nearest to the given offsets: least squares, with the offsets of
// shapes that always appear together held small (ridge regression). Points are independent of each
// other. INVALID_ARGUMENT for lengths that do not match.
absl::StatusOr<std::vector<skel::Vec3>> FitShapes(const FitShapesInput& input);

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_FIT_SHAPES_H_
