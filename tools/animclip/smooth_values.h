// Smooths the values of one joint or shape over time.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_SMOOTH_VALUES_H_
#define POSEWIRE_TOOLS_ANIMCLIP_SMOOTH_VALUES_H_

#include <vector>

#include "absl/types/span.h"

namespace posewire::animclip {

// Each key becomes the value of a straight line through the keys around it. They are weighted by a
// Gauss curve, cut off at twice its deviation and `window_s` wide, and may be unevenly spaced.
// Towards the ends the curve narrows to stay symmetric, so there is no delay, and a steady motion,
// the first and the last key do not change. `values` has `width` floats per time code; with
// `rotations`, quaternions (w x y z), whose sign does not matter and which stay of unit length.
// Time codes must increase.
std::vector<float> Smoothed(absl::Span<const double> time_codes_s, absl::Span<const float> values,
                            int width, bool rotations, double window_s);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_SMOOTH_VALUES_H_
