// Converts the times of X3D's interpolators, whose keys are fractions of a clock's cycle.
//
// For about half of all times there is no double that, multiplied by the cycle, gives exactly that
// time. So we write fractions with more digits than a double has, and round only their product.
// Other programs write six or nine digits, and their keys are meant to be at frames.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_KEYS_H_
#define POSEWIRE_LIBS_FORMATS_X3D_KEYS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/formats/x3d/scene.h"

namespace posewire::x3d {

// Returns the times of an interpolator's keys in seconds, in a cycle of `cycle_s`; empty without
// keys. If there are at least two, all of them are within 2 microseconds of frames of one rate, and
// no key has over 17 characters, returns the exact times of these frames. INVALID_ARGUMENT with
// line and index for keys that are not numbers, decrease, or are outside 0 to 1.
absl::StatusOr<std::vector<double>> X3dSeconds(const X3dNode& interpolator, double cycle_s);

// Returns the keys for which X3dSeconds returns these seconds; each from 0 to `cycle_s`, ascending.
std::string X3dKeys(const std::vector<double>& seconds, double cycle_s);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_KEYS_H_
