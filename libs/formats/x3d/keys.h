// The times of X3D's interpolators, whose keys are shares of the cycle of a clock.
//
// A share times the cycle is a double only by chance: half of all seconds are hit by no double. So
// shares that we write have more digits than a double holds, and their product is rounded once.
// Other programs write six or nine digits, and mean frames.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_KEYS_H_
#define POSEWIRE_LIBS_FORMATS_X3D_KEYS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/formats/x3d/scene.h"

namespace posewire::x3d {

// The seconds of an interpolator's keys in a cycle of `cycle_s`; none without keys. Those that are
// near frames of a rate are the very seconds of these, unless a key has over 17 characters.
// INVALID_ARGUMENT with line and index for keys that fall, or leave 0 to 1.
absl::StatusOr<std::vector<double>> X3dSeconds(const Node& interpolator, double cycle_s);

// The keys for which X3dSeconds gives these seconds; each from 0 to `cycle_s`, rising.
std::string X3dKeys(const std::vector<double>& seconds, double cycle_s);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_KEYS_H_
