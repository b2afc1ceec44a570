#include "libs/graph/triangulation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace posewire::graph {
namespace {

double Cross(PlanePoint a, PlanePoint b, PlanePoint c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

double Extent(const std::vector<PlanePoint>& points) {
  double low_x = points[0].x, high_x = low_x, low_y = points[0].y, high_y = low_y;
  for (const PlanePoint& p : points) {
    low_x = std::min(low_x, p.x), high_x = std::max(high_x, p.x);
    low_y = std::min(low_y, p.y), high_y = std::max(high_y, p.y);
  }
  return std::max(high_x - low_x, high_y - low_y);
}

}  // namespace

Triangulation::Triangulation(std::vector<PlanePoint> points) : points_(std::move(points)) {
  // Computed in units of the extent, so that one tolerance fits all scales.
  const double extent = Extent(points_);
  flat_ = 1e-12 * extent * extent;
  std::vector<int> order(points_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const PlanePoint &p = points_[static_cast<size_t>(a)], &q = points_[static_cast<size_t>(b)];
    return p.x != q.x ? p.x < q.x : p.y < q.y;
  });
  if (!Sweep(order)) {
    for (size_t i = 1; i < order.size(); ++i) outline_.push_back({order[i - 1], order[i]});
    return;
  }
  Flip();
}

double Triangulation::Turn(int a, int b, int c) const {
  return Cross(points_[static_cast<size_t>(a)], points_[static_cast<size_t>(b)],
               points_[static_cast<size_t>(c)]);
}

// Adds the points from left to right to a convex outline. Returns false if all are collinear.
bool Triangulation::Sweep(const std::vector<int>& order) {
  size_t k = 2;
  while (k < order.size() && std::fabs(Turn(order[0], order[k - 1], order[k])) <= flat_) ++k;
  if (k >= order.size()) return false;
  // The points before the first one that is off their line, and that one, form a fan.
  const int tip = order[k];
  const bool left = Turn(order[0], order[k - 1], tip) > 0;
  std::vector<int> outline;  // anticlockwise
  for (size_t i = 0; i < k; ++i) outline.push_back(order[left ? i : k - 1 - i]);
  for (size_t i = 1; i < k; ++i) triangles_.push_back({outline[i - 1], outline[i], tip});
  outline.push_back(tip);
  for (size_t n = k + 1; n < order.size(); ++n) {
    const int p = order[n];
    const size_t size = outline.size();
    const auto sees = [&](size_t i) {
      return Turn(outline[i % size], outline[(i + 1) % size], p) < -flat_;
    };
    // The edges visible from p are consecutive.
    size_t first = 0;
    while (first < size && !(sees(first) && !sees(first + size - 1))) ++first;
    if (first == size) continue;  // closer to the outline than the rounding error
    std::vector<int> next = {p};
    size_t i = first;
    for (; sees(i); ++i) {
      triangles_.push_back({outline[(i + 1) % size], outline[i % size], p});
    }
    for (; i % size != first; ++i) next.push_back(outline[i % size]);
    next.push_back(outline[first]);
    outline = std::move(next);
  }
  for (size_t i = 0; i < outline.size(); ++i) {
    outline_.push_back({outline[i], outline[(i + 1) % outline.size()]});
  }
  return true;
}

bool Triangulation::InCircle(const Triangle& t, int p) const {
  const PlanePoint& o = points_[static_cast<size_t>(p)];
  double m[3][3];
  double size = 0;
  for (size_t i = 0; i < 3; ++i) {
    const PlanePoint& q = points_[static_cast<size_t>(t[i])];
    m[i][0] = q.x - o.x, m[i][1] = q.y - o.y;
    m[i][2] = m[i][0] * m[i][0] + m[i][1] * m[i][1];
    size = std::max(size, m[i][2]);
  }
  const double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                     m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                     m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  return det > 1e-12 * size * size;
}

// Flips the edge that two triangles share, if the circumcircle of one contains the opposite point
// of the other.
bool Triangulation::FlipOnce(size_t a, size_t b) {
  Triangle &s = triangles_[a], &t = triangles_[b];
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      if (s[i] != t[(j + 1) % 3] || s[(i + 1) % 3] != t[j]) continue;
      const int p = s[i], q = s[(i + 1) % 3], r = s[(i + 2) % 3], far = t[(j + 2) % 3];
      if (!InCircle(s, far) || Turn(p, far, r) <= flat_ || Turn(far, q, r) <= flat_) return false;
      s = {p, far, r};
      t = {far, q, r};
      return true;
    }
  }
  return false;
}

void Triangulation::Flip() {
  bool flipped = true;
  // Each flip raises the smallest angle, so it ends. The bound is for rounding errors.
  for (size_t round = 0; flipped && round < 4 * points_.size() + 16; ++round) {
    flipped = false;
    for (size_t a = 0; a < triangles_.size(); ++a) {
      for (size_t b = a + 1; b < triangles_.size(); ++b) flipped |= FlipOnce(a, b);
    }
  }
}

Triangulation::Mix Triangulation::At(PlanePoint place) const {
  Mix best;
  best.weights[0] = 1;
  double inside = -std::numeric_limits<double>::infinity();
  for (const Triangle& t : triangles_) {
    const PlanePoint &a = points_[static_cast<size_t>(t[0])],
                     &b = points_[static_cast<size_t>(t[1])],
                     &c = points_[static_cast<size_t>(t[2])];
    const double area = Cross(a, b, c);
    const std::array<double, 3> w = {Cross(b, c, place) / area, Cross(c, a, place) / area,
                                     Cross(a, b, place) / area};
    const double least = std::min({w[0], w[1], w[2]});
    if (least <= inside) continue;
    inside = least;
    best = {t, w};
  }
  if (inside >= 0) return best;
  double nearest = std::numeric_limits<double>::infinity();
  for (const Edge& e : outline_) {
    const PlanePoint &a = points_[static_cast<size_t>(e[0])],
                     &b = points_[static_cast<size_t>(e[1])];
    const double dx = b.x - a.x, dy = b.y - a.y;
    const double along = ((place.x - a.x) * dx + (place.y - a.y) * dy) / (dx * dx + dy * dy);
    const double t = std::clamp(along, 0.0, 1.0);
    const double off = std::hypot(a.x + dx * t - place.x, a.y + dy * t - place.y);
    if (off >= nearest) continue;
    nearest = off;
    best = {{e[0], e[1], e[0]}, {1 - t, t, 0}};
  }
  return best;
}

}  // namespace posewire::graph
