// Bounding boxes of skeletons and of meshes skinned to them, as UsdSkel computes them.
#ifndef POSEWIRE_LIBS_MESH_EXTENT_H_
#define POSEWIRE_LIBS_MESH_EXTENT_H_

#include <optional>

#include "absl/types/span.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::mesh {

struct Extent {
  skel::Vec3 low, high;
};

// Includes a point in bounds; nothing: none yet.
void Include(skel::Vec3 point, std::optional<Extent>& extent);

// Bounds the joints' positions (from their transforms), without padding; zeros for no joints.
Extent JointExtent(absl::Span<const skel::Affine> joints);

// Returns the axis-aligned bounding box of `extent` after `transform`.
Extent Transformed(const Extent& extent, const skel::Affine& transform);

// Returns how far a mesh reaches past the joints at rest, on the side where this is greatest; at
// least 0.
float ExtentPadding(const Extent& joints_at_rest, const Extent& mesh);

// Returns `extent`, grown by `padding` on every side.
Extent Padded(const Extent& extent, float padding);

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_EXTENT_H_
