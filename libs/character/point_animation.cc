#include "libs/character/point_animation.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace posewire::character {

size_t PointAnimation::points() const {
  size_t all = 0;
  for (const PointPart& part : parts_) all += part.points;
  return all;
}

absl::Status CheckPoints(absl::Span<const skel::Vec3> points, const std::string& name) {
  const auto fits = [](float v) { return std::fabs(v) < 1e9f; };
  for (size_t i = 0; i < points.size(); ++i) {
    if (fits(points[i].x) && fits(points[i].y) && fits(points[i].z)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("mesh \"", name, "\": point ", i, " is not three numbers below 1e9"));
  }
  return absl::OkStatus();
}

}  // namespace posewire::character
