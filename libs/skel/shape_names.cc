#include "libs/skel/shape_names.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace posewire::skel {

std::string ShapeKeyOf(absl::string_view name) {
  if (const size_t at = name.find_last_of(".:"); at != absl::string_view::npos) {
    name.remove_prefix(at + 1);
  }
  std::string text(name);
  for (const auto& [end, side] : {std::pair{"_L", "Left"}, std::pair{" L", "Left"},
                                  std::pair{"_R", "Right"}, std::pair{" R", "Right"}}) {
    if (absl::EndsWith(text, end)) {
      text = absl::StrCat(text.substr(0, text.size() - 2), side);
      break;
    }
  }
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '_' || c == ' '; }),
             text.end());
  return absl::AsciiStrToLower(text);
}

}  // namespace posewire::skel
