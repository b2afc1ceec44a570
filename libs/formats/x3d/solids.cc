// Makes the solids of X3D's Geometry3D component, with its texture coordinates. On round solids
// these start at the back and run counter-clockwise as seen from above.
#include <cmath>
#include <numbers>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/formats/x3d/shapes.h"

namespace posewire::x3d {
namespace {

using skel::Vec3;

constexpr int kX3dSides = 32, kSphereRings = 16;

void AddPoint(X3dSurface& s, Vec3 point, Vec3 normal, float u, float v) {
  s.points.push_back(point);
  s.normals.push_back(skel::Normalized(normal));
  s.uv.push_back({u, 1 - v});
}

Vec3 Around(float share) {
  const float turn = 2 * std::numbers::pi_v<float> * share;
  return {-std::sin(turn), 0, -std::cos(turn)};
}

// Adds the sides between rings from low to high. Each ring has one point more than sides.
void JoinRings(X3dSurface& s, uint32_t first, int rings) {
  for (int r = 0; r + 1 < rings; ++r) {
    for (int k = 0; k < kX3dSides; ++k) {
      const uint32_t a = first + static_cast<uint32_t>(r * (kX3dSides + 1) + k), b = a + 1;
      const uint32_t d = a + kX3dSides + 1, c = d + 1;
      s.triangles.insert(s.triangles.end(), {a, b, c, a, c, d});
    }
  }
}

void AddDisc(X3dSurface& s, float radius, float height, float way) {
  const auto first = static_cast<uint32_t>(s.points.size());
  const Vec3 up{0, way, 0};
  AddPoint(s, {0, height, 0}, up, 0.5f, 0.5f);
  for (int k = 0; k <= kX3dSides; ++k) {
    const Vec3 at = Around(static_cast<float>(k) / kX3dSides);
    AddPoint(s, at * radius + Vec3{0, height, 0}, up, 0.5f + at.x / 2, 0.5f - way * at.z / 2);
  }
  for (uint32_t k = 1; k <= kX3dSides; ++k) {
    const uint32_t a = first + k, b = a + 1;
    s.triangles.insert(s.triangles.end(), {first, way > 0 ? a : b, way > 0 ? b : a});
  }
}

void AddSide(X3dSurface& s, float low_radius, float high_radius, float height) {
  const auto first = static_cast<uint32_t>(s.points.size());
  for (int ring = 0; ring < 2; ++ring) {
    for (int k = 0; k <= kX3dSides; ++k) {
      const float share = static_cast<float>(k) / kX3dSides;
      const Vec3 out = Around(share);
      const Vec3 normal = out * height + Vec3{0, low_radius - high_radius, 0};
      AddPoint(s,
               out * (ring == 0 ? low_radius : high_radius) +
                   Vec3{0, (static_cast<float>(ring) - 0.5f) * height, 0},
               normal, share, static_cast<float>(ring));
    }
  }
  JoinRings(s, first, 2);
}

void AddBox(X3dSurface& s, Vec3 size) {
  const Vec3 h = size * 0.5f;
  // The right and up directions of each side as seen from outside.
  const std::pair<Vec3, Vec3> sides[] = {{{1, 0, 0}, {0, 1, 0}},  {{-1, 0, 0}, {0, 1, 0}},
                                         {{0, 0, -1}, {0, 1, 0}}, {{0, 0, 1}, {0, 1, 0}},
                                         {{1, 0, 0}, {0, 0, -1}}, {{1, 0, 0}, {0, 0, 1}}};
  for (const auto& [right, up] : sides) {
    const Vec3 out = skel::Cross(right, up);
    const auto first = static_cast<uint32_t>(s.points.size());
    for (const auto& [u, v] : {std::pair(0.0f, 0.0f), {1.0f, 0.0f}, {1.0f, 1.0f}, {0.0f, 1.0f}}) {
      const Vec3 at = right * (2 * u - 1) + up * (2 * v - 1) + out;
      AddPoint(s, {at.x * h.x, at.y * h.y, at.z * h.z}, out, u, v);
    }
    s.triangles.insert(s.triangles.end(),
                       {first, first + 1, first + 2, first, first + 2, first + 3});
  }
}

void AddSphere(X3dSurface& s, float radius) {
  for (int ring = 0; ring <= kSphereRings; ++ring) {
    const float v = static_cast<float>(ring) / kSphereRings,
                angle = std::numbers::pi_v<float> * (v - 0.5f);
    for (int k = 0; k <= kX3dSides; ++k) {
      const float u = static_cast<float>(k) / kX3dSides;
      const Vec3 out = Around(u) * std::cos(angle) + Vec3{0, std::sin(angle), 0};
      AddPoint(s, out * radius, out, u, v);
    }
  }
  JoinRings(s, 0, kSphereRings + 1);
}

}  // namespace

absl::StatusOr<X3dSurface> ReadX3dSolid(const X3dNode& node) {
  X3dSurface s;
  s.solid = X3dFlag(node, "solid", true);
  absl::Status fault = absl::OkStatus();
  const auto measure = [&](const char* field, float otherwise) {
    const absl::StatusOr<float> value = X3dNumber(node, field, otherwise);
    if (!value.ok()) {
      fault.Update(value.status());
    } else if (!(*value > 0)) {
      fault.Update(X3dFault(node, field, absl::StrCat("is ", *value, ", expected over 0")));
    }
    return value.ok() ? *value : 0.0f;
  };
  if (node.type == "Box") {
    const absl::StatusOr<Vec3> size = Vector(node, "size", {2, 2, 2});
    if (!size.ok()) return size.status();
    if (!(size->x > 0 && size->y > 0 && size->z > 0)) {
      return X3dFault(node, "size", "is not over 0 on all axes");
    }
    AddBox(s, *size);
  } else if (node.type == "Sphere") {
    AddSphere(s, measure("radius", 1));
  } else if (node.type == "Cylinder") {
    const float radius = measure("radius", 1), height = measure("height", 2);
    if (X3dFlag(node, "side", true)) AddSide(s, radius, radius, height);
    if (X3dFlag(node, "top", true)) AddDisc(s, radius, height / 2, 1);
    if (X3dFlag(node, "bottom", true)) AddDisc(s, radius, -height / 2, -1);
  } else {
    const float radius = measure("bottomRadius", 1), height = measure("height", 2);
    if (X3dFlag(node, "side", true)) AddSide(s, radius, 0, height);
    if (X3dFlag(node, "bottom", true)) AddDisc(s, radius, -height / 2, -1);
  }
  if (!fault.ok()) return fault;
  s.file_points = s.points.size();
  for (size_t i = 0; i < s.points.size(); ++i) s.point_of.push_back(static_cast<uint32_t>(i));
  return s;
}

}  // namespace posewire::x3d
