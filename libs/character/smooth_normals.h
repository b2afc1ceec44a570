// Normals of triangles, for files that have none, or none for their shapes.
#ifndef POSEWIRE_LIBS_CHARACTER_SMOOTH_NORMALS_H_
#define POSEWIRE_LIBS_CHARACTER_SMOOTH_NORMALS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/skel/math.h"

namespace posewire::character {

// For each point the first one at the same place; with `normals`, with the same normal too. Points
// are doubled where a picture has a seam, and light must not see it.
std::vector<uint32_t> TwinsOf(absl::Span<const skel::Vec3> points,
                              absl::Span<const skel::Vec3> normals);

// The mean of the triangles round each point and its twins, by their size; unit length.
std::vector<skel::Vec3> SmoothNormals(absl::Span<const skel::Vec3> points,
                                      absl::Span<const uint32_t> triangles,
                                      absl::Span<const uint32_t> twins);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_SMOOTH_NORMALS_H_
