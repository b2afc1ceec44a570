#include "libs/skel/shape_names.h"

#include "absl/strings/ascii.h"

namespace posewire::skel {
namespace {

bool IsSeparator(char c) { return c == '_' || c == ' ' || c == '-'; }

}  // namespace

ShapeKey::ShapeKey(absl::string_view name) {
  absl::string_view side;
  if (name.size() > 2 && (IsSeparator(name[name.size() - 2]) || name[name.size() - 2] == '.')) {
    if (name.back() == 'L') side = "left";
    if (name.back() == 'R') side = "right";
    if (!side.empty()) name.remove_suffix(2);
  }
  if (const size_t at = name.find_last_of(".:/"); at != absl::string_view::npos) {
    name.remove_prefix(at + 1);
  }
  for (const char c : name) {
    if (!IsSeparator(c)) text_.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
  }
  text_.insert(text_.end(), side.begin(), side.end());
}

std::string ShapeKeyOf(absl::string_view name) { return std::string(ShapeKey(name).text()); }

}  // namespace posewire::skel
