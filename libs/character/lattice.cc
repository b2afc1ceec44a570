#include "libs/character/lattice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

namespace posewire::character {
namespace {

using skel::Affine;
using skel::Vec3;

constexpr float kLeastValue = 1e-6f;

using Basis = std::array<float, Lattice::kMostDivisions + 1>;

// Writes the Bernstein polynomials of `degree` at t, by de Casteljau's scheme.
void Bernstein(int degree, float t, Basis& out) {
  out[0] = 1;
  for (int n = 1; n <= degree; ++n) {
    float above = 0;
    for (int k = 0; k < n; ++k) {
      const float from = out[static_cast<size_t>(k)];
      out[static_cast<size_t>(k)] = above + (1 - t) * from;
      above = t * from;
    }
    out[static_cast<size_t>(n)] = above;
  }
}

constexpr size_t kMostControls =
    (Lattice::kMostDivisions + 1) * (Lattice::kMostDivisions + 1) * (Lattice::kMostDivisions + 1);

// A control point away from its place.
struct Pulled {
  std::array<uint8_t, 3> at{};
  Vec3 by;
};

// Sums the pushes of each control point; returns how many are in `out`.
size_t PulledOf(const Lattice& lattice, absl::Span<const float> values,
                std::array<Pulled, kMostControls>& out) {
  std::array<int16_t, kMostControls> place;
  place.fill(-1);
  size_t count = 0;
  for (size_t m = 0; m < values.size(); ++m) {
    if (std::fabs(values[m]) < kLeastValue) continue;
    for (const Lattice::Push& push : lattice.moves[m].pushes) {
      constexpr size_t kSide = Lattice::kMostDivisions + 1;
      int16_t& at = place[(push.at[2] * kSide + push.at[1]) * kSide + push.at[0]];
      if (at < 0) {
        at = static_cast<int16_t>(count);
        out[count++] = {push.at, {}};
      }
      Vec3& by = out[static_cast<size_t>(at)].by;
      by = by + push.by * values[m];
    }
  }
  return count;
}

bool IsOf(const Lattice& lattice, size_t mesh) {
  return lattice.meshes.empty() ||
         std::binary_search(lattice.meshes.begin(), lattice.meshes.end(), static_cast<int>(mesh));
}

}  // namespace

void ApplyLattice(const Lattice& lattice, const Affine& node, absl::Span<const float> values,
                  const PointSkin& skin, absl::Span<Vec3> points) {
  std::array<Pulled, kMostControls> pulled;
  const size_t count = PulledOf(lattice, values, pulled);
  if (count == 0) return;
  const std::optional<Affine> into_box = skel::Inverse(node);
  if (!into_box) return;  // the node has no size
  const Vec3 size = lattice.high - lattice.low;
  std::array<Basis, 3> basis;
  for (size_t k = 0; k < skin.meshes().size(); ++k) {
    if (!IsOf(lattice, skin.meshes()[k])) continue;
    const size_t end = k + 1 < skin.first().size() ? skin.first()[k + 1] : points.size();
    for (size_t i = skin.first()[k]; i < end; ++i) {
      const Vec3 at = skel::TransformPoint(*into_box, points[i]) - lattice.low;
      const std::array<float, 3> place = {at.x / size.x, at.y / size.y, at.z / size.z};
      if (!std::all_of(place.begin(), place.end(), [](float t) { return t >= 0 && t <= 1; })) {
        continue;
      }
      for (size_t axis = 0; axis < 3; ++axis) {
        Bernstein(lattice.divisions[axis], place[axis], basis[axis]);
      }
      Vec3 moved;
      for (size_t c = 0; c < count; ++c) {
        const auto [x, y, z] = pulled[c].at;
        moved = moved + pulled[c].by * (basis[0][x] * basis[1][y] * basis[2][z]);
      }
      points[i] = points[i] + skel::TransformVector(node, moved);
    }
  }
}

}  // namespace posewire::character
