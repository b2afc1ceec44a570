// Smooths the values of one joint or shape over time.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_SMOOTH_VALUES_H_
#define POSEWIRE_TOOLS_ANIMCLIP_SMOOTH_VALUES_H_

#include <vector>

#include "absl/types/span.h"

namespace posewire::animclip {

// Each key becomes what a straight line through the keys around it shows there; they count by a
// bell (a Gauss curve that is cut off at twice its deviation) `window_s` wide, and may be uneven.
// Towards the ends the bell narrows, so that it is even on both sides: nothing is late, a steady
// motion stays as it is, and so do the first and the last key. `values` has `width` floats for each
// code; with `rotations`, quaternions (w x y z), whose sign does not matter and which stay of unit
// length. Codes rise.
std::vector<float> Smoothed(absl::Span<const double> time_codes_s, absl::Span<const float> values,
                            int width, bool rotations, double window_s);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_SMOOTH_VALUES_H_
