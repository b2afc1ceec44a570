// Smooths a posed surface where joints blend, and keeps the detail of its rest (delta mush:
// Mancewicz et al. 2014).
//
// A skin with few joints a point creases inside a bend and loses volume. Smoothing removes the
// crease, and with it the detail; what it removes at rest is known, and is added again, rotated by
// the skin's transform. Points far from other joints' points stay where they are.
#ifndef POSEWIRE_LIBS_CHARACTER_SURFACE_SMOOTHING_H_
#define POSEWIRE_LIBS_CHARACTER_SURFACE_SMOOTHING_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/character/point_skin.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::character {

// One thread at a time; allocates only in the constructor.
class SurfaceSmoothing {
 public:
  SurfaceSmoothing(const PointSkin& skin, const Smoothing& settings);

  // Smooths `points` of a pose. `transforms` are those of the skin (PointSkin::Transforms); both
  // have one entry for each point of the skin.
  void Run(absl::Span<const skel::Affine> transforms, absl::Span<skel::Vec3> points);

 private:
  void Spread(const PointSkin& skin, const Smoothing& settings);
  // Leaves the smooth points in relaxed_.
  void Relax(absl::Span<const skel::Vec3> points);

  int rounds_;
  // Points by position, so that seams do not tear: the first twin of each, and its neighbours.
  std::vector<uint32_t> twins_;
  std::vector<uint32_t> begin_, neighbours_;
  std::vector<uint32_t> moved_;  // points with a strength
  std::vector<float> strength_;  // of each point
  std::vector<skel::Vec3> rest_detail_, relaxed_, scratch_;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_SURFACE_SMOOTHING_H_
