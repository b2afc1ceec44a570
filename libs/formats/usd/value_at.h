// Returns the value of an attribute at a time, from its samples.
#ifndef POSEWIRE_LIBS_FORMATS_USD_VALUE_AT_H_
#define POSEWIRE_LIBS_FORMATS_USD_VALUE_AT_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "libs/formats/usd/layer.h"

namespace posewire::usd {

// For a property with samples: linear between them, slerp for quaternions, constant outside, for
// integers and words, and between lists of different lengths. Halves and floats are rounded to
// their type. kNone if the sample blocks the value.
Value ValueAt(const Property& attribute, double time);

// Rounds numbers to an attribute's type.
void RoundAs(absl::string_view type, std::vector<double>& numbers);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_VALUE_AT_H_
