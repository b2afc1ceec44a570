#include "libs/gesture/hand_shapes.h"

#include <cstddef>

namespace posewire::gesture {
namespace {

struct Finger {
  float spread, base, middle;
};

// In degrees: the thumb's four angles, then index, middle, ring, pinky.
struct Shape {
  float thumb[4];
  Finger finger[4];
};

constexpr Finger kStraight{5, 0, 2};
constexpr Finger kCurled{0, 82, 100};
constexpr float kThumbOver[4] = {42, 42, 35, 45};

constexpr Shape Make(const float (&thumb)[4], Finger i, Finger m, Finger r, Finger p) {
  return {{thumb[0], thumb[1], thumb[2], thumb[3]}, {i, m, r, p}};
}

constexpr Shape Table(HandShape shape) {
  switch (shape) {
    case HandShape::kRelaxed:
      return Make({42, 20, 16, 18}, {2, 20, 30}, {2, 26, 37}, {2, 31, 42}, {3, 34, 45});
    case HandShape::kFlat:
      return Make({49, 8, 8, 4}, {0, 2, 3}, {0, 2, 3}, {0, 2, 4}, {0, 3, 5});
    case HandShape::kOpen:
      return Make({26, 4, 2, 4}, {7, 6, 8}, {5, 8, 10}, {6, 10, 12}, {8, 8, 12});
    case HandShape::kFist:
      return Make(kThumbOver, kCurled, kCurled, kCurled, kCurled);
    case HandShape::kPoint:
      return Make(kThumbOver, {0, -2, 2}, kCurled, kCurled, kCurled);
    case HandShape::kThumbUp:
      return Make({-8, 0, -4, -10}, kCurled, kCurled, kCurled, kCurled);
    case HandShape::kCup:
      return Make({48, 14, 10, 10}, {0, 20, 22}, {0, 22, 24}, {0, 24, 26}, {0, 26, 28});
    case HandShape::kChin:
      return Make({14, 20, 10, 15}, {0, 34, 46}, {0, 72, 92}, {0, 76, 96}, {0, 78, 98});
    case HandShape::kHook:
      return Make({40, 20, 15, 20}, {0, 52, 64}, {0, 54, 66}, {0, 56, 68}, {0, 58, 70});
    case HandShape::kGrip:
      return Make({40, 38, 32, 34}, {0, 64, 74}, {0, 66, 76}, {0, 68, 78}, {0, 70, 80});
    case HandShape::kPinch:
      return Make({30, 42, 28, 24}, {0, 46, 52}, {0, 52, 56}, {0, 62, 74}, {0, 66, 80});
    case HandShape::kGap:
      return Make({24, 26, 14, 12}, {0, 40, 46}, {0, 72, 92}, {0, 76, 96}, {0, 78, 98});
    case HandShape::kBunch:
      return Make({34, 44, 24, 20}, {-8, 54, 40}, {0, 58, 36}, {-8, 60, 38}, {-12, 58, 44});
    case HandShape::kGun:
      return Make({0, 0, -4, -8}, {0, 0, 2}, kCurled, kCurled, kCurled);
    case HandShape::kPhone:
      return Make({-4, -4, -4, -8}, kCurled, kCurled, kCurled, {12, -2, 2});
    case HandShape::kCount1:
      return Make(kThumbOver, kStraight, kCurled, kCurled, kCurled);
    case HandShape::kCount2:
      return Make(kThumbOver, {11, 0, 2}, {-14, 0, 2}, kCurled, kCurled);
    case HandShape::kCount3:
      return Make({46, 46, 46, 56}, {12, 0, 2}, {0, 0, 2}, {14, 0, 2}, kCurled);
    case HandShape::kCount4:
      return Make({46, 48, 48, 62}, {11, 0, 2}, {0, 0, 2}, {10, 0, 2}, {14, 0, 2});
    case HandShape::kCount5:
      return Make({4, -6, -4, -6}, {13, -2, 2}, {0, -2, 2}, {12, -2, 2}, {16, -2, 2});
  }
  return {};
}

}  // namespace

void SetHand(HandShape shape, ArmAngles& angles) {
  const Shape s = Table(shape);
  for (size_t i = 0; i < 4; ++i) {
    angles[kThumbAdduct + i] = s.thumb[i] * skel::kDeg;
    angles[kFingers + 3 * i] = s.finger[i].spread * skel::kDeg;
    angles[kFingers + 3 * i + 1] = s.finger[i].base * skel::kDeg;
    angles[kFingers + 3 * i + 2] = s.finger[i].middle * skel::kDeg;
  }
}

}  // namespace posewire::gesture
