// The mesh of the face: rows and columns over the loft, slit at the eyes and at the mouth.
#ifndef POSEWIRE_LIBS_AVATAR_FACE_GRID_H_
#define POSEWIRE_LIBS_AVATAR_FACE_GRID_H_

#include <cstdint>
#include <vector>

#include "libs/avatar/face_form.h"

namespace posewire::avatar {

struct FaceGrid {
  std::vector<FacePoint> points;
  std::vector<int32_t> triangles;
  // The points of the edges that meet when mouth or eyes close: upper and lower, each from right
  // corner to left.
  struct Edge {
    std::vector<int32_t> upper, lower;
  };
  Edge mouth, left_eye, right_eye;
  // The point on the skin from which each point behind a lid or lip extends inwards; itself on
  // skin.
  std::vector<int32_t> rim;
};

FaceGrid MakeFaceGrid(const FaceForm& form);

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_FACE_GRID_H_
