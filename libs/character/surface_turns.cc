#include "libs/character/surface_turns.h"

#include <cmath>
#include <utility>

#include "libs/character/smooth_normals.h"
#include "libs/mesh/faces.h"

namespace posewire::character {
namespace {

using skel::Vec3;

bool IsZero(Vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

// Rotates `v` by the shortest rotation from one unit vector to another (Moeller, Hughes 1999).
Vec3 TurnedFromTo(Vec3 from, Vec3 to, Vec3 v) {
  const Vec3 axis = skel::Cross(from, to);
  const float c = skel::Dot(from, to);
  if (c < -0.999f) return {-v.x, -v.y, -v.z};
  const Vec3 crossed = skel::Cross(axis, v);
  return v * c + crossed + axis * (skel::Dot(axis, v) / (1 + c));
}

}  // namespace

Vec3 UnitNormal(Vec3 v) {
  const float length = std::sqrt(skel::Dot(v, v));
  return length > 1e-12f ? v * (1 / length) : Vec3{0, 1, 0};
}

absl::StatusOr<SurfaceTurns> SurfaceTurns::Make(absl::Span<const Vec3> rest,
                                                absl::Span<const uint32_t> triangles) {
  SurfaceTurns made;
  made.twins_ = TwinsOf(rest, {});
  mesh::Faces faces;
  faces.points = rest.size();
  for (size_t t = 0; t + 3 <= triangles.size(); t += 3) {
    const uint32_t a = made.twins_[triangles[t]], b = made.twins_[triangles[t + 1]],
                   c = made.twins_[triangles[t + 2]];
    if (a == b || b == c || c == a) continue;
    faces.sizes.push_back(3);
    for (const uint32_t corner : {a, b, c}) faces.corners.push_back(static_cast<int>(corner));
  }
  auto neighbours = mesh::FindNeighbours(faces, rest);
  if (!neighbours.ok()) return neighbours.status();
  made.neighbours_ = *std::move(neighbours);
  return made;
}

absl::Status SurfaceTurns::Frames(absl::Span<const Vec3> points, absl::Span<Vec3> out) const {
  return mesh::VertexFramesJob{points, neighbours_, {}, out, {}}.Run();
}

bool SurfaceTurns::Turn(size_t i, absl::Span<const Vec3> before, absl::Span<const Vec3> after,
                        Vec3& normal) const {
  const Vec3 was = before[twins_[i]], is = after[twins_[i]];
  if (IsZero(was) || IsZero(is)) return false;
  normal = TurnedFromTo(was, is, normal);
  return true;
}

}  // namespace posewire::character
