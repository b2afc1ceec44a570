#include "libs/character/smooth_normals.h"

#include <array>
#include <cmath>

#include "absl/container/flat_hash_map.h"

namespace posewire::character {

using skel::Vec3;

std::vector<uint32_t> TwinsOf(absl::Span<const Vec3> points, absl::Span<const Vec3> normals) {
  absl::flat_hash_map<std::array<float, 6>, uint32_t> first;
  first.reserve(points.size());
  std::vector<uint32_t> out(points.size());
  // Normals that differ only by rounding errors count as equal.
  const auto coarse = [](float v) { return std::round(v * 50) + 0.0f; };
  for (size_t i = 0; i < points.size(); ++i) {
    const Vec3 p = points[i], n = normals.empty() ? Vec3{} : normals[i];
    out[i] = first
                 .try_emplace(
                     {p.x + 0.0f, p.y + 0.0f, p.z + 0.0f, coarse(n.x), coarse(n.y), coarse(n.z)},
                     static_cast<uint32_t>(i))
                 .first->second;
  }
  return out;
}

std::vector<Vec3> SmoothNormals(absl::Span<const Vec3> points, absl::Span<const uint32_t> triangles,
                                absl::Span<const uint32_t> twins) {
  std::vector<Vec3> out(points.size());
  for (size_t i = 0; i + 2 < triangles.size(); i += 3) {
    const uint32_t a = triangles[i], b = triangles[i + 1], c = triangles[i + 2];
    const Vec3 n = skel::Cross(points[b] - points[a], points[c] - points[a]);
    for (const uint32_t corner : {a, b, c}) {
      Vec3& sum = out[twins[corner]];
      sum = sum + n;
    }
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (twins[i] == i) out[i] = skel::Normalized(out[i] * 1e6f);
    out[i] = out[twins[i]];
  }
  return out;
}

}  // namespace posewire::character
