#include "libs/diagram/face.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/diagram/palette.h"
#include "libs/skel/arkit_mouth.h"

namespace posewire::diagram {
namespace {

constexpr Color kMouthInside = Hex(0x6E2433);
constexpr Color kTongue = Hex(0xD98090);

// Reads weights by name; a shape that the rig lacks is 0. Left and right are the character's own.
class Weights {
 public:
  Weights(const skel::Rig& rig, absl::Span<const float> values) : rig_(rig), values_(values) {}
  double Get(absl::string_view name) const {
    const int s = rig_.FindShape(name);
    if (s < 0 || static_cast<size_t>(s) >= values_.size()) return 0;
    return std::clamp<double>(values_[static_cast<size_t>(s)], -0.3, 1.3);
  }
  // side +1: left, -1: right.
  double Get(absl::string_view stem, int side) const {
    return Get(absl::StrCat(stem, side > 0 ? "Left" : "Right"));
  }

 private:
  const skel::Rig& rig_;
  absl::Span<const float> values_;
};

// The coordinates of the face: x to its left, y up. The oval is 1 high and 0.8 wide around the
// origin.
struct Plane {
  Point middle;
  double unit;
  Point At(double x, double y) const { return {middle.x + x * unit, middle.y - y * unit}; }
};

// Returns the area between two curves with common ends, as a polygon.
std::vector<Point> Lens(Point a, Point b, Point upper, Point lower) {
  // The curves pass through `upper` and `lower` at their middle.
  std::vector<Point> out;
  const auto side = [&](Point from, Point to, Point through) {
    const Point control = through * 2 - (from + to) * 0.5;
    for (int i = 0; i <= 12; ++i) {
      const double t = i / 12.0;
      out.push_back(from * ((1 - t) * (1 - t)) + control * (2 * t * (1 - t)) + to * (t * t));
    }
  };
  side(a, b, upper);
  side(b, a, lower);
  return out;
}

void Outlined(Canvas& canvas, std::vector<Point> shape, Color fill, double width, Color line) {
  canvas.FillPolygon(shape, fill);
  shape.push_back(shape.front());
  canvas.Polyline(shape, width, line);
}

void DrawEye(Canvas& canvas, const Weights& w, const Plane& face, int side) {
  const double x = 0.185 * side, y = 0.09, half = 0.085;
  const double blink = w.Get("eyeBlink", side), wide = w.Get("eyeWide", side);
  const double squint = w.Get("eyeSquint", side) + 0.6 * w.Get("cheekSquint", side);
  const double open = std::clamp(1 - blink, 0.0, 1.2);
  const double top = y - 0.028 + (0.078 + 0.03 * wide) * open;
  const double bottom = y - 0.028 - 0.012 * open + 0.022 * squint * open;
  const double line = face.unit * 0.016;
  const Point a = face.At(x - half, y - 0.012), b = face.At(x + half, y - 0.012);
  const auto lids = Lens(a, b, face.At(x, top), face.At(x, bottom - 0.004));
  const double height = top - bottom;
  if (height < 0.022) {
    const Point low = face.At(x, y - 0.036);
    canvas.Curve(a, low, low, b, line * 1.5, kInk);
    return;
  }
  canvas.FillPolygon(lids, kPaper);
  const double out = w.Get("eyeLookOut", side) - w.Get("eyeLookIn", side);
  const double up = w.Get("eyeLookUp", side) - w.Get("eyeLookDown", side);
  // The lids cover the iris.
  const double radius = std::min(0.036, 0.5 * height + 0.004);
  const Point iris = face.At(x + side * 0.045 * out, (top + bottom) / 2 + 0.028 * up);
  canvas.FillCircle(iris, radius * face.unit, Hex(0x5B7C99));
  canvas.FillCircle(iris, radius * 0.5 * face.unit, kInk);
  auto rim = lids;
  rim.push_back(rim.front());
  canvas.Polyline(rim, line, kInk);
}

void DrawBrow(Canvas& canvas, const Weights& w, const Plane& face, int side) {
  const double down = w.Get("browDown", side), outer = w.Get("browOuterUp", side);
  const double inner = w.Get("browInnerUp");
  const Point in = face.At(0.085 * side, 0.215 + 0.075 * inner - 0.055 * down);
  const Point mid = face.At(0.19 * side, 0.245 + 0.04 * inner + 0.05 * outer - 0.045 * down);
  const Point out = face.At(0.29 * side, 0.205 + 0.075 * outer - 0.02 * down);
  canvas.Curve(in, mid, mid, out, face.unit * 0.028, kInk);
}

// The weights follow ACE's convention (libs/skel/arkit_mouth.h): jawOpen and mouthClose together
// lower the jaw; jawOpen alone parts the lips.
double JawDown(const Weights& w) {
  const auto apart = static_cast<float>(w.Get("jawOpen"));
  return std::max(0.0f, skel::ArkitJawOpen(apart, static_cast<float>(w.Get("mouthClose"))));
}

struct Mouth {
  double shift, corner_y[2], half[2];  // left, right
  double upper, lower;                 // inner edges of the lips at the middle
};

Mouth ShapeMouth(const Weights& w) {
  Mouth m;
  const double jaw = JawDown(w), gap = std::max(0.0, w.Get("jawOpen"));
  const double pucker = w.Get("mouthPucker"), funnel = w.Get("mouthFunnel");
  m.shift = 0.08 * (w.Get("mouthLeft") - w.Get("mouthRight")) +
            0.05 * (w.Get("jawLeft") - w.Get("jawRight"));
  double lift = 0, drop = 0;
  for (int i = 0; i < 2; ++i) {
    const int side = i == 0 ? 1 : -1;
    const double smile = w.Get("mouthSmile", side), frown = w.Get("mouthFrown", side);
    m.corner_y[i] = -0.245 + 0.075 * smile - 0.065 * frown - 0.03 * jaw;
    m.half[i] = 0.155 * (1 - 0.5 * pucker - 0.33 * funnel - 0.14 * jaw) + 0.045 * smile +
                0.035 * w.Get("mouthStretch", side) + 0.02 * w.Get("mouthDimple", side) -
                0.01 * w.Get("mouthPress", side);
    lift += w.Get("mouthUpperUp", side) / 2;
    drop += w.Get("mouthLowerDown", side) / 2;
  }
  const double rest = -0.25 - 0.02 * (m.half[0] + m.half[1]) + 0.02 * w.Get("mouthShrugLower");
  m.upper =
      rest + 0.045 * lift + 0.03 * funnel - 0.012 * w.Get("mouthRollUpper") + 0.012 * pucker * gap;
  m.lower = rest - 0.17 * gap - 0.06 * drop - 0.03 * funnel + 0.012 * w.Get("mouthRollLower");
  m.lower = std::min(m.lower, m.upper);
  return m;
}

void DrawMouth(Canvas& canvas, const Weights& w, const Plane& face) {
  const Mouth m = ShapeMouth(w);
  const Point left = face.At(m.shift + m.half[0], m.corner_y[0]);
  const Point right = face.At(m.shift - m.half[1], m.corner_y[1]);
  const Point upper = face.At(m.shift, m.upper), lower = face.At(m.shift, m.lower);
  const double pout = 1 + 0.5 * w.Get("mouthPucker") + 0.3 * w.Get("mouthFunnel");
  const double roll = (w.Get("mouthRollUpper") + w.Get("mouthRollLower")) / 2;
  const double lip = face.unit * 0.030 * std::max(0.4, pout - 0.5 * roll);
  constexpr Color kLip = Hex(0xB4515F);
  if (m.upper - m.lower < 0.006) {
    const Point through = upper * 2 - (left + right) * 0.5;
    canvas.Curve(left, (left + through * 2) * (1 / 3.0), (right + through * 2) * (1 / 3.0), right,
                 lip, kLip);
    return;
  }
  const auto inside = Lens(right, left, upper, lower);
  Outlined(canvas, inside, kMouthInside, lip, kLip);
  if (const double tongue = w.Get("tongueOut"); tongue > 0.05) {
    const Point t = face.At(m.shift, m.lower - 0.03 * tongue);
    canvas.Ellipse(t, {face.unit * 0.06, 0}, {0, face.unit * (0.02 + 0.05 * tongue)}, kTongue, kLip,
                   face.unit * 0.01);
  }
}

}  // namespace

bool HasFace(const skel::Rig& rig) {
  return rig.FindShape("jawOpen") >= 0 && rig.FindShape("eyeBlinkLeft") >= 0 &&
         rig.FindShape("eyeBlinkRight") >= 0;
}

void DrawFace(Canvas& canvas, const skel::Rig& rig, absl::Span<const float> weights,
              const Rect& box) {
  const Weights w(rig, weights);
  const double unit = std::min(box.h / 1.12, box.w / 0.92);
  const Plane face{{box.x + box.w / 2, box.y + box.h / 2 - 0.02 * unit}, unit};
  const double jaw = JawDown(w), puff = w.Get("cheekPuff");
  const double line = unit * 0.018;
  // The chin moves down with the jaw.
  const Point chin = face.At(0.04 * (w.Get("jawLeft") - w.Get("jawRight")), -0.5 - 0.05 * jaw);
  const double cheek = 0.40 + 0.03 * puff;
  std::vector<Point> oval;
  for (int i = 0; i <= 48; ++i) {
    const double a = i * 2 * 3.14159265358979 / 48;
    const double y = std::sin(a);
    const double narrow = y < 0 ? 1 - 0.14 * y * y : 1.0;
    oval.push_back(
        {face.middle.x + (chin.x - face.middle.x) * std::max(0.0, -y) +
             unit * cheek * std::cos(a) * narrow,
         y >= 0 ? face.middle.y - unit * 0.5 * y : face.middle.y + (chin.y - face.middle.y) * -y});
  }
  Outlined(canvas, oval, kSkin, line, kMiddle);
  for (int side : {1, -1}) {
    DrawEye(canvas, w, face, side);
    DrawBrow(canvas, w, face, side);
  }
  const double sneer = (w.Get("noseSneerLeft") + w.Get("noseSneerRight")) / 2;
  const std::array<Point, 3> nose = {face.At(0.0, 0.04), face.At(0.035, -0.105 + 0.02 * sneer),
                                     face.At(-0.02, -0.115 + 0.02 * sneer)};
  canvas.Polyline(nose, line, kMutedInk);
  DrawMouth(canvas, w, face);
}

}  // namespace posewire::diagram
