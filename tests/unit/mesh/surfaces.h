// Surfaces whose normals and tangents are known, as faces.
#ifndef POSEWIRE_TESTS_UNIT_MESH_SURFACES_H_
#define POSEWIRE_TESTS_UNIT_MESH_SURFACES_H_

#include <array>
#include <cmath>
#include <vector>

#include "libs/mesh/faces.h"
#include "libs/skel/math.h"

namespace posewire::mesh {

struct Surface {
  Faces faces;
  std::vector<skel::Vec3> points;
  std::vector<skel::Vec3> normals, tangents;  // one a point; zero where there is none
  std::vector<std::array<float, 2>> uv;       // one a corner

  void Add(const std::vector<int>& corners, const std::vector<std::array<float, 2>>& uvs) {
    faces.sizes.push_back(static_cast<int>(corners.size()));
    faces.corners.insert(faces.corners.end(), corners.begin(), corners.end());
    uv.insert(uv.end(), uvs.begin(), uvs.end());
    faces.points = points.size();
  }
};

inline constexpr float kWholeTurn = 6.2831853f;

// `around` by `across` quads, or twice as many triangles; the UVs have a seam both ways.
inline Surface Torus(int around, int across, bool triangles) {
  Surface out;
  const auto angle = [](int i, int n) {
    return kWholeTurn * static_cast<float>(i) / static_cast<float>(n);
  };
  for (int i = 0; i < around; ++i) {
    for (int k = 0; k < across; ++k) {
      const float u = angle(i, around), v = angle(k, across), r = 1 + 0.4f * std::cos(v);
      out.points.push_back({r * std::cos(u), r * std::sin(u), 0.4f * std::sin(v)});
      out.normals.push_back({std::cos(v) * std::cos(u), std::cos(v) * std::sin(u), std::sin(v)});
      out.tangents.push_back({-std::sin(u), std::cos(u), 0});
    }
  }
  const auto at = [&](int i, int k) { return (i % around) * across + k % across; };
  const auto uv = [&](int i, int k) {
    return std::array{static_cast<float>(i) / static_cast<float>(around),
                      static_cast<float>(k) / static_cast<float>(across)};
  };
  for (int i = 0; i < around; ++i) {
    for (int k = 0; k < across; ++k) {
      const int a = at(i, k), b = at(i + 1, k), c = at(i + 1, k + 1), d = at(i, k + 1);
      const auto ua = uv(i, k), ub = uv(i + 1, k), uc = uv(i + 1, k + 1), ud = uv(i, k + 1);
      if (triangles) {
        out.Add({a, b, c}, {ua, ub, uc});
        out.Add({a, c, d}, {ua, uc, ud});
      } else {
        out.Add({a, b, c, d}, {ua, ub, uc, ud});
      }
    }
  }
  return out;
}

// A sphere of quads, with triangles round the poles, which are the first and the last point.
inline Surface Sphere(int around, int down) {
  Surface out;
  const auto add = [&](float u, float v) {
    const skel::Vec3 p{std::sin(v) * std::cos(u), std::sin(v) * std::sin(u), std::cos(v)};
    out.points.push_back(p);
    out.normals.push_back(p);
    out.tangents.push_back(std::sin(v) > 1e-4f ? skel::Vec3{-std::sin(u), std::cos(u), 0}
                                               : skel::Vec3{});
  };
  add(0, 0);
  for (int k = 1; k < down; ++k) {
    for (int i = 0; i < around; ++i) {
      add(kWholeTurn * static_cast<float>(i) / static_cast<float>(around),
          kWholeTurn / 2 * static_cast<float>(k) / static_cast<float>(down));
    }
  }
  add(0, kWholeTurn / 2);
  const int last = static_cast<int>(out.points.size()) - 1;
  const auto at = [&](int i, int k) { return 1 + (k - 1) * around + i % around; };
  const auto uv = [&](float i, int k) {
    return std::array{i / static_cast<float>(around),
                      static_cast<float>(k) / static_cast<float>(down)};
  };
  for (int i = 0; i < around; ++i) {
    const auto u = static_cast<float>(i);
    out.Add({0, at(i, 1), at(i + 1, 1)}, {uv(u + 0.5f, 0), uv(u, 1), uv(u + 1, 1)});
    for (int k = 1; k + 1 < down; ++k) {
      out.Add({at(i, k), at(i, k + 1), at(i + 1, k + 1), at(i + 1, k)},
              {uv(u, k), uv(u, k + 1), uv(u + 1, k + 1), uv(u + 1, k)});
    }
    out.Add({at(i, down - 1), last, at(i + 1, down - 1)},
            {uv(u, down - 1), uv(u + 0.5f, down), uv(u + 1, down - 1)});
  }
  return out;
}

}  // namespace posewire::mesh

#endif  // POSEWIRE_TESTS_UNIT_MESH_SURFACES_H_
