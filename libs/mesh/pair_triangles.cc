#include "libs/mesh/pair_triangles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace posewire::mesh {
namespace {

using skel::Vec3;

// Largest deviation of a corner from a right angle, as a cosine: about 30 to 150 degrees.
constexpr float kMostCosine = 0.87f;
// Smallest cosine between the normals of both triangles: about 50 degrees.
constexpr float kLeastFlat = 0.64f;
// The file counts as ordered if at least one in this many triangles follows its other half.
constexpr std::ptrdiff_t kInOrder = 4;

struct Pair {
  float cost = 0;
  uint32_t first = 0, second = 0;  // triangles
  std::array<uint32_t, 4> quad{};
};

// Returns 0 for all right angles; above 1: not a quad.
float CostOf(absl::Span<const Vec3> points, const std::array<uint32_t, 4>& quad) {
  const auto at = [&](size_t k) { return points[quad[k % 4]]; };
  const Vec3 a = skel::Cross(at(1) - at(0), at(2) - at(0)),
             b = skel::Cross(at(2) - at(0), at(3) - at(0));
  if (!(skel::Dot(skel::Normalized(a), skel::Normalized(b)) > kLeastFlat)) return 2;
  float worst = 0;
  for (size_t k = 0; k < 4; ++k) {
    const Vec3 on = skel::Normalized(at(k + 1) - at(k)), back = skel::Normalized(at(k + 3) - at(k));
    // A convex quad turns the same way at each corner.
    if (skel::Dot(skel::Cross(on, back), a + b) <= 0) return 2;
    worst = std::max(worst, std::fabs(skel::Dot(on, back)));
  }
  return worst / kMostCosine;
}

std::vector<Pair> PairsOf(absl::Span<const Vec3> points, absl::Span<const uint32_t> triangles) {
  // By the edge in the triangle's direction: the triangle, and its corner before the edge.
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, std::pair<uint32_t, uint32_t>> edges;
  edges.reserve(triangles.size());
  std::vector<Pair> out;
  const auto count = static_cast<uint32_t>(triangles.size() / 3);
  for (uint32_t t = 0; t < count; ++t) {
    const uint32_t* const v = &triangles[size_t{3} * t];
    for (size_t k = 0; k < 3; ++k) {
      const uint32_t a = v[k], b = v[(k + 1) % 3], apex = v[(k + 2) % 3];
      if (const auto twin = edges.find({b, a}); twin != edges.end()) {
        const auto [other, other_apex] = twin->second;
        const std::array<uint32_t, 4> quad = {a, other_apex, b, apex};
        const float cost = CostOf(points, quad);
        if (cost <= 1) out.push_back({cost, other, t, quad});
      }
      edges.try_emplace({a, b}, t, apex);
    }
  }
  // In an unordered file, consecutive triangles are neighbours only by chance.
  const auto follows = [](const Pair& pair) { return pair.first + 1 == pair.second; };
  if (std::count_if(out.begin(), out.end(), follows) * kInOrder >= std::ptrdiff_t{count}) {
    for (Pair& pair : out) pair.cost -= follows(pair) ? 2.0f : 0.0f;
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Pair& a, const Pair& b) { return a.cost < b.cost; });
  return out;
}

}  // namespace

Faces PairTriangles(absl::Span<const Vec3> points, absl::Span<const uint32_t> triangles) {
  Faces out;
  out.points = points.size();
  const auto add = [&out](absl::Span<const uint32_t> corners) {
    out.sizes.push_back(static_cast<int>(corners.size()));
    for (const uint32_t c : corners) out.corners.push_back(static_cast<int>(c));
  };
  const std::vector<Pair> pairs = PairsOf(points, triangles);
  constexpr uint32_t kAlone = std::numeric_limits<uint32_t>::max();
  std::vector<uint32_t> pair_of(triangles.size() / 3, kAlone);
  for (uint32_t i = 0; i < pairs.size(); ++i) {
    uint32_t &first = pair_of[pairs[i].first], &second = pair_of[pairs[i].second];
    if (first == kAlone && second == kAlone) first = second = i;
  }
  for (uint32_t t = 0; t < pair_of.size(); ++t) {
    const absl::Span<const uint32_t> v = triangles.subspan(size_t{3} * t, 3);
    if (pair_of[t] != kAlone) {
      if (pairs[pair_of[t]].first == t) add(pairs[pair_of[t]].quad);
    } else if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0]) {
      add(v);
    }
  }
  return out;
}

}  // namespace posewire::mesh
