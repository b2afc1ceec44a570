// A tight box around each point's offsets, and the codes of positions in it.
//
// Corners are on a lattice of 65535 steps, the same for all points, so a box takes 12 bytes. Zero
// is on it, so points without offsets take only their box.
#ifndef POSEWIRE_LIBS_OFFSETS_BOXES_H_
#define POSEWIRE_LIBS_OFFSETS_BOXES_H_

#include <array>
#include <cstdint>
#include <vector>

#include "libs/offsets/bytes.h"
#include "libs/offsets/method.h"

namespace posewire::offsets {

struct Boxes {
  // One axis of one point, in steps.
  struct Side {
    int16_t low = 0, high = 0;
  };
  float step_m = 0;
  std::vector<Side> sides;  // x, y, z of each point
  size_t flexible = 0;      // sides that are not flat; only these have codes

  static Boxes Round(const Offsets& offsets);
  // All boxes are as large as the largest, so that the distance between two of `codes` positions is
  // the same for all points. So the effect of a codec's errors, in millimetres, is the same
  // everywhere, and neighbours that move alike have similar codes. Sides of at most that distance
  // are flat.
  static Boxes OfOneSize(const Offsets& offsets, int codes);
  void Write(ByteWriter& out) const;
  // Returns false for invalid bytes.
  bool Read(ByteReader& in, size_t points);
};

// Position of a code in a box, 0 to 1.
struct EvenCodes {  // evenly spaced, 2^bits codes
  float most;       // 255 or 65535
  float Place(uint32_t code) const { return static_cast<float>(code) / most; }
  uint32_t Code(float place) const;
};

// A sign bit, five bits of mantissa m and two of exponent e, from the highest. The distance from
// the middle is m / 32 (e = 0), or (1 + m / 32) 2^(e - 1), of 7.875.
class Minifloat {
 public:
  Minifloat();
  // Value of a code, -1 to 1, and the code nearest to a value.
  float Value(uint32_t code) const { return values_[code & 0xFF]; }
  uint32_t Nearest(float value) const;
  float Place(uint32_t code) const { return 0.5f + 0.5f * Value(code); }
  uint32_t Code(float place) const { return Nearest(2 * place - 1); }

 private:
  std::array<float, 256> values_;
  std::array<uint8_t, 256> order_;  // codes by value
};

// Delta coding: 1, 2, 5, 4 becomes 1, +1, +3, -1, modulo the type's range; and back.
template <typename T>
void ToDeltas(absl::Span<T> series) {
  for (size_t i = series.size(); i-- > 1;) series[i] = static_cast<T>(series[i] - series[i - 1]);
}
template <typename T>
void FromDeltas(absl::Span<T> series) {
  for (size_t i = 1; i < series.size(); ++i) series[i] = static_cast<T>(series[i] + series[i - 1]);
}

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_BOXES_H_
