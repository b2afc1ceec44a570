#include "tools/animclip/smooth_values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace posewire::animclip {
namespace {

// Keys this close to the window's edge count as inside.
constexpr double kEdge_s = 1e-9;

// Computes the weight of each key for the value at `at_s` of a line that is fitted to the keys by
// least squares, with bell-shaped weights.
void FindShares(absl::Span<const double> time_codes_s, double at_s, double half_s,
                std::vector<double>* shares) {
  shares->clear();
  double sum = 0, first = 0, second = 0;  // moments of the bell curve
  for (const double time_code_s : time_codes_s) {
    const double away = (time_code_s - at_s) / half_s, bell = std::exp(-2 * away * away);
    shares->push_back(bell);
    sum += bell, first += bell * away, second += bell * away * away;
  }
  const double spread = sum * second - first * first;
  for (size_t k = 0; k < time_codes_s.size(); ++k) {
    const double away = (time_codes_s[k] - at_s) / half_s;
    (*shares)[k] *= spread > 1e-9 ? (second - first * away) / spread : 1 / sum;
  }
}

}  // namespace

std::vector<float> Smoothed(absl::Span<const double> time_codes_s, absl::Span<const float> values,
                            int width, bool rotations, double window_s) {
  const auto w = static_cast<size_t>(width);
  std::vector<float> out(values.begin(), values.end());
  std::vector<double> shares, sum(w);
  for (size_t i = 1; i + 1 < time_codes_s.size(); ++i) {
    const double at_s = time_codes_s[i];
    const double half_s =
        std::min({window_s / 2, at_s - time_codes_s.front(), time_codes_s.back() - at_s});
    const auto begin =
        std::lower_bound(time_codes_s.begin(), time_codes_s.end(), at_s - half_s - kEdge_s);
    const auto end = std::upper_bound(begin, time_codes_s.end(), at_s + half_s + kEdge_s);
    const auto first = static_cast<size_t>(begin - time_codes_s.begin());
    FindShares(time_codes_s.subspan(first, static_cast<size_t>(end - begin)), at_s, half_s,
               &shares);
    std::fill(sum.begin(), sum.end(), 0);
    const float* const middle = &values[i * w];
    for (size_t k = 0; k < shares.size(); ++k) {
      const float* const v = &values[(first + k) * w];
      double dot = 0;
      for (size_t c = 0; rotations && c < w; ++c) dot += double{v[c]} * middle[c];
      const double share = dot < 0 ? -shares[k] : shares[k];
      for (size_t c = 0; c < w; ++c) sum[c] += share * v[c];
    }
    double square = 0;
    for (const double s : sum) square += s * s;
    const double length = rotations ? std::sqrt(square) : 1;
    if (!(length > 0)) continue;
    for (size_t c = 0; c < w; ++c) out[i * w + c] = static_cast<float>(sum[c] / length);
  }
  return out;
}

}  // namespace posewire::animclip
