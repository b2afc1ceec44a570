#include "libs/character/mirrored_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace posewire::character {
namespace {

using skel::Vec3;

float& Along(Vec3& v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

Vec3 Flipped(Vec3 v, int axis) {
  Along(v, axis) = -Along(v, axis);
  return v;
}

// Points in cells of the tolerance's size, so that a neighbour is in one of 27 cells.
class PointGrid {
 public:
  PointGrid(absl::Span<const Vec3> points, float cell) : points_(points), cell_(cell) {
    for (size_t i = 0; i < points.size(); ++i) {
      cells_[CellOf(points[i])].push_back(static_cast<uint32_t>(i));
    }
  }

  uint32_t Nearest(Vec3 at) const {
    uint32_t best = MirroredPoints::kNone;
    float nearest = cell_;
    const Cell middle = CellOf(at);
    for (int64_t x = -1; x <= 1; ++x) {
      for (int64_t y = -1; y <= 1; ++y) {
        for (int64_t z = -1; z <= 1; ++z) {
          const auto found = cells_.find({middle[0] + x, middle[1] + y, middle[2] + z});
          if (found == cells_.end()) continue;
          for (const uint32_t i : found->second) {
            const float away = skel::Length(points_[i] - at);
            if (away >= nearest) continue;
            nearest = away;
            best = i;
          }
        }
      }
    }
    return best;
  }

 private:
  using Cell = std::array<int64_t, 3>;
  Cell CellOf(Vec3 p) const {
    const auto of = [&](float v) { return static_cast<int64_t>(std::floor(v / cell_)); };
    return {of(p.x), of(p.y), of(p.z)};
  }

  absl::Span<const Vec3> points_;
  const float cell_;
  absl::flat_hash_map<Cell, std::vector<uint32_t>> cells_;
};

}  // namespace

MirroredPoints::MirroredPoints(absl::Span<const Vec3> rest)
    : images_(rest.size(), kNone), offsets_(rest.size()), shares_(rest.size()) {
  if (rest.empty()) return;
  Vec3 low = rest[0], high = rest[0];
  for (const Vec3 p : rest) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const Vec3 size = high - low;
  const float cell = kTolerance * std::max({size.x, size.y, size.z});
  if (!(cell > 0) || !std::isfinite(cell)) return;
  const PointGrid grid(rest, cell);
  ptrdiff_t most = -1;
  std::vector<uint32_t> found(rest.size());
  for (int axis = 0; axis < 3; ++axis) {
    for (size_t i = 0; i < rest.size(); ++i) found[i] = grid.Nearest(Flipped(rest[i], axis));
    const ptrdiff_t paired =
        static_cast<ptrdiff_t>(rest.size()) - std::count(found.begin(), found.end(), kNone);
    if (paired <= most) continue;
    most = paired;
    axis_ = axis;
    images_ = found;
  }
  symmetric_ = static_cast<double>(most) >= 0.5 * static_cast<double>(rest.size());
}

void MirroredPoints::Mirror(absl::Span<Vec3> offsets, absl::Span<float> shares) {
  std::copy(offsets.begin(), offsets.end(), offsets_.begin());
  std::copy(shares.begin(), shares.end(), shares_.begin());
  for (size_t i = 0; i < images_.size(); ++i) {
    if (images_[i] == kNone) {
      shares[i] = 0;
      continue;
    }
    offsets[i] = Flipped(offsets_[images_[i]], axis_);
    shares[i] = shares_[images_[i]];
  }
}

}  // namespace posewire::character
