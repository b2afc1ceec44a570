#include "libs/offsets/boxes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace posewire::offsets {

Boxes Boxes::Round(const Offsets& offsets) {
  Boxes out;
  const size_t n = offsets.points * 3;
  std::vector<float> low(n, INFINITY), high(n, -INFINITY);
  float most = 0;
  for (size_t f = 0; f < offsets.frames(); ++f) {
    for (size_t i = 0; i < offsets.points; ++i) {
      const skel::Vec3 o = offsets.at(f, i);
      const std::array xyz = {o.x, o.y, o.z};
      for (size_t k = 0; k < 3; ++k) {
        low[3 * i + k] = std::min(low[3 * i + k], xyz[k]);
        high[3 * i + k] = std::max(high[3 * i + k], xyz[k]);
        most = std::max(most, std::fabs(xyz[k]));
      }
    }
  }
  // Divides by one less than 32767 because the divisions below may round up.
  out.step_m = std::min(most / 32766, kMostStep_m);
  out.sides.resize(n);
  if (out.step_m == 0) return out;
  const auto steps = [&](float x) {
    return static_cast<int16_t>(std::clamp(x, -32767.0f, 32767.0f));
  };
  for (size_t k = 0; k < n; ++k) {
    Side& side = out.sides[k];
    side.low = steps(std::floor(low[k] / out.step_m));
    side.high = steps(std::ceil(high[k] / out.step_m));
    out.flexible += side.low < side.high;
  }
  return out;
}

Boxes Boxes::OfOneSize(const Offsets& offsets, int codes) {
  Boxes out = Round(offsets);
  int widest = 0;
  for (const Side& side : out.sides) widest = std::max(widest, side.high - side.low);
  out.flexible = 0;
  for (Side& side : out.sides) {
    const int middle = (side.low + side.high) / 2;
    const bool flat = side.high - side.low <= widest / (codes - 1);
    const int low = flat ? middle : std::clamp(middle - widest / 2, -32767, 32767 - widest);
    side.low = static_cast<int16_t>(low);
    side.high = static_cast<int16_t>(flat ? low : low + widest);
    out.flexible += side.low < side.high;
  }
  return out;
}

void Boxes::Write(ByteWriter& out) const {
  out.Put(step_m);
  for (const Side& side : sides) out.Put(side.low);
  for (const Side& side : sides) out.Put(static_cast<uint16_t>(side.high - side.low));
}

bool Boxes::Read(ByteReader& in, size_t points) {
  step_m = in.Get<float>();
  if (!in.ok() || !(step_m >= 0) || step_m > kMostStep_m || in.left() / 12 < points) return false;
  sides.resize(points * 3);
  for (Side& side : sides) side.low = in.Get<int16_t>();
  flexible = 0;
  for (Side& side : sides) {
    const int high = side.low + in.Get<uint16_t>();
    if (high > 32767) return false;
    side.high = static_cast<int16_t>(high);
    flexible += side.low < side.high;
  }
  return true;
}

uint32_t EvenCodes::Code(float place) const {
  return static_cast<uint32_t>(std::lround(std::clamp(place, 0.0f, 1.0f) * most));
}

Minifloat::Minifloat() {
  for (uint32_t code = 0; code < 256; ++code) {
    const auto mantissa = static_cast<float>((code >> 2) & 31) / 32;
    const uint32_t exponent = code & 3;
    const float size =
        exponent == 0 ? mantissa : (1 + mantissa) * static_cast<float>(1u << (exponent - 1));
    values_[code] = (code & 128 ? -size : size) / 7.875f;
  }
  std::iota(order_.begin(), order_.end(), uint8_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](uint8_t a, uint8_t b) { return values_[a] < values_[b]; });
}

uint32_t Minifloat::Nearest(float value) const {
  const auto above = std::lower_bound(order_.begin(), order_.end(), value,
                                      [&](uint8_t code, float v) { return values_[code] < v; });
  if (above == order_.begin()) return *above;
  const uint8_t below = *(above - 1);
  if (above == order_.end()) return below;
  return value - values_[below] <= values_[*above] - value ? below : *above;
}

}  // namespace posewire::offsets
