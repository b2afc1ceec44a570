// A tight box round each point's offsets, and the codes of places in it.
//
// Corners lie on a lattice of 65535 steps that is the same for all points, so that a box costs 12
// bytes; zero is on it, and points without offsets cost no more than their box.
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
  size_t flexible = 0;      // sides that are not flat: these have codes

  static Boxes Round(const Offsets& offsets);
  // All as large as the largest of these, so that from one of `codes` places to the next it is as
  // far for each point: what a codec spares or spoils is then as much of a millimetre everywhere,
  // and neighbours that move alike have like codes. Sides that are no longer than that are flat.
  static Boxes OfOneSize(const Offsets& offsets, int codes);
  void Write(ByteWriter& out) const;
  // False for what is none.
  bool Read(ByteReader& in, size_t points);
};

// Where in a box a code lies, 0 to 1.
struct EvenCodes {  // the 2^bits codes lie evenly
  float most;       // 255 or 65535
  float Place(uint32_t code) const { return static_cast<float>(code) / most; }
  uint32_t Code(float place) const;
};

// A sign bit, five bits of mantissa m and two of exponent e, from the highest: away from the middle
// by m / 32 (e = 0), or by (1 + m / 32) 2^(e - 1), of 7.875.
class Minifloat {
 public:
  Minifloat();
  // -1 to 1, and the code nearest to a value.
  float Value(uint32_t code) const { return values_[code & 0xFF]; }
  uint32_t Nearest(float value) const;
  float Place(uint32_t code) const { return 0.5f + 0.5f * Value(code); }
  uint32_t Code(float place) const { return Nearest(2 * place - 1); }

 private:
  std::array<float, 256> values_;
  std::array<uint8_t, 256> order_;  // codes by value
};

// 1, 2, 5, 4 becomes 1, +1, +3, -1, modulo what the type holds; and back.
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
