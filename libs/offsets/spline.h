// A point's offsets over time as cubic Bezier pieces with as few knots as a tolerance allows.
//
// A knot has a frame and a position. Between two knots is one Bezier piece whose inner control
// points follow from the surrounding positions (Catmull and Rom's tangents, for knots at uneven
// times). First and last are clamped: the curve starts and ends there. Initially every frame is a
// knot. Knots are removed one by one, in rounds: without one, its neighbours move to minimise the
// squared errors, and it stays removed if no frame exceeds the tolerance.
#ifndef POSEWIRE_LIBS_OFFSETS_SPLINE_H_
#define POSEWIRE_LIBS_OFFSETS_SPLINE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/offsets/method.h"
#include "libs/skel/math.h"

namespace posewire::offsets {

struct Knot {
  int frame = 0;
  skel::Vec3 at;
};

// Returns the position at a frame between the first and the last knot. At least one knot, frames
// ascending.
skel::Vec3 SplineAt(absl::Span<const Knot> knots, int frame);

// Returns knots of a curve within `tolerance_m` of every element of `series`, which must not be
// empty: including the first and last frame, or a single knot if nothing moves by more.
std::vector<Knot> FitSpline(absl::Span<const skel::Vec3> series, float tolerance_m);

// See MethodEntry.
std::string EncodeSplines(const Offsets& offsets, const Settings& settings);
absl::StatusOr<std::unique_ptr<Chunk>> OpenSplines(absl::string_view bytes, size_t points,
                                                   size_t frames);
size_t OpenSplinesBytes(size_t bytes, size_t points, size_t frames);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_SPLINE_H_
