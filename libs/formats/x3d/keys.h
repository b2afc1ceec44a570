// Converts the times of X3D's interpolators, whose keys are fractions of a clock's cycle.
//
// A fraction times the cycle is rarely the intended double: half of all seconds cannot be reached
// by any double. So fractions that we write have more digits than a double, and their product is
// rounded once. Other programs write six or nine digits, and mean frames.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_KEYS_H_
#define POSEWIRE_LIBS_FORMATS_X3D_KEYS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/formats/x3d/scene.h"

namespace posewire::x3d {

// Returns the seconds of an interpolator's keys in a cycle of `cycle_s`; none without keys. Those
// near frames of a rate are the exact seconds of these, unless a key has over 17 characters.
// INVALID_ARGUMENT with line and index for keys that decrease, or are outside 0 to 1.
absl::StatusOr<std::vector<double>> X3dSeconds(const Node& interpolator, double cycle_s);

// Returns the keys for which X3dSeconds returns these seconds; each from 0 to `cycle_s`, ascending.
std::string X3dKeys(const std::vector<double>& seconds, double cycle_s);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_KEYS_H_
