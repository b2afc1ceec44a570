#include "libs/mesh/vertex_frames.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "libs/mesh/check_size.h"

namespace posewire::mesh {
namespace {

using skel::Vec3;
using Uv = std::array<float, 2>;

constexpr size_t kMostTried = 24;  // neighbours up to which all sets of four are tried
// Faces at a vertex that are put in order, which takes the square of their number; of more, the
// first.
constexpr size_t kMostWedges = 512;

// A face at a vertex: from the point after it to the point before it is counter-clockwise.
struct Wedge {
  int from, to;
  Uv at{}, uv_from{}, uv_to{};
};

// Neighbours in order around a vertex; closed unless it is on a border or seam.
struct Ring {
  std::vector<int> points;
  std::vector<Uv> uv;
  Uv center{};
  bool closed = false;
};

bool Follows(const Wedge& a, const Wedge& b) {
  return a.to == b.from && a.at == b.at && a.uv_to == b.uv_from;
}

// Returns the fan with the most wedges.
Ring LongestRing(const std::vector<Wedge>& wedges) {
  const auto n = wedges.size();
  std::vector<size_t> next(n, n);
  std::vector<bool> has_before(n, false), used(n, false);
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < n; ++k) {
      if (k == i || has_before[k] || !Follows(wedges[i], wedges[k])) continue;
      next[i] = k;
      has_before[k] = true;
      break;
    }
  }
  Ring best;
  size_t best_count = 0;
  for (const bool closed : {false, true}) {
    for (size_t start = 0; start < n; ++start) {
      if (used[start] || (!closed && has_before[start])) continue;
      Ring ring;
      ring.closed = closed;
      ring.center = wedges[start].at;
      size_t count = 0, last = start;
      for (size_t i = start; i < n && !used[i]; i = next[i]) {
        used[i] = true;
        ring.points.push_back(wedges[i].from);
        ring.uv.push_back(wedges[i].uv_from);
        last = i;
        ++count;
      }
      if (!closed) {
        ring.points.push_back(wedges[last].to);
        ring.uv.push_back(wedges[last].uv_to);
      }
      if (count <= best_count) continue;
      best_count = count;
      best = std::move(ring);
    }
  }
  return best;
}

// Returns the four whose angles, as fractions of a whole turn, are nearest to quarters; of equal
// ones, those that are opposite each other.
std::array<size_t, 4> NearestToQuarters(const std::vector<float>& direction, float whole) {
  std::array<size_t, 4> best{};
  float least = std::numeric_limits<float>::infinity();
  const auto square = [](float x) { return x * x; };
  const size_t n = direction.size();
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      for (size_t k = j + 1; k < n; ++k) {
        for (size_t l = k + 1; l < n; ++l) {
          const float ab = direction[j] - direction[i], bc = direction[k] - direction[j],
                      cd = direction[l] - direction[k], da = whole - ab - bc - cd;
          const float quarter = whole / 4;
          const float cost =
              square(ab - quarter) + square(bc - quarter) + square(cd - quarter) +
              square(da - quarter) +
              0.01f * (square(ab + bc - 2 * quarter) + square(bc + cd - 2 * quarter));
          if (cost >= least) continue;
          least = cost;
          best = {i, j, k, l};
        }
      }
    }
  }
  return best;
}

// Returns indices in the ring; its size means the vertex itself.
std::array<size_t, 4> PickFour(const Ring& ring, int vertex, absl::Span<const Vec3> rest) {
  const size_t n = ring.points.size();
  if (n <= 4) return {0, std::min<size_t>(1, n), std::min<size_t>(2, n), std::min<size_t>(3, n)};
  if (!ring.closed) return {0, (n - 1) / 3, (2 * (n - 1) + 1) / 3, n - 1};
  if (n == 8 || n > kMostTried) return {0, n / 4, n / 2, 3 * n / 4};
  const auto arm = [&](size_t i) {
    return skel::Normalized(rest[static_cast<size_t>(ring.points[i % n])] -
                            rest[static_cast<size_t>(vertex)]);
  };
  std::vector<float> direction(n);
  float turned = 0;
  for (size_t i = 0; i < n; ++i) {
    direction[i] = turned;
    turned += std::acos(std::clamp(skel::Dot(arm(i), arm(i + 1)), -1.0f, 1.0f));
  }
  return NearestToQuarters(direction, turned);
}

// Calls use(vertex, ring, four) for each vertex that has faces. Without UVs there is one chart.
template <typename Use>
absl::Status ForEachRing(const Faces& faces, absl::Span<const Vec3> rest, absl::Span<const Uv> uv,
                         Use use) {
  if (absl::Status s = faces.Validate(); !s.ok()) return s;
  if (absl::Status s = CheckSize("rest", rest.size(), faces.points); !s.ok()) return s;
  std::vector<std::vector<Wedge>> wedges(faces.points);
  size_t begin = 0;
  for (const int size : faces.sizes) {
    const auto n = static_cast<size_t>(size);
    for (size_t k = 0; k < n; ++k) {
      const size_t at = begin + k, after = begin + (k + 1) % n, before = begin + (k + n - 1) % n;
      Wedge wedge{faces.corners[after], faces.corners[before]};
      if (!uv.empty()) {
        wedge.at = uv[at];
        wedge.uv_from = uv[after];
        wedge.uv_to = uv[before];
      }
      std::vector<Wedge>& all = wedges[static_cast<size_t>(faces.corners[at])];
      if (all.size() < kMostWedges) all.push_back(wedge);
    }
    begin += n;
  }
  for (size_t v = 0; v < faces.points; ++v) {
    if (wedges[v].empty()) continue;
    const Ring ring = LongestRing(wedges[v]);
    use(v, ring, PickFour(ring, static_cast<int>(v), rest));
  }
  return absl::OkStatus();
}

FourNeighbours PointsOf(const Ring& ring, const std::array<size_t, 4>& four, size_t vertex) {
  FourNeighbours out{};
  for (size_t k = 0; k < 4; ++k) {
    out[k] = four[k] < ring.points.size() ? ring.points[four[k]] : static_cast<int>(vertex);
  }
  return out;
}

FourNeighbours Itself(size_t vertex) {
  const int v = static_cast<int>(vertex);
  return {v, v, v, v};
}

// Returns A - C and B - D.
std::array<Vec3, 2> Differences(absl::Span<const Vec3> points, const FourNeighbours& at) {
  const auto point = [&](size_t k) { return points[static_cast<size_t>(at[k])]; };
  return {point(0) - point(2), point(1) - point(3)};
}

}  // namespace

absl::StatusOr<std::vector<FourNeighbours>> FindNeighbours(const Faces& faces,
                                                           absl::Span<const Vec3> rest) {
  std::vector<FourNeighbours> out(faces.points);
  for (size_t v = 0; v < out.size(); ++v) out[v] = Itself(v);
  const absl::Status s = ForEachRing(
      faces, rest, {},
      [&](size_t v, const Ring& ring, const auto& four) { out[v] = PointsOf(ring, four, v); });
  if (!s.ok()) return s;
  return out;
}

absl::StatusOr<std::vector<TangentRule>> FindTangents(const Faces& faces,
                                                      absl::Span<const Vec3> rest,
                                                      absl::Span<const Uv> uv) {
  if (absl::Status s = CheckSize("uv", uv.size(), faces.corners.size()); !s.ok()) return s;
  std::vector<TangentRule> out(faces.points);
  for (size_t v = 0; v < out.size(); ++v) out[v].at = Itself(v);
  const absl::Status s =
      ForEachRing(faces, rest, uv, [&](size_t v, const Ring& ring, const auto& four) {
        const auto at = [&](size_t k) {
          return four[k] < ring.uv.size() ? ring.uv[four[k]] : ring.center;
        };
        const Uv a = at(0), b = at(1), c = at(2), d = at(3);
        const float det = (a[0] - c[0]) * (b[1] - d[1]) - (a[1] - c[1]) * (b[0] - d[0]);
        const float sign = det > 0 ? 1.0f : det < 0 ? -1.0f : 0.0f;
        out[v] = {PointsOf(ring, four, v), sign * (b[1] - d[1]), -sign * (a[1] - c[1])};
      });
  if (!s.ok()) return s;
  return out;
}

absl::Status VertexFramesJob::Run() const {
  if (neighbours.size() != out_normals.size() || tangents.size() != out_tangents.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("neighbours and tangents have ", neighbours.size(), " and ", tangents.size(),
                     " entries, expected ", out_normals.size(), " and ", out_tangents.size()));
  }
  for (size_t i = 0; i < neighbours.size(); ++i) {
    const auto [ac, bd] = Differences(points, neighbours[i]);
    out_normals[i] = skel::Normalized(skel::Cross(ac, bd));
  }
  for (size_t i = 0; i < tangents.size(); ++i) {
    const auto [ac, bd] = Differences(points, tangents[i].at);
    out_tangents[i] = skel::Normalized(ac * tangents[i].a + bd * tangents[i].b);
  }
  return absl::OkStatus();
}

}  // namespace posewire::mesh
