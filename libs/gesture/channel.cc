#include "libs/gesture/channel.h"

#include <algorithm>
#include <cmath>

namespace posewire::gesture {

void Channel::Key(double t_s, float value) {
  while (!keys_.empty() && keys_.back().t >= t_s - 1e-6) keys_.pop_back();
  keys_.push_back({t_s, value});
}

void Channel::Move(double t0_s, double t1_s, float target, const MoveStyle& style) {
  const float from = last();
  const float way = target - from;
  Key(t0_s, from);
  if (way == 0) {
    Key(t1_s, target);
    return;
  }
  if (style.anticipate > 0) Key(t0_s + 0.28 * (t1_s - t0_s), from - style.anticipate * way);
  if (style.overshoot > 0) {
    Key(t1_s, target + style.overshoot * way);
    Key(t1_s + style.settle_s, target);
  } else {
    Key(t1_s, target);
  }
}

void Channel::Render(double rate_hz, double delay_s, absl::Span<float> out) const {
  if (keys_.empty()) {
    std::fill(out.begin(), out.end(), start_);
    return;
  }
  const size_t n = keys_.size();
  std::vector<double> slope(n, 0);
  for (size_t i = 1; i + 1 < n; ++i) {
    const double before = (keys_[i].value - keys_[i - 1].value) / (keys_[i].t - keys_[i - 1].t);
    const double after = (keys_[i + 1].value - keys_[i].value) / (keys_[i + 1].t - keys_[i].t);
    if (before * after <= 0) continue;
    const double mean =
        (keys_[i + 1].value - keys_[i - 1].value) / (keys_[i + 1].t - keys_[i - 1].t);
    slope[i] = std::copysign(
        std::min(std::fabs(mean), 3 * std::min(std::fabs(before), std::fabs(after))), mean);
  }
  size_t k = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    const double t = static_cast<double>(i) / rate_hz - delay_s;
    while (k + 1 < n && keys_[k + 1].t <= t) ++k;
    if (t <= keys_[0].t || k + 1 >= n) {
      out[i] = keys_[k].value;
      continue;
    }
    const double h = keys_[k + 1].t - keys_[k].t;
    const double u = (t - keys_[k].t) / h;
    const double u2 = u * u, u3 = u2 * u;
    out[i] = static_cast<float>(
        (2 * u3 - 3 * u2 + 1) * keys_[k].value + (u3 - 2 * u2 + u) * h * slope[k] +
        (3 * u2 - 2 * u3) * keys_[k + 1].value + (u3 - u2) * h * slope[k + 1]);
  }
  for (int pass = 0; pass < 2; ++pass) {
    float before = out.empty() ? 0 : out[0];
    for (size_t i = 0; i + 1 < out.size(); ++i) {
      const float here = out[i];
      out[i] = 0.25f * before + 0.5f * here + 0.25f * out[i + 1];
      before = here;
    }
  }
}

}  // namespace posewire::gesture
