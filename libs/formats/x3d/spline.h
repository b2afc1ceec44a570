// Curves of X3D's spline interpolators (ISO/IEC 19775-1, 19.2), as keys close together.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_SPLINE_H_
#define POSEWIRE_LIBS_FORMATS_X3D_SPLINE_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/x3d/scene.h"

namespace posewire::x3d {

// Returns the interpolator without splines that moves the same: "PositionInterpolator" for
// SplinePositionInterpolator, "OrientationInterpolator" for SquadOrientationInterpolator; other
// names are unchanged.
absl::string_view StraightType(absl::string_view type);

struct CurveKeys {
  std::vector<double> times;
  std::vector<float> values;
};

// Returns keys 60 times a second, at most 64 between two of the file's; `times` ascend, and each
// has `width` values, quaternions (w, x, y, z) for 4. Tangents are keyVelocity, or Catmull and
// Rom's; rotations are Shoemake's squad. `closed` and `normalizeVelocity` count. INVALID_ARGUMENT
// with the line for a keyVelocity of another size, and a curve that is not finite;
// RESOURCE_EXHAUSTED for over `most` keys.
absl::StatusOr<CurveKeys> SampleSpline(const X3dNode& spline, size_t width,
                                       const std::vector<double>& times,
                                       const std::vector<float>& values, size_t most);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_SPLINE_H_
