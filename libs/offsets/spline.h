// A point's offsets over time as cubic Bezier pieces with as few knots as a tolerance allows.
//
// A knot has a frame and a place. Between two of them runs one Bezier piece whose inner control
// points follow from the places around (Catmull and Rom's tangents, for knots at uneven times);
// first and last are clamped: the curve starts and ends there. Every frame is a knot at first.
// Knots go one after the other, in rounds: without one, its neighbours move to where the squares of
// the errors are least, and it stays out if no frame is then farther off than the tolerance.
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

// The place at a frame from the first knot's to the last's. At least one knot, frames ascending.
skel::Vec3 SplineAt(absl::Span<const Knot> knots, int frame);

// Knots of a curve within `tolerance_m` of every one of `series`, which has at least one: the first
// and last frame are among them, or a single knot if nothing moves by more.
std::vector<Knot> FitSpline(absl::Span<const skel::Vec3> series, float tolerance_m);

// As MethodEntry has them.
std::string EncodeSplines(const Offsets& offsets, const Settings& settings);
absl::StatusOr<std::unique_ptr<Chunk>> OpenSplines(absl::string_view bytes, size_t points,
                                                   size_t frames);
size_t OpenSplinesBytes(size_t bytes, size_t points, size_t frames);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_SPLINE_H_
