#include "libs/avatar/spline.h"

#include <algorithm>

namespace posewire::avatar {

Spline::Spline(std::initializer_list<std::pair<float, float>> knots) {
  for (const auto& [x, y] : knots) knots_.push_back({x, y, 0});
  for (size_t i = 1; i + 1 < knots_.size(); ++i) {
    const Knot &a = knots_[i - 1], &b = knots_[i + 1];
    Knot& k = knots_[i];
    const float left = (k.y - a.y) / (k.x - a.x), right = (b.y - k.y) / (b.x - k.x);
    if (left * right <= 0) continue;
    const float wl = 2 * (b.x - k.x) + (k.x - a.x), wr = (b.x - k.x) + 2 * (k.x - a.x);
    k.slope = (wl + wr) / (wl / left + wr / right);
  }
  if (knots_.size() < 2) return;
  const auto end_slope = [](const Knot& end, const Knot& next) {
    return 1.5f * (next.y - end.y) / (next.x - end.x) - 0.5f * next.slope;
  };
  knots_.front().slope = end_slope(knots_.front(), knots_[1]);
  knots_.back().slope = end_slope(knots_.back(), knots_[knots_.size() - 2]);
}

float Spline::operator()(float x) const {
  if (knots_.empty()) return 0;
  if (x <= knots_.front().x) return knots_.front().y;
  if (x >= knots_.back().x) return knots_.back().y;
  const auto up = std::upper_bound(knots_.begin(), knots_.end(), x,
                                   [](float v, const Knot& k) { return v < k.x; });
  const Knot &a = *(up - 1), &b = *up;
  const float w = b.x - a.x, t = (x - a.x) / w, t2 = t * t, t3 = t2 * t;
  return (2 * t3 - 3 * t2 + 1) * a.y + (t3 - 2 * t2 + t) * w * a.slope + (3 * t2 - 2 * t3) * b.y +
         (t3 - t2) * w * b.slope;
}

}  // namespace posewire::avatar
