#include "libs/avatar/simplify.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <queue>
#include <utility>

namespace posewire::avatar {
namespace {

using skel::Vec3;

constexpr float kTogether = 1e-5f;       // metres within which two points are one place
constexpr float kColorReach = 0.006f;    // metres that a step from black to white counts for
constexpr float kColorSlope = 0.25f;     // the same, of a way over which colours change
constexpr float kNormalReach = 0.0012f;  // metres that a turn of a radian counts for
constexpr float kLongestEdge = 0.075f;
constexpr float kLeastCos = 0.35f;  // between a triangle before and after a collapse

// The sum of squared distances to planes, each by its weight.
struct Quadric {
  std::array<double, 10> a{};
  double weight = 0;

  void AddPlane(Vec3 n, Vec3 p, double w) {
    const double x = n.x, y = n.y, z = n.z, d = -static_cast<double>(skel::Dot(n, p));
    const std::array<double, 10> of = {x * x, x * y, x * z, x * d, y * y,
                                       y * z, y * d, z * z, z * d, d * d};
    for (size_t i = 0; i < a.size(); ++i) a[i] += w * of[i];
    weight += w;
  }
  void Add(const Quadric& other) {
    for (size_t i = 0; i < a.size(); ++i) a[i] += other.a[i];
    weight += other.weight;
  }
  // The mean square.
  double At(Vec3 p) const {
    const double x = p.x, y = p.y, z = p.z;
    const double sum = a[0] * x * x + 2 * a[1] * x * y + 2 * a[2] * x * z + 2 * a[3] * x +
                       a[4] * y * y + 2 * a[5] * y * z + 2 * a[6] * y + a[7] * z * z +
                       2 * a[8] * z + a[9];
    return weight > 0 ? std::max(sum, 0.0) / weight : 0;
  }
};

class Simplifier {
 public:
  Simplifier(const Surface& surface, const SurfacePoses& poses)
      : surface_(surface),
        poses_(poses),
        points_(surface.points.size()),
        around_(points_),
        quadrics_(points_ * poses.size()),
        drift_(points_, 0),
        version_(points_, 0),
        gone_(points_, false),
        held_(points_, false),
        edge_(points_, false) {
    for (size_t t = 0; t < surface.triangles.size(); t += 3) {
      const std::array<int32_t, 3> v = {surface.triangles[t], surface.triangles[t + 1],
                                        surface.triangles[t + 2]};
      if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
      for (const int32_t i : v) around_[At(i)].push_back(static_cast<int32_t>(triangles_.size()));
      triangles_.push_back(v);
    }
    alive_.assign(triangles_.size(), true);
    HoldPairs();
    AddPlanes();
    AddEdges();
  }

  void Run(float tolerance) {
    limit_ = static_cast<double>(tolerance) * tolerance;
    for (size_t i = 0; i < points_; ++i) Offer(static_cast<int32_t>(i));
    while (!heap_.empty()) {
      const Step step = heap_.top();
      heap_.pop();
      const size_t from = At(step.from), to = At(step.to);
      if (gone_[from] || gone_[to] || step.version != version_[from] + version_[to]) continue;
      if (Allowed(step.from, step.to)) Collapse(step.from, step.to);
    }
  }

  Surface Take() const;

 private:
  struct Step {
    double cost;
    int32_t from, to;
    uint32_t version;
    // Ties are settled by index, so that every run is the same.
    bool operator<(const Step& other) const {
      if (cost != other.cost) return cost > other.cost;
      return from != other.from ? from > other.from : to > other.to;
    }
  };

  static size_t At(int32_t i) { return static_cast<size_t>(i); }
  Quadric& QuadricOf(size_t point, size_t pose) { return quadrics_[point * poses_.size() + pose]; }

  // Points that lie together in a pose must not part in it.
  void HoldPairs() {
    std::vector<size_t> order(points_);
    for (const auto& at : poses_) {
      for (size_t i = 0; i < points_; ++i) order[i] = i;
      std::sort(order.begin(), order.end(),
                [&](size_t a, size_t b) { return at[a].x != at[b].x ? at[a].x < at[b].x : a < b; });
      for (size_t i = 0; i < points_; ++i) {
        for (size_t k = i + 1; k < points_; ++k) {
          const Vec3 way = at[order[k]] - at[order[i]];
          if (way.x > kTogether) break;
          if (skel::Length(way) < kTogether) held_[order[i]] = held_[order[k]] = true;
        }
      }
    }
  }

  void AddPlanes() {
    for (const auto& v : triangles_) {
      for (size_t k = 0; k < poses_.size(); ++k) {
        const auto& at = poses_[k];
        const Vec3 a = at[At(v[0])];
        const Vec3 n = skel::Cross(at[At(v[1])] - a, at[At(v[2])] - a);
        const float area = skel::Length(n);
        if (!(area > 0)) continue;
        for (const int32_t i : v) QuadricOf(At(i), k).AddPlane(n * (1 / area), a, area);
      }
    }
  }

  // Along open edges stand planes across the surface.
  void AddEdges() {
    for (const auto& v : triangles_) {
      for (size_t c = 0; c < 3; ++c) {
        const int32_t a = v[c], b = v[(c + 1) % 3];
        if (Shared(a, b) > 1) continue;
        edge_[At(a)] = edge_[At(b)] = true;
        for (size_t k = 0; k < poses_.size(); ++k) {
          const auto& at = poses_[k];
          const Vec3 along = at[At(b)] - at[At(a)];
          const Vec3 n = skel::Cross(at[At(v[1])] - at[At(v[0])], at[At(v[2])] - at[At(v[0])]);
          const Vec3 across = skel::Normalized(skel::Cross(along, n));
          const double weight = 4.0 * skel::Dot(along, along);
          QuadricOf(At(a), k).AddPlane(across, at[At(a)], weight);
          QuadricOf(At(b), k).AddPlane(across, at[At(a)], weight);
        }
      }
    }
  }

  bool Has(int32_t triangle, int32_t point) const {
    const auto& v = triangles_[At(triangle)];
    return v[0] == point || v[1] == point || v[2] == point;
  }
  // How many triangles have both points.
  int Shared(int32_t a, int32_t b) const {
    return static_cast<int>(std::count_if(around_[At(a)].begin(), around_[At(a)].end(),
                                          [&](int32_t t) { return Has(t, b); }));
  }
  std::vector<int32_t> Neighbours(int32_t point) const {
    std::vector<int32_t> out;
    for (const int32_t t : around_[At(point)]) {
      for (const int32_t i : triangles_[At(t)]) {
        if (i != point) out.push_back(i);
      }
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  double Cost(int32_t from, int32_t to, const std::vector<int32_t>& around) {
    const Vec3 color = surface_.colors[At(from)] - surface_.colors[At(to)];
    const Vec3 turn = surface_.normals[At(from)] - surface_.normals[At(to)];
    double look = drift_[At(from)] + kColorReach * skel::Length(color);
    // A step of colour beside the point would be drawn out as far as the point goes.
    const float way = skel::Length(surface_.points[At(from)] - surface_.points[At(to)]);
    for (const int32_t n : around) {
      const Vec3 step = surface_.colors[At(n)] - surface_.colors[At(to)];
      look = std::max(look, static_cast<double>(kColorSlope * way * skel::Length(step)));
    }
    const double bend = kNormalReach * skel::Length(turn);
    const double seen = look * look + bend * bend;
    double worst = 0;
    for (size_t k = 0; k < poses_.size() && worst + seen <= limit_; ++k) {
      worst = std::max(worst, QuadricOf(At(from), k).At(poses_[k][At(to)]));
    }
    return worst + seen;
  }

  // Puts the ways out of a point on the heap.
  void Offer(int32_t from) {
    if (held_[At(from)] || gone_[At(from)]) return;
    const std::vector<int32_t> around = Neighbours(from);
    for (const int32_t to : around) {
      if (edge_[At(from)] && Shared(from, to) != 1) continue;
      const double cost = Cost(from, to, around);
      if (cost > limit_) continue;
      heap_.push({cost, from, to, version_[At(from)] + version_[At(to)]});
    }
  }

  bool Allowed(int32_t from, int32_t to) const {
    if (edge_[At(from)] && Shared(from, to) != 1) return false;
    // Neighbours of both must be just those of the triangles that vanish.
    const std::vector<int32_t> a = Neighbours(from), b = Neighbours(to);
    std::vector<int32_t> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    if (static_cast<int>(both.size()) != Shared(from, to)) return false;
    if (b.size() + a.size() > 26) return false;  // no fans of needles
    for (const int32_t n : a) {
      if (n == to) continue;
      if (skel::Length(surface_.points[At(n)] - surface_.points[At(to)]) > kLongestEdge) {
        return false;
      }
    }
    for (const int32_t t : around_[At(from)]) {
      if (!Has(t, to) && Turns(triangles_[At(t)], from, to)) return false;
    }
    return true;
  }

  // True when a triangle would turn over or become a needle in some pose.
  bool Turns(const std::array<int32_t, 3>& v, int32_t from, int32_t to) const {
    for (const auto& at : poses_) {
      std::array<Vec3, 3> old, now;
      for (size_t c = 0; c < 3; ++c) {
        old[c] = at[At(v[c])];
        now[c] = v[c] == from ? at[At(to)] : old[c];
      }
      const Vec3 n = skel::Cross(old[1] - old[0], old[2] - old[0]);
      const Vec3 m = skel::Cross(now[1] - now[0], now[2] - now[0]);
      if (!(skel::Dot(n, n) > 0)) continue;
      if (skel::Dot(n, m) < kLeastCos * skel::Length(n) * skel::Length(m)) return true;
      float longest = 0;
      for (size_t c = 0; c < 3; ++c) {
        longest = std::max(longest, skel::Length(now[(c + 1) % 3] - now[c]));
      }
      if (skel::Length(m) < 0.06f * longest * longest) return true;
    }
    return false;
  }

  void Collapse(int32_t from, int32_t to) {
    const Vec3 color = surface_.colors[At(from)] - surface_.colors[At(to)];
    drift_[At(to)] = std::max(drift_[At(to)], drift_[At(from)] + kColorReach * skel::Length(color));
    for (size_t k = 0; k < poses_.size(); ++k) QuadricOf(At(to), k).Add(QuadricOf(At(from), k));
    for (const int32_t t : around_[At(from)]) {
      if (Has(t, to)) {
        alive_[At(t)] = false;
        for (const int32_t i : triangles_[At(t)]) {
          if (i != from) std::erase(around_[At(i)], t);
        }
      } else {
        for (int32_t& i : triangles_[At(t)]) {
          if (i == from) i = to;
        }
        around_[At(to)].push_back(t);
      }
    }
    around_[At(from)].clear();
    gone_[At(from)] = true;
    ++version_[At(to)];
    Offer(to);
    for (const int32_t n : Neighbours(to)) {
      ++version_[At(n)];
      Offer(n);
    }
  }

  const Surface& surface_;
  const SurfacePoses& poses_;
  size_t points_;
  std::vector<std::array<int32_t, 3>> triangles_;
  std::vector<bool> alive_;
  std::vector<std::vector<int32_t>> around_;  // triangles of each point
  std::vector<Quadric> quadrics_;             // of each point in each pose
  std::vector<double> drift_;                 // how far a point's colours strayed, metres
  std::vector<uint32_t> version_;
  std::vector<bool> gone_, held_, edge_;
  std::priority_queue<Step> heap_;
  double limit_ = 0;
};

Surface Simplifier::Take() const {
  Surface out;
  out.name = surface_.name;
  out.material = surface_.material;
  std::vector<int32_t> place(points_, -1);
  for (size_t t = 0; t < triangles_.size(); ++t) {
    if (!alive_[t]) continue;
    for (const int32_t i : triangles_[t]) place[At(i)] = 0;
  }
  for (size_t i = 0; i < points_; ++i) {
    if (place[i] < 0) continue;
    place[i] = static_cast<int32_t>(out.points.size());
    out.points.push_back(surface_.points[i]);
    out.normals.push_back(surface_.normals[i]);
    out.colors.push_back(surface_.colors[i]);
    out.influences.push_back(surface_.influences[i]);
  }
  for (size_t t = 0; t < triangles_.size(); ++t) {
    if (!alive_[t]) continue;
    for (const int32_t i : triangles_[t]) out.triangles.push_back(place[At(i)]);
  }
  for (const Target& target : surface_.targets) {
    Target kept;
    kept.shape = target.shape;
    for (size_t i = 0; i < target.indices.size(); ++i) {
      const int32_t at = place[At(target.indices[i])];
      if (at < 0) continue;
      kept.indices.push_back(at);
      kept.offsets.push_back(target.offsets[i]);
    }
    if (!kept.indices.empty()) out.targets.push_back(std::move(kept));
  }
  return out;
}

}  // namespace

Surface Simplify(const Surface& surface, const SurfacePoses& poses, float tolerance_m) {
  Simplifier simplifier(surface, poses);
  simplifier.Run(tolerance_m);
  return simplifier.Take();
}

}  // namespace posewire::avatar
