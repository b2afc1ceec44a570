// Parses .usda text.
#ifndef POSEWIRE_LIBS_FORMATS_USD_READ_LAYER_H_
#define POSEWIRE_LIBS_FORMATS_USD_READ_LAYER_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/usd/layer.h"

namespace posewire::usd {

struct ReadLimits {
  size_t bytes = size_t{1} << 30;
  int depth = 64;  // of prims in prims, and of dictionaries in dictionaries
};

// Memory stays within a fixed multiple of the text. INVALID_ARGUMENT begins with "line N: ";
// RESOURCE_EXHAUSTED names the limit. Splines are rejected.
absl::StatusOr<Layer> ReadLayer(absl::string_view text, const ReadLimits& limits = {});

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_READ_LAYER_H_
