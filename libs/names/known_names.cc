#include "libs/names/known_names.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/names/nearest_names.h"

namespace posewire {

std::string KnownNames(absl::string_view text, absl::Span<const std::string> names) {
  constexpr size_t kExamples = 3;
  if (names.empty()) return "; there is none";
  const std::vector<std::string> nearest = NearestNames(text, names);
  const bool few = names.size() <= kFewNames;
  if (nearest.empty()) {
    return few ? absl::StrCat("; known are ", absl::StrJoin(names, ", "))
               : absl::StrCat("; there are ", names.size(), ", such as ",
                              absl::StrJoin(names.subspan(0, kExamples), ", "));
  }
  return absl::StrCat("; did you mean ", absl::StrJoin(nearest, ", "), "? ",
                      few ? absl::StrCat("Known are ", absl::StrJoin(names, ", "))
                          : absl::StrCat("There are ", names.size()));
}

}  // namespace posewire
