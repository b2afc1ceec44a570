// Arithmetic on triangle surfaces.
#ifndef POSEWIRE_LIBS_AVATAR_SURFACE_H_
#define POSEWIRE_LIBS_AVATAR_SURFACE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/avatar/model.h"
#include "libs/skel/math.h"

namespace posewire::avatar {

// Unit normals of the points: the mean of their triangles' normals, weighted by area. Points in no
// triangle get zero.
void SmoothNormals(absl::Span<const skel::Vec3> points, absl::Span<const int32_t> triangles,
                   absl::Span<skel::Vec3> normals);
std::vector<skel::Vec3> SmoothNormals(absl::Span<const skel::Vec3> points,
                                      absl::Span<const int32_t> triangles);

// Removes the points in no triangle, with their colours and influences. For surfaces without
// normals and targets yet.
void DropUnused(Surface& surface);

// Accumulates the influences of one point: adds `weight` to `joint`.
class InfluenceSum {
 public:
  void Add(int joint, float weight);
  // The four heaviest, weights summing to 1.
  Influences Take() const;

 private:
  std::array<int, 24> joint_{};
  std::array<float, 24> weight_{};
  size_t count_ = 0;
};

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_SURFACE_H_
