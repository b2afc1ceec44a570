#include "libs/avatar/isosurface.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace posewire::avatar {
namespace {

using skel::Vec3;

// The corners of a row of cubes, and which of them lie inside.
class Lattice {
 public:
  Lattice(Field field, const Box& box, float cell) : low_(box.low), cell_(cell) {
    const Vec3 size = box.high - box.low;
    nx_ = 2 + static_cast<int>(size.x / cell);
    ny_ = 2 + static_cast<int>(size.y / cell);
    nz_ = 2 + static_cast<int>(size.z / cell);
    values_.resize(static_cast<size_t>(nx_) * static_cast<size_t>(ny_) * static_cast<size_t>(nz_));
    // What is far from the surface at a coarse corner cannot meet it within the block.
    for (int z = 0; z < nz_; z += kBlock) {
      for (int y = 0; y < ny_; y += kBlock) {
        for (int x = 0; x < nx_; x += kBlock) FillBlock(field, x, y, z);
      }
    }
  }

  int nx() const { return nx_; }
  int ny() const { return ny_; }
  int nz() const { return nz_; }
  size_t Index(int x, int y, int z) const {
    return (static_cast<size_t>(z) * static_cast<size_t>(ny_) + static_cast<size_t>(y)) *
               static_cast<size_t>(nx_) +
           static_cast<size_t>(x);
  }
  float At(int x, int y, int z) const { return values_[Index(x, y, z)]; }
  Vec3 Place(int x, int y, int z) const {
    return low_ + Vec3{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)} * cell_;
  }

 private:
  static constexpr int kBlock = 4;

  void FillBlock(Field field, int x0, int y0, int z0) {
    const float half = 0.5f * static_cast<float>(kBlock) * cell_;
    const float middle = field(Place(x0, y0, z0) + Vec3{half, half, half});
    // The fields grow at most about twice as fast as the distance.
    const bool far = std::fabs(middle) > 2 * std::sqrt(3.0f) * half + 2 * cell_;
    for (int z = z0; z < std::min(z0 + kBlock, nz_); ++z) {
      for (int y = y0; y < std::min(y0 + kBlock, ny_); ++y) {
        for (int x = x0; x < std::min(x0 + kBlock, nx_); ++x) {
          values_[Index(x, y, z)] = far ? middle : field(Place(x, y, z));
        }
      }
    }
  }

  Vec3 low_;
  float cell_;
  int nx_, ny_, nz_;
  std::vector<float> values_;
};

// The mean of where the cube's edges cross the level; false when none does.
bool Crossing(const Lattice& lattice, int x, int y, int z, Vec3& out) {
  std::array<float, 8> v{};
  int inside = 0;
  for (int c = 0; c < 8; ++c) {
    v[static_cast<size_t>(c)] = lattice.At(x + (c & 1), y + ((c >> 1) & 1), z + (c >> 2));
    inside += v[static_cast<size_t>(c)] < 0;
  }
  if (inside == 0 || inside == 8) return false;
  Vec3 sum;
  int count = 0;
  for (int a = 0; a < 8; ++a) {
    for (int bit : {1, 2, 4}) {
      const int b = a | bit;
      if (a == b) continue;
      const float va = v[static_cast<size_t>(a)], vb = v[static_cast<size_t>(b)];
      if ((va < 0) == (vb < 0)) continue;
      const Vec3 pa = lattice.Place(x + (a & 1), y + ((a >> 1) & 1), z + (a >> 2));
      const Vec3 pb = lattice.Place(x + (b & 1), y + ((b >> 1) & 1), z + (b >> 2));
      sum = sum + skel::Lerp(pa, pb, va / (va - vb));
      ++count;
    }
  }
  out = sum * (1 / static_cast<float>(count));
  return true;
}

Vec3 OntoLevel(Field field, Vec3 p, float cell) {
  const Vec3 start = p;
  for (int i = 0; i < 3; ++i) {
    const float v = field(p);
    const float h = 0.1f * cell;
    const Vec3 g{(field(p + Vec3{h, 0, 0}) - v) / h, (field(p + Vec3{0, h, 0}) - v) / h,
                 (field(p + Vec3{0, 0, h}) - v) / h};
    p = p - g * (v / std::max(skel::Dot(g, g), 0.1f));
  }
  const Vec3 moved = p - start;
  const float length = skel::Length(moved);
  return length > cell ? start + moved * (cell / length) : p;
}

}  // namespace

Isosurface Triangulate(Field field, const Box& box, float cell_m) {
  const Lattice lattice(field, box, cell_m);
  Isosurface out;
  std::vector<int32_t> at(static_cast<size_t>(lattice.nx()) * static_cast<size_t>(lattice.ny()) *
                              static_cast<size_t>(lattice.nz()),
                          -1);
  for (int z = 0; z + 1 < lattice.nz(); ++z) {
    for (int y = 0; y + 1 < lattice.ny(); ++y) {
      for (int x = 0; x + 1 < lattice.nx(); ++x) {
        Vec3 p;
        if (!Crossing(lattice, x, y, z, p)) continue;
        p = OntoLevel(field, p, cell_m);
        at[lattice.Index(x, y, z)] = static_cast<int32_t>(out.points.size());
        out.points.push_back(p);
        out.normals.push_back(Gradient(field, p, 0.2f * cell_m));
      }
    }
  }
  // A quad round each edge that crosses, of the four cubes that share it.
  const auto quad = [&](int32_t a, int32_t b, int32_t c, int32_t d, bool turned) {
    if (a < 0 || b < 0 || c < 0 || d < 0) return;
    if (turned) std::swap(b, d);
    out.triangles.insert(out.triangles.end(), {a, b, c, a, c, d});
  };
  for (int z = 1; z + 1 < lattice.nz(); ++z) {
    for (int y = 1; y + 1 < lattice.ny(); ++y) {
      for (int x = 1; x + 1 < lattice.nx(); ++x) {
        const bool in = lattice.At(x, y, z) < 0;
        const auto cube = [&](int dx, int dy, int dz) {
          return at[lattice.Index(x - dx, y - dy, z - dz)];
        };
        if (in != (lattice.At(x + 1, y, z) < 0)) {
          quad(cube(0, 1, 1), cube(0, 0, 1), cube(0, 0, 0), cube(0, 1, 0), !in);
        }
        if (in != (lattice.At(x, y + 1, z) < 0)) {
          quad(cube(1, 0, 1), cube(1, 0, 0), cube(0, 0, 0), cube(0, 0, 1), !in);
        }
        if (in != (lattice.At(x, y, z + 1) < 0)) {
          quad(cube(1, 1, 0), cube(0, 1, 0), cube(0, 0, 0), cube(1, 0, 0), !in);
        }
      }
    }
  }
  return out;
}

Vec3 Gradient(Field field, Vec3 p, float step_m) {
  const float h = step_m;
  return skel::Normalized(Vec3{field(p + Vec3{h, 0, 0}) - field(p - Vec3{h, 0, 0}),
                               field(p + Vec3{0, h, 0}) - field(p - Vec3{0, h, 0}),
                               field(p + Vec3{0, 0, h}) - field(p - Vec3{0, 0, h})});
}

float Openness(Field field, Vec3 p, Vec3 normal) {
  float sum = 0, weight = 0;
  for (float step : {0.012f, 0.03f, 0.06f}) {
    sum += std::clamp(field(p + normal * step) / step, 0.0f, 1.0f);
    weight += 1;
  }
  return sum / weight;
}

float SmoothMin(float a, float b, float k) {
  const float h = std::max(k - std::fabs(a - b), 0.0f) / k;
  return std::min(a, b) - h * h * k * 0.25f;
}

float SmoothMax(float a, float b, float k) { return -SmoothMin(-a, -b, k); }

float SmoothStep(float low, float high, float v) {
  const float t = std::clamp((v - low) / (high - low), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

}  // namespace posewire::avatar
