#include "libs/mesh/extent.h"

#include <algorithm>

namespace posewire::mesh {
namespace {

using skel::Vec3;

Vec3 Least(Vec3 a, Vec3 b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
Vec3 Most(Vec3 a, Vec3 b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }

}  // namespace

void Include(Vec3 point, std::optional<Extent>& extent) {
  if (!extent) extent = Extent{point, point};
  extent = Extent{Least(extent->low, point), Most(extent->high, point)};
}

Extent JointExtent(absl::Span<const skel::Affine> joints) {
  if (joints.empty()) return {};
  Extent out{joints[0].row[3], joints[0].row[3]};
  for (const skel::Affine& m : joints) {
    out = {Least(out.low, m.row[3]), Most(out.high, m.row[3])};
  }
  return out;
}

Extent Transformed(const Extent& extent, const skel::Affine& transform) {
  Extent out;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 p = skel::TransformPoint(transform, {corner & 1 ? extent.high.x : extent.low.x,
                                                    corner & 2 ? extent.high.y : extent.low.y,
                                                    corner & 4 ? extent.high.z : extent.low.z});
    out = corner == 0 ? Extent{p, p} : Extent{Least(out.low, p), Most(out.high, p)};
  }
  return out;
}

float ExtentPadding(const Extent& joints_at_rest, const Extent& mesh) {
  const Vec3 below = joints_at_rest.low - mesh.low, above = mesh.high - joints_at_rest.high;
  return std::max({0.0f, below.x, below.y, below.z, above.x, above.y, above.z});
}

Extent Padded(const Extent& extent, float padding) {
  const Vec3 pad{padding, padding, padding};
  return {extent.low - pad, extent.high + pad};
}

}  // namespace posewire::mesh
