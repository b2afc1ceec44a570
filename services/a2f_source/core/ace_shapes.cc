#include "services/a2f_source/core/ace_shapes.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "libs/skel/rig_parser.h"

namespace posewire::a2f_source {

absl::Span<const std::string> AceShapeNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made = *skel::BuiltinShapes("arkit68");
    for (std::string& name : made)
      name[0] = absl::ascii_toupper(static_cast<unsigned char>(name[0]));
    return made;
  }();
  return names;
}

size_t AceShapeAt(absl::string_view name) {
  const auto names = AceShapeNames();
  const auto found = std::find_if(names.begin(), names.end(), [&](const std::string& shape) {
    return absl::EqualsIgnoreCase(shape, name);
  });
  return static_cast<size_t>(found - names.begin());
}

}  // namespace posewire::a2f_source
