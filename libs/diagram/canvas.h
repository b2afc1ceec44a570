// A drawing surface measured in points (1/96 inch), y down, that is encoded as SVG or PNG.
//
// Wraps cairo, so that no other file includes it. Text is drawn in the first sans-serif font that
// fontconfig finds; in SVG it is converted to outlines, so that the picture looks the same
// everywhere. A Canvas exists during one Render call, on one thread.
#ifndef POSEWIRE_LIBS_DIAGRAM_CANVAS_H_
#define POSEWIRE_LIBS_DIAGRAM_CANVAS_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

struct _cairo;  // NOLINT(bugprone-reserved-identifier): cairo's own name

namespace posewire::diagram {

struct Color {
  double r = 0, g = 0, b = 0, a = 1;
};
// 0xRRGGBB.
constexpr Color Hex(unsigned rgb, double alpha = 1) {
  return {((rgb >> 16) & 255) / 255.0, ((rgb >> 8) & 255) / 255.0, (rgb & 255) / 255.0, alpha};
}
constexpr Color Mix(Color a, Color b, double t) {
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t,
          a.a + (b.a - a.a) * t};
}
constexpr Color WithAlpha(Color c, double alpha) { return {c.r, c.g, c.b, alpha}; }

struct Point {
  double x = 0, y = 0;
};
constexpr Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
constexpr Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
constexpr Point operator*(Point a, double s) { return {a.x * s, a.y * s}; }

struct Rect {
  double x = 0, y = 0, w = 0, h = 0;
};

enum class Align { kLeft, kCenter, kRight };

struct TextStyle {
  double size = 11;
  Color color;
  Align align = Align::kLeft;
  bool bold = false;
};

class Canvas {
 public:
  explicit Canvas(_cairo* cr) : cr_(cr) {}
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  // Clips all drawing to `r` until PopClip; clips nest.
  void PushClip(const Rect& r);
  void PopClip();

  void FillRect(const Rect& r, Color fill, double radius = 0);
  void Line(Point a, Point b, double width, Color color);
  void DashedLine(Point a, Point b, double width, Color color, double dash);
  // Round joins and caps. Does nothing for fewer than two points.
  void Polyline(absl::Span<const Point> points, double width, Color color);
  void FillPolygon(absl::Span<const Point> points, Color fill);
  // The hull of two circles: a tapered bone.
  void Capsule(Point a, double radius_a, Point b, double radius_b, Color fill);
  void FillCircle(Point center, double radius, Color fill);
  // An ellipse spanned by two conjugate half axes. Alpha 0 omits fill or stroke.
  void Ellipse(Point center, Point axis_a, Point axis_b, Color fill, Color stroke, double width);
  // A cubic curve from a to d.
  void Curve(Point a, Point b, Point c, Point d, double width, Color color);
  // `at` is on the baseline; left end, middle or right end, by the style's alignment.
  void Text(Point at, absl::string_view text, const TextStyle& style);
  // Stretches width x height pixels, 0xRRGGBB, top row first, over `r`. In an SVG the image's id
  // contains cairo's counter, which grows within a process.
  void Image(const Rect& r, int width, int height, absl::Span<const uint32_t> pixels);
  double TextWidth(absl::string_view text, const TextStyle& style);

 private:
  void SetColor(Color c);
  void RectPath(const Rect& r, double radius);
  void SetFont(const TextStyle& style);

  _cairo* cr_;
};

enum class ImageFormat { kSvg, kPng };

// INVALID_ARGUMENT unless `path` ends in .svg or .png (any case).
absl::StatusOr<ImageFormat> ImageFormatOf(absl::string_view path);

// Draws a picture of width x height points on white and encodes it. `pixels_per_point` only affects
// PNG. INVALID_ARGUMENT for a size that is not positive or over 32767 pixels a side; INTERNAL, with
// cairo's message, if drawing fails.
absl::StatusOr<std::string> Render(ImageFormat format, double width, double height,
                                   double pixels_per_point, absl::FunctionRef<void(Canvas&)> draw);

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_CANVAS_H_
