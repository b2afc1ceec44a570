// Keys taken apart element by element.
#ifndef POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_UNPACK_H_
#define POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_UNPACK_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "libs/skel/pose.h"

namespace posewire::skel::scalar {

// What an UnpackJob is asked for, in plain tables: from[i] is the place of element i, -1 for none.
struct Unpack {
  struct Track {
    absl::Span<const float> key;
    const std::vector<int32_t>* from = nullptr;
    int key_size = 0;
  };
  Track translations, rotations, scales, weights;
  float translation_scale = 1;
  PoseSpan out;

  void Run() const {
    Each(translations, 3, out.has_t, [&](int j, const float* v) {
      out.SetTranslation(j, Vec3{v[0], v[1], v[2]} * translation_scale);
    });
    Each(rotations, 4, out.has_r, [&](int j, const float* v) {
      const Quat q = {v[0], v[1], v[2], v[3]};
      const bool unit = std::fabs(Dot(q, q) - 1) <= 2e-6f;
      out.SetRotation(j, unit ? q : Normalized(q));
    });
    Each(scales, 3, out.has_s, [&](int j, const float* v) { out.SetScale(j, {v[0], v[1], v[2]}); });
    Each(weights, 1, out.has_w, [&](int s, const float* v) { out.SetWeight(s, *v); });
  }

 private:
  template <typename Set>
  static void Each(const Track& in, int width, uint8_t* has, const Set& set) {
    if (in.from == nullptr) return;
    const auto size = static_cast<size_t>(width) * static_cast<size_t>(in.key_size);
    for (size_t i = 0; i < in.from->size(); ++i) {
      has[i] = 0;
      const int at = (*in.from)[i];
      if (in.key.size() != size || at < 0 || at >= in.key_size) continue;
      set(static_cast<int>(i), in.key.data() + ptrdiff_t{at} * width);
    }
  }
};

}  // namespace posewire::skel::scalar

#endif  // POSEWIRE_TESTS_UNIT_SKEL_SCALAR_SCALAR_UNPACK_H_
