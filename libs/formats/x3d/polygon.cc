#include "libs/formats/x3d/polygon.h"

#include <cmath>

namespace posewire::x3d {
namespace {

using skel::Vec3;

constexpr size_t kMostEffort = 100'000'000;

struct Flat {
  float x, y;
};

// Returns twice the area of a triangle; positive if it turns left.
float Area(Flat a, Flat b, Flat c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

// Projects along the axis nearest to the normal, so that the loop turns left.
std::vector<Flat> Flatten(absl::Span<const Vec3> loop, Vec3 normal) {
  const float x = std::fabs(normal.x), y = std::fabs(normal.y), z = std::fabs(normal.z);
  std::vector<Flat> out;
  for (const Vec3 p : loop) {
    if (x >= y && x >= z) {
      out.push_back(normal.x > 0 ? Flat{p.y, p.z} : Flat{p.z, p.y});
    } else if (y >= z) {
      out.push_back(normal.y > 0 ? Flat{p.z, p.x} : Flat{p.x, p.z});
    } else {
      out.push_back(normal.z > 0 ? Flat{p.x, p.y} : Flat{p.y, p.x});
    }
  }
  return out;
}

}  // namespace

Vec3 PolygonNormal(absl::Span<const Vec3> loop) {
  Vec3 sum;
  for (size_t k = 2; k < loop.size(); ++k) {
    sum = sum + skel::Cross(loop[k - 1] - loop[0], loop[k] - loop[0]);
  }
  return sum;
}

void CutPolygon(absl::Span<const Vec3> loop, bool convex, size_t& effort,
                std::vector<std::array<uint32_t, 3>>& triangles) {
  std::vector<uint32_t> left;
  for (size_t i = 0; i < loop.size(); ++i) left.push_back(static_cast<uint32_t>(i));
  if (!convex && loop.size() > 3) {
    const std::vector<Flat> flat = Flatten(loop, PolygonNormal(loop));
    const auto is_ear = [&](size_t i) {
      const size_t n = left.size();
      const uint32_t a = left[(i + n - 1) % n], b = left[i], c = left[(i + 1) % n];
      if (!(Area(flat[a], flat[b], flat[c]) > 0)) return false;
      effort += n;
      for (const uint32_t p : left) {
        if (p == a || p == b || p == c) continue;
        if (Area(flat[a], flat[b], flat[p]) >= 0 && Area(flat[b], flat[c], flat[p]) >= 0 &&
            Area(flat[c], flat[a], flat[p]) >= 0) {
          return false;
        }
      }
      return true;
    };
    while (left.size() > 3 && effort < kMostEffort) {
      size_t ear = 0;
      while (ear < left.size() && !is_ear(ear) && effort < kMostEffort) ++ear;
      effort += left.size();
      if (ear >= left.size() || effort >= kMostEffort) break;
      const size_t n = left.size();
      triangles.push_back({left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]});
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(ear));
    }
  }
  for (size_t k = 2; k < left.size(); ++k) triangles.push_back({left[0], left[k - 1], left[k]});
}

}  // namespace posewire::x3d
