#include "libs/diagram/canvas.h"

#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace posewire::diagram {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kMaxPixels = 32767;

struct SurfaceDeleter {
  void operator()(cairo_surface_t* s) const { cairo_surface_destroy(s); }
};
struct ContextDeleter {
  void operator()(cairo_t* c) const { cairo_destroy(c); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceDeleter>;
using Context = std::unique_ptr<cairo_t, ContextDeleter>;

cairo_status_t Append(void* closure, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

absl::Status CairoError(absl::string_view what, cairo_status_t status) {
  return absl::InternalError(
      absl::StrCat("figure: ", what, ": ", absl::string_view(cairo_status_to_string(status))));
}

// Cairo numbers the surfaces of a process. Without the number, equal drawings have equal bytes.
void DropSurfaceNumber(std::string& svg) {
  constexpr absl::string_view kId = "id=\"surface";
  size_t at = svg.find(kId.data(), 0, kId.size());
  if (at == std::string::npos) return;
  at += kId.size();
  while (at < svg.size() && absl::ascii_isdigit(static_cast<unsigned char>(svg[at]))) {
    svg.erase(at, 1);
  }
}

Surface MakeSurface(ImageFormat format, double width, double height, double pixels_per_point,
                    std::string* out) {
  if (format == ImageFormat::kSvg) {
    Surface svg(cairo_svg_surface_create_for_stream(Append, out, width, height));
    cairo_svg_surface_set_document_unit(svg.get(), CAIRO_SVG_UNIT_PX);
    return svg;
  }
  return Surface(cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width * pixels_per_point)),
      static_cast<int>(std::ceil(height * pixels_per_point))));
}

}  // namespace

void Canvas::SetColor(Color c) { cairo_set_source_rgba(cr_, c.r, c.g, c.b, c.a); }

void Canvas::PushClip(const Rect& r) {
  cairo_save(cr_);
  cairo_rectangle(cr_, r.x, r.y, r.w, r.h);
  cairo_clip(cr_);
}

void Canvas::PopClip() { cairo_restore(cr_); }

void Canvas::RectPath(const Rect& r, double radius) {
  cairo_new_path(cr_);
  if (radius <= 0) {
    cairo_rectangle(cr_, r.x, r.y, r.w, r.h);
    return;
  }
  const double q = std::min({radius, r.w / 2, r.h / 2});
  cairo_arc(cr_, r.x + r.w - q, r.y + q, q, -kPi / 2, 0);
  cairo_arc(cr_, r.x + r.w - q, r.y + r.h - q, q, 0, kPi / 2);
  cairo_arc(cr_, r.x + q, r.y + r.h - q, q, kPi / 2, kPi);
  cairo_arc(cr_, r.x + q, r.y + q, q, kPi, 3 * kPi / 2);
  cairo_close_path(cr_);
}

void Canvas::FillRect(const Rect& r, Color fill, double radius) {
  RectPath(r, radius);
  SetColor(fill);
  cairo_fill(cr_);
}

void Canvas::Line(Point a, Point b, double width, Color color) {
  const Point both[] = {a, b};
  Polyline(both, width, color);
}

void Canvas::DashedLine(Point a, Point b, double width, Color color, double dash) {
  cairo_set_dash(cr_, &dash, 1, 0);
  cairo_set_line_cap(cr_, CAIRO_LINE_CAP_BUTT);
  cairo_move_to(cr_, a.x, a.y);
  cairo_line_to(cr_, b.x, b.y);
  SetColor(color);
  cairo_set_line_width(cr_, width);
  cairo_stroke(cr_);
  cairo_set_dash(cr_, nullptr, 0, 0);
}

void Canvas::Polyline(absl::Span<const Point> points, double width, Color color) {
  if (points.size() < 2) return;
  cairo_new_path(cr_);
  for (const Point& p : points) cairo_line_to(cr_, p.x, p.y);
  cairo_set_line_cap(cr_, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join(cr_, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_width(cr_, width);
  SetColor(color);
  cairo_stroke(cr_);
}

void Canvas::FillPolygon(absl::Span<const Point> points, Color fill) {
  if (points.size() < 3) return;
  cairo_new_path(cr_);
  for (const Point& p : points) cairo_line_to(cr_, p.x, p.y);
  cairo_close_path(cr_);
  SetColor(fill);
  cairo_fill(cr_);
}

void Canvas::Capsule(Point a, double radius_a, Point b, double radius_b, Color fill) {
  const Point d = b - a;
  const double length = std::hypot(d.x, d.y);
  if (length <= std::fabs(radius_a - radius_b)) {
    FillCircle(radius_a > radius_b ? a : b, std::max(radius_a, radius_b), fill);
    return;
  }
  // The common tangents touch each circle at this angle from the axis.
  const double axis = std::atan2(d.y, d.x);
  const double lean = std::acos((radius_a - radius_b) / length);
  cairo_new_path(cr_);
  cairo_arc(cr_, a.x, a.y, radius_a, axis + lean, axis + 2 * kPi - lean);
  cairo_arc(cr_, b.x, b.y, radius_b, axis - lean, axis + lean);
  cairo_close_path(cr_);
  SetColor(fill);
  cairo_fill(cr_);
}

void Canvas::FillCircle(Point center, double radius, Color fill) {
  cairo_new_path(cr_);
  cairo_arc(cr_, center.x, center.y, radius, 0, 2 * kPi);
  SetColor(fill);
  cairo_fill(cr_);
}

void Canvas::Ellipse(Point center, Point axis_a, Point axis_b, Color fill, Color stroke,
                     double width) {
  // Cairo needs an inverse transform, which a flat ellipse lacks.
  const double area = std::fabs(axis_a.x * axis_b.y - axis_a.y * axis_b.x);
  if (area < 1e-6) {
    if (stroke.a > 0) Line(center - axis_a - axis_b, center + axis_a + axis_b, width, stroke);
    return;
  }
  cairo_save(cr_);
  cairo_matrix_t m;
  cairo_matrix_init(&m, axis_a.x, axis_a.y, axis_b.x, axis_b.y, center.x, center.y);
  cairo_transform(cr_, &m);
  cairo_new_path(cr_);
  cairo_arc(cr_, 0, 0, 1, 0, 2 * kPi);
  cairo_close_path(cr_);
  cairo_restore(cr_);
  if (fill.a > 0) {
    SetColor(fill);
    cairo_fill_preserve(cr_);
  }
  if (stroke.a > 0) {
    SetColor(stroke);
    cairo_set_line_width(cr_, width);
    cairo_stroke_preserve(cr_);
  }
  cairo_new_path(cr_);
}

void Canvas::Curve(Point a, Point b, Point c, Point d, double width, Color color) {
  cairo_new_path(cr_);
  cairo_move_to(cr_, a.x, a.y);
  cairo_curve_to(cr_, b.x, b.y, c.x, c.y, d.x, d.y);
  cairo_set_line_cap(cr_, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_width(cr_, width);
  SetColor(color);
  cairo_stroke(cr_);
}

void Canvas::SetFont(const TextStyle& style) {
  cairo_select_font_face(cr_, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cr_, style.size);
}

double Canvas::TextWidth(absl::string_view text, const TextStyle& style) {
  SetFont(style);
  cairo_text_extents_t e;
  cairo_text_extents(cr_, std::string(text).c_str(), &e);
  return e.x_advance;
}

void Canvas::Text(Point at, absl::string_view text, const TextStyle& style) {
  const double width = style.align == Align::kLeft ? 0 : TextWidth(text, style);
  SetFont(style);
  SetColor(style.color);
  const double shift = style.align == Align::kRight ? width : width / 2;
  cairo_move_to(cr_, at.x - (style.align == Align::kLeft ? 0 : shift), at.y);
  cairo_show_text(cr_, std::string(text).c_str());
  cairo_new_path(cr_);
}

void Canvas::Image(const Rect& r, int width, int height, absl::Span<const uint32_t> pixels) {
  if (width <= 0 || height <= 0 ||
      pixels.size() != static_cast<size_t>(width) * static_cast<size_t>(height)) {
    return;
  }
  Surface image(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
  unsigned char* data = cairo_image_surface_get_data(image.get());
  if (data == nullptr) return;
  const auto stride = static_cast<size_t>(cairo_image_surface_get_stride(image.get()));
  const auto row = static_cast<size_t>(width);
  for (size_t y = 0; y < static_cast<size_t>(height); ++y) {
    std::memcpy(data + y * stride, pixels.data() + y * row, row * sizeof(uint32_t));
  }
  cairo_surface_mark_dirty(image.get());
  cairo_save(cr_);
  cairo_translate(cr_, r.x, r.y);
  cairo_scale(cr_, r.w / width, r.h / height);
  cairo_set_source_surface(cr_, image.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cr_), CAIRO_FILTER_BILINEAR);
  cairo_rectangle(cr_, 0, 0, width, height);
  cairo_fill(cr_);
  cairo_restore(cr_);
}

absl::StatusOr<ImageFormat> ImageFormatOf(absl::string_view path) {
  const std::string lower = absl::AsciiStrToLower(path);
  if (absl::EndsWith(lower, ".svg")) return ImageFormat::kSvg;
  if (absl::EndsWith(lower, ".png")) return ImageFormat::kPng;
  return absl::InvalidArgumentError(
      absl::StrCat("picture \"", path, "\": the name must end in .svg or .png"));
}

absl::StatusOr<std::string> Render(ImageFormat format, double width, double height,
                                   double pixels_per_point, absl::FunctionRef<void(Canvas&)> draw) {
  const double density = format == ImageFormat::kPng ? pixels_per_point : 1;
  const double pixels = std::max(width, height) * density;
  if (!(width > 0) || !(height > 0) || !(density > 0) || !(pixels <= kMaxPixels)) {
    return absl::InvalidArgumentError(
        absl::StrCat("picture of ", width, " x ", height, " points at ", density,
                     " pixels a point: each side must have 1 to ", kMaxPixels, " pixels"));
  }
  std::string out;
  Surface surface = MakeSurface(format, width, height, density, &out);
  Context cr(cairo_create(surface.get()));
  if (cairo_status_t s = cairo_status(cr.get()); s != CAIRO_STATUS_SUCCESS) {
    return CairoError("no surface", s);
  }
  cairo_scale(cr.get(), density, density);
  // Without hinting, letters keep their shape at any density.
  cairo_font_options_t* font = cairo_font_options_create();
  cairo_font_options_set_hint_style(font, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(font, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(font, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(cr.get(), font);
  cairo_font_options_destroy(font);

  Canvas canvas(cr.get());
  // Covers the whole surface, which may be up to a pixel larger.
  cairo_set_source_rgb(cr.get(), 1, 1, 1);
  cairo_paint(cr.get());
  draw(canvas);
  if (cairo_status_t s = cairo_status(cr.get()); s != CAIRO_STATUS_SUCCESS) {
    return CairoError("drawing failed", s);
  }
  cr.reset();
  if (format == ImageFormat::kPng) {
    const cairo_status_t s = cairo_surface_write_to_png_stream(surface.get(), Append, &out);
    if (s != CAIRO_STATUS_SUCCESS) return CairoError("PNG not written", s);
  } else {
    cairo_surface_finish(surface.get());
    const cairo_status_t s = cairo_surface_status(surface.get());
    if (s != CAIRO_STATUS_SUCCESS) return CairoError("SVG not written", s);
    DropSurfaceNumber(out);
  }
  return out;
}

}  // namespace posewire::diagram
