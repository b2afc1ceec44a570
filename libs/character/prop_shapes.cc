#include "libs/character/prop_shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace posewire::character {
namespace {

using skel::Quat;
using skel::Vec3;
using Color = std::array<uint8_t, 4>;

constexpr Color kChina = {205, 86, 52, 255}, kWood = {118, 74, 42, 255},
                kPlain = {92, 116, 148, 255};
constexpr int kSides = 32;
constexpr float kTurn = 6.28318531f;

// Adds the surfaces of one prop, in its own space, to the mesh.
class Builder {
 public:
  Builder(const PropShape& prop, Color color, Mesh& out) : prop_(prop), color_(color), out_(out) {}

  uint32_t Point(Vec3 at, Vec3 normal) {
    out_.points.push_back(prop_.position + Rotate(prop_.rotation, at));
    out_.normals.push_back(Rotate(prop_.rotation, Normalized(normal)));
    out_.colors.push_back(color_);
    return static_cast<uint32_t>(out_.points.size() - 1);
  }
  void Triangle(uint32_t a, uint32_t b, uint32_t c) {
    out_.triangles.insert(out_.triangles.end(), {a, b, c});
  }

  void Box(Vec3 middle, Vec3 size) {
    const Vec3 half = size * 0.5f;
    // Each side: its normal and two edges, counter-clockwise seen from outside.
    const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    const Vec3 sides[][3] = {{x, y, z},      {x * -1, z, y}, {y, z, x},
                             {y * -1, x, z}, {z, x, y},      {z * -1, y, x}};
    const auto scaled = [&](Vec3 v) { return Vec3{v.x * half.x, v.y * half.y, v.z * half.z}; };
    for (const auto& [n, u, v] : sides) {
      const Vec3 at = middle + scaled(n);
      const uint32_t a = Point(at - scaled(u) - scaled(v), n);
      Point(at + scaled(u) - scaled(v), n);
      Point(at + scaled(u) + scaled(v), n);
      Point(at - scaled(u) + scaled(v), n);
      Triangle(a, a + 1, a + 2);
      Triangle(a, a + 2, a + 3);
    }
  }

  // Adds a band of a surface of revolution about Y, from one ring (radius, height) to the next,
  // stretched to the prop's depth. The outside is to the right of the direction from `from` to
  // `to`.
  void Band(std::pair<float, float> from, std::pair<float, float> to) {
    const float flat = prop_.size.z / prop_.size.x;
    const float rise = to.second - from.second, widen = to.first - from.first;
    const auto first = static_cast<uint32_t>(out_.points.size());
    for (int i = 0; i <= kSides; ++i) {
      const float a = kTurn * static_cast<float>(i) / kSides;
      const Vec3 way{std::sin(a), 0, std::cos(a) * flat};
      const Vec3 normal{way.x * rise, -widen, std::cos(a) / flat * rise};
      Point(way * from.first + Vec3{0, from.second, 0}, normal);
      Point(way * to.first + Vec3{0, to.second, 0}, normal);
    }
    for (uint32_t i = 0; i < kSides; ++i) {
      const uint32_t a = first + 2 * i;
      Triangle(a, a + 2, a + 1);
      Triangle(a + 1, a + 2, a + 3);
    }
  }

 private:
  const PropShape& prop_;
  const Color color_;
  Mesh& out_;
};

// Adds a slightly conical cup with a wall and an inside.
void AddCup(const PropShape& prop, Mesh& out) {
  Builder b(prop, kChina, out);
  const float r = prop.size.x / 2, h = prop.size.y, wall = 0.08f * r, foot = 0.8f * r;
  b.Band({0, 0}, {foot, 0});
  b.Band({foot, 0}, {r, h});
  b.Band({r, h}, {r - wall, h});
  b.Band({r - wall, h}, {foot - wall, 0.06f * h});
  b.Band({foot - wall, 0.06f * h}, {0, 0.06f * h});
}

void AddTable(const PropShape& prop, Mesh& out) {
  Builder b(prop, kWood, out);
  const Vec3 s = prop.size;
  const float top = std::min(0.04f, 0.2f * s.y), leg = 0.06f * std::min(s.x, s.z);
  b.Box({0, s.y - top / 2, 0}, {s.x, top, s.z});
  for (const float x : {-1.0f, 1.0f}) {
    for (const float z : {-1.0f, 1.0f}) {
      b.Box({x * (s.x / 2 - leg), (s.y - top) / 2, z * (s.z / 2 - leg)}, {leg, s.y - top, leg});
    }
  }
}

}  // namespace

Mesh MeshOf(absl::Span<const PropShape> props) {
  Mesh out;
  for (const PropShape& prop : props) {
    if (prop.model != nullptr) continue;
    if (prop.shape == "cup") {
      AddCup(prop, out);
    } else if (prop.shape == "table") {
      AddTable(prop, out);
    } else {
      Builder(prop, kPlain, out).Box({}, prop.size);
    }
  }
  return out;
}

Character AsCharacter(const PropShape& prop) {
  if (prop.model != nullptr) {
    return AsCharacter(*prop.model, prop.shape, prop.model->ScaleTo(prop.size));
  }
  Character out;
  out.name = prop.shape;
  out.materials.emplace_back().roughness = kPropRoughness;
  PropShape here = prop;
  here.position = {};
  here.rotation = {};
  out.meshes.push_back(MeshOf({&here, 1}));
  out.meshes[0].name = prop.shape;
  return out;
}

}  // namespace posewire::character
