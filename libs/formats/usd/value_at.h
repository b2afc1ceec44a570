// The value of an attribute at a time, from its samples.
#ifndef POSEWIRE_LIBS_FORMATS_USD_VALUE_AT_H_
#define POSEWIRE_LIBS_FORMATS_USD_VALUE_AT_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "libs/formats/usd/layer.h"

namespace posewire::usd {

// Of a property with samples: linear between them, slerp for quaternions, held outside, for whole
// numbers and words, and between lists of different lengths. Halves and floats are rounded as
// those. kNone where the sample that counts blocks the value.
Value ValueAt(const Property& attribute, double time);

// Numbers as an attribute of this type has them.
void RoundAs(absl::string_view type, std::vector<double>& numbers);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_VALUE_AT_H_
