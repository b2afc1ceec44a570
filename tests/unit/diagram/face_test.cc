#include "libs/diagram/face.h"

#include <cairo.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tests/unit/diagram/rigs.h"

namespace posewire::diagram {
namespace {

// A face of some weights, by its pixels.
class FacePicture {
 public:
  explicit FacePicture(std::vector<std::pair<const char*, float>> weights)
      : surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, kSide, kSide)) {
    const auto rig = BuiltinRig("hanim_loa3");
    std::vector<float> values(static_cast<size_t>(rig->shapes()));
    for (const auto& [name, value] : weights) {
      values[static_cast<size_t>(rig->FindShape(name))] = value;
    }
    cairo_t* cr = cairo_create(surface_);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    Canvas canvas(cr);
    DrawFace(canvas, *rig, values, {0, 0, kSide, kSide});
    cairo_destroy(cr);
    cairo_surface_flush(surface_);
  }
  ~FacePicture() { cairo_surface_destroy(surface_); }
  FacePicture(const FacePicture&) = delete;
  FacePicture& operator=(const FacePicture&) = delete;

  // Pixels of the dark between the lips.
  int MouthInside() const {
    int n = 0;
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) n += Far(x, y, 0x6E, 0x24, 0x33) < 20;
    }
    return n;
  }
  // The lowest row that has anything on it.
  int Chin() const {
    int y = kSide - 1;
    while (y > 0 && Far(kSide / 2, y, 255, 255, 255) < 20) --y;
    return y;
  }

 private:
  static constexpr int kSide = 400;
  int Far(int x, int y, int r, int g, int b) const {
    const unsigned char* p = cairo_image_surface_get_data(surface_) +
                             ptrdiff_t{y} * cairo_image_surface_get_stride(surface_) +
                             ptrdiff_t{4} * x;
    return std::abs(p[2] - r) + std::abs(p[1] - g) + std::abs(p[0] - b);
  }
  cairo_surface_t* surface_;
};

TEST(Face, LipsAreApartAsFarAsJawOpenSaysWhateverMouthCloseAdds) {
  const int open = FacePicture({{"jawOpen", 0.4f}}).MouthInside();
  EXPECT_GT(open, 300);
  // The jaw is farther down, which makes the mouth a little narrower.
  const FacePicture lower({{"jawOpen", 0.4f}, {"mouthClose", 0.4f}});
  EXPECT_GT(lower.MouthInside(), open * 0.85);
  EXPECT_LT(lower.MouthInside(), open * 1.15);
}

TEST(Face, MouthCloseLetsTheJawDownBehindClosedLips) {
  const FacePicture rest({}), closed({{"mouthClose", 0.4f}}), open({{"jawOpen", 0.4f}});
  EXPECT_EQ(closed.MouthInside(), 0);
  EXPECT_GT(closed.Chin(), rest.Chin() + 4);
  EXPECT_EQ(closed.Chin(), open.Chin());
}

}  // namespace
}  // namespace posewire::diagram
