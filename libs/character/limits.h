// Limits for untrusted character files. Detailed persons reach a tenth of them.
#ifndef POSEWIRE_LIBS_CHARACTER_LIMITS_H_
#define POSEWIRE_LIBS_CHARACTER_LIMITS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/asset/limits.h"
#include "libs/image/image.h"
#include "libs/skel/math.h"

namespace posewire::character {

struct Limits : asset::Limits {
  size_t points = 2u << 20;
  size_t triangles = 4u << 20;
  size_t joints = 1024;   // of a skin
  size_t targets = 1024;  // of a mesh
  size_t pictures = 64;
  image::Limits picture;
};

// Returns RESOURCE_EXHAUSTED that names the limit and what exceeds it.
inline absl::Status OverLimit(absl::string_view what, size_t limit) {
  return absl::ResourceExhaustedError(absl::StrCat("over ", limit, " ", what));
}

// Bounds the values in a file, because sizes and positions multiply.
inline bool Fits(float v) { return std::fabs(v) < 1e9f; }
inline bool AllFit(absl::Span<const skel::Vec3> all) {
  return std::all_of(all.begin(), all.end(),
                     [](const skel::Vec3& v) { return Fits(v.x) && Fits(v.y) && Fits(v.z); });
}

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_LIMITS_H_
