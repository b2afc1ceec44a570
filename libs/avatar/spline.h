// A smooth curve through given values that does not overshoot them.
#ifndef POSEWIRE_LIBS_AVATAR_SPLINE_H_
#define POSEWIRE_LIBS_AVATAR_SPLINE_H_

#include <initializer_list>
#include <utility>
#include <vector>

namespace posewire::avatar {

// Monotone cubic interpolation (Fritsch and Carlson 1980); held outside the first and last knot.
class Spline {
 public:
  Spline() = default;
  // Knots with increasing x.
  Spline(std::initializer_list<std::pair<float, float>> knots);

  float operator()(float x) const;

 private:
  struct Knot {
    float x, y, slope;
  };
  std::vector<Knot> knots_;
};

}  // namespace posewire::avatar

#endif  // POSEWIRE_LIBS_AVATAR_SPLINE_H_
