// Surfaces from implicit functions.
#ifndef POSEWIRE_LIBS_AVATAR_ISOSURFACE_H_
#define POSEWIRE_LIBS_AVATAR_ISOSURFACE_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "libs/skel/math.h"

namespace posewire::avatar {

// Negative inside, positive outside; near the surface, about the distance to it in metres.
using Field = absl::FunctionRef<float(skel::Vec3)>;

struct Box {
  skel::Vec3 low, high;
};

struct Isosurface {
  std::vector<skel::Vec3> points;
  std::vector<skel::Vec3> normals;  // of the field
  std::vector<int32_t> triangles;   // counter-clockwise seen from outside
};

// The zero level within `box`, by surface nets (Gibson 1998) on cubes of `cell_m`, with every point
// then moved onto the level along the gradient. Anything outside the box is cut off, leaving it
// open.
Isosurface Triangulate(Field field, const Box& box, float cell_m);

// The direction in which the field grows, of unit length.
skel::Vec3 Gradient(Field field, skel::Vec3 p, float step_m);

// How open the sky is at a point of the surface, 0..1: how fast the field grows outwards compared
// with that of a plane (after Evans' ambient occlusion of distance fields, 2006).
float Openness(Field field, skel::Vec3 p, skel::Vec3 normal);

// Smooth union and intersection: like min and max, rounded within `k` metres.
float SmoothMin(float a, float b, float k);
float SmoothMax(float a, float b, float k);

// 0 below `low`, 1 above `high`, smooth between.
float SmoothStep(float low, float high, float v);

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_ISOSURFACE_H_
