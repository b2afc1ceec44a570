#include "libs/mesh/faces.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/mesh/check_size.h"

namespace posewire::mesh {

absl::Status Faces::Validate() const {
  size_t begin = 0;
  std::vector<int> seen;
  for (size_t f = 0; f < sizes.size(); ++f) {
    if (sizes[f] < 3 || sizes[f] > 1000) {
      return absl::InvalidArgumentError(
          absl::StrCat("sizes[", f, "] is ", sizes[f], ", expected 3 to 1000 corners"));
    }
    const size_t end = begin + static_cast<size_t>(sizes[f]);
    if (end > corners.size()) break;
    seen.assign(corners.begin() + static_cast<std::ptrdiff_t>(begin),
                corners.begin() + static_cast<std::ptrdiff_t>(end));
    for (size_t k = 0; k < seen.size(); ++k) {
      if (seen[k] >= 0 && static_cast<size_t>(seen[k]) < points) continue;
      return absl::InvalidArgumentError(absl::StrCat("corners[", begin + k, "] is ", seen[k],
                                                     ", expected 0 to ", points, " - 1"));
    }
    std::sort(seen.begin(), seen.end());
    if (const auto twice = std::adjacent_find(seen.begin(), seen.end()); twice != seen.end()) {
      return absl::InvalidArgumentError(absl::StrCat("face ", f, " has point ", *twice, " twice"));
    }
    begin = end;
  }
  size_t sum = 0;
  for (const int n : sizes) sum += static_cast<size_t>(n);
  return CheckSize("corners", corners.size(), sum);
}

}  // namespace posewire::mesh
