#include "libs/character/point_animation.h"

#include "absl/strings/str_cat.h"
#include "libs/character/limits.h"

namespace posewire::character {

size_t PointAnimation::points() const {
  size_t all = 0;
  for (const PointPart& part : parts_) all += part.points;
  return all;
}

absl::Status CheckPoints(absl::Span<const skel::Vec3> points, const std::string& name) {
  for (size_t i = 0; i < points.size(); ++i) {
    if (AllFit(points.subspan(i, 1))) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("mesh \"", name, "\": point ", i, " is not three numbers below 1e9"));
  }
  return absl::OkStatus();
}

}  // namespace posewire::character
