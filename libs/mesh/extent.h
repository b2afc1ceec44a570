// Boxes round skeletons and the meshes skinned to them, as UsdSkel computes them.
#ifndef POSEWIRE_LIBS_MESH_EXTENT_H_
#define POSEWIRE_LIBS_MESH_EXTENT_H_

#include "absl/types/span.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::mesh {

struct Extent {
  skel::Vec3 low, high;
};

// Round the joints' positions (from their transforms), without padding; zeros for no joints.
Extent JointExtent(absl::Span<const skel::Affine> joints);

// Round the box `extent` after `transform`, axis-aligned.
Extent Transformed(const Extent& extent, const skel::Affine& transform);

// How far a mesh reaches past the joints at rest, on the side where it is most; at least 0.
float ExtentPadding(const Extent& joints_at_rest, const Extent& mesh);

// `extent`, grown by `padding` on every side.
Extent Padded(const Extent& extent, float padding);

}  // namespace posewire::mesh

#endif  // POSEWIRE_LIBS_MESH_EXTENT_H_
