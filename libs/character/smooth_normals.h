// Computes normals of triangles, for files without normals, or without normals of shapes.
#ifndef POSEWIRE_LIBS_CHARACTER_SMOOTH_NORMALS_H_
#define POSEWIRE_LIBS_CHARACTER_SMOOTH_NORMALS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/skel/math.h"

namespace posewire::character {

// Returns for each point the first one at the same position; with `normals`, with the same normal
// too. Points are duplicated at seams of a picture, which lighting must ignore.
std::vector<uint32_t> TwinsOf(absl::Span<const skel::Vec3> points,
                              absl::Span<const skel::Vec3> normals);

// Returns the mean normal of the triangles around each point and its twins, weighted by area; unit
// length.
std::vector<skel::Vec3> SmoothNormals(absl::Span<const skel::Vec3> points,
                                      absl::Span<const uint32_t> triangles,
                                      absl::Span<const uint32_t> twins);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_SMOOTH_NORMALS_H_
