#include "libs/diagram/canvas.h"

#include <cairo.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace posewire::diagram {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

int BigEndian(const std::string& bytes, size_t at) {
  int value = 0;
  for (size_t i = 0; i < 4; ++i) value = value * 256 + static_cast<unsigned char>(bytes[at + i]);
  return value;
}

TEST(Render, PngHasTheSizeInPixels) {
  const auto png = Render(ImageFormat::kPng, 100, 40, 1.5, [](Canvas&) {});
  ASSERT_TRUE(png.ok()) << png.status();
  EXPECT_EQ(png->substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(BigEndian(*png, 16), 150);
  EXPECT_EQ(BigEndian(*png, 20), 60);
}

TEST(Render, SvgIsADocumentOfTheSizeInPoints) {
  const auto svg = Render(ImageFormat::kSvg, 100, 40, 1.5, [](Canvas& canvas) {
    canvas.Text({10, 20}, "wave", {});
  });
  ASSERT_TRUE(svg.ok()) << svg.status();
  EXPECT_THAT(*svg, StartsWith("<?xml"));
  EXPECT_THAT(*svg, HasSubstr("width=\"100"));
  EXPECT_THAT(*svg, HasSubstr("</svg>"));
}

TEST(Render, TheSameDrawingGivesTheSameBytes) {
  const auto draw = [](Canvas& canvas) {
    canvas.Capsule({10, 10}, 4, {40, 30}, 2, Hex(0x123456));
    canvas.Text({10, 20}, "again", {});
  };
  for (ImageFormat format : {ImageFormat::kPng, ImageFormat::kSvg}) {
    EXPECT_EQ(*Render(format, 60, 40, 1, draw), *Render(format, 60, 40, 1, draw));
  }
}

TEST(Render, RejectsSizesThatNoPictureHas) {
  for (double width : {0.0, -5.0, 40000.0, std::nan("")}) {
    const auto png = Render(ImageFormat::kPng, width, 40, 1, [](Canvas&) {});
    EXPECT_EQ(png.status().code(), absl::StatusCode::kInvalidArgument) << width;
  }
}

TEST(ImageFormatOf, TakesTheEndingInAnyCase) {
  EXPECT_EQ(*ImageFormatOf("a/b.PNG"), ImageFormat::kPng);
  EXPECT_EQ(*ImageFormatOf("x.svg"), ImageFormat::kSvg);
  EXPECT_THAT(std::string(ImageFormatOf("x.jpg").status().message()), HasSubstr(".svg or .png"));
}

// Whether a pixel is dark after drawing in black on white.
class Ink {
 public:
  Ink() : surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, 100, 100)) {
    cr_ = cairo_create(surface_);
    cairo_set_source_rgb(cr_, 1, 1, 1);
    cairo_paint(cr_);
  }
  ~Ink() {
    cairo_destroy(cr_);
    cairo_surface_destroy(surface_);
  }
  cairo_t* context() { return cr_; }
  bool At(int x, int y) {
    cairo_surface_flush(surface_);
    return cairo_image_surface_get_data(
               surface_)[y * cairo_image_surface_get_stride(surface_) + x * 4] < 128;
  }

 private:
  cairo_surface_t* surface_;
  cairo_t* cr_;
};

// Inside the hull of two circles: within the radius that lerps along the axis, tilted as the common
// tangents are.
double CapsuleDistance(Point p, Point a, double ra, Point b, double rb) {
  double best = 1e9;
  for (int i = 0; i <= 2000; ++i) {
    const double t = i / 2000.0;
    const Point c = a + (b - a) * t;
    best = std::min(best, std::hypot(p.x - c.x, p.y - c.y) - (ra + (rb - ra) * t));
  }
  return best;
}

TEST(Canvas, ACapsuleCoversJustTheHullOfItsCircles) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(20, 80), radius(1, 15);
  for (int trial = 0; trial < 12; ++trial) {
    const Point a{place(random), place(random)}, b{place(random), place(random)};
    const double ra = radius(random), rb = radius(random);
    Ink ink;
    Canvas canvas(ink.context());
    canvas.Capsule(a, ra, b, rb, Hex(0));
    for (int y = 0; y < 100; y += 3) {
      for (int x = 0; x < 100; x += 3) {
        const double d = CapsuleDistance({x + 0.5, y + 0.5}, a, ra, b, rb);
        if (std::fabs(d) < 1) continue;
        EXPECT_EQ(ink.At(x, y), d < 0) << trial << ": " << x << ", " << y;
      }
    }
  }
}

TEST(Canvas, AnEllipseSeenFromItsEdgeIsALineAndNoError) {
  Ink ink;
  Canvas canvas(ink.context());
  canvas.Ellipse({50, 50}, {30, 0}, {0, 0}, Hex(0), Hex(0), 4);
  EXPECT_TRUE(ink.At(70, 50));
  EXPECT_FALSE(ink.At(70, 60));
  EXPECT_EQ(cairo_status(ink.context()), CAIRO_STATUS_SUCCESS);
}

TEST(Canvas, DrawsNothingOutsideItsClip) {
  Ink ink;
  Canvas canvas(ink.context());
  canvas.PushClip({0, 0, 50, 100});
  canvas.FillRect({0, 0, 100, 100}, Hex(0));
  canvas.PopClip();
  EXPECT_TRUE(ink.At(25, 50));
  EXPECT_FALSE(ink.At(75, 50));
  canvas.FillRect({60, 0, 40, 100}, Hex(0));
  EXPECT_TRUE(ink.At(75, 50));
}

}  // namespace
}  // namespace posewire::diagram
