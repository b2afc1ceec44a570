#include "libs/render/contact_sheet.h"

#include <cairo.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "absl/strings/str_cat.h"
#include "libs/image/image.h"

namespace posewire::render {
namespace {

constexpr int kMostPixels = 32767;  // cairo's limit for each side

struct SurfaceEnd {
  void operator()(cairo_surface_t* s) const { cairo_surface_destroy(s); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceEnd>;

// Cairo stores a pixel as a 32-bit word, 0xRRGGBB. Transparent pixels become white.
void Place(const Picture& picture, int left, int top, cairo_surface_t* sheet) {
  cairo_surface_flush(sheet);
  unsigned char* data = cairo_image_surface_get_data(sheet);
  const int stride = cairo_image_surface_get_stride(sheet);
  if (data == nullptr) return;
  const uint8_t* from = picture.rgb.data();
  const uint8_t* alpha = picture.alpha.data();
  for (int y = 0; y < picture.height; ++y) {
    auto* to = reinterpret_cast<uint32_t*>(data + static_cast<std::ptrdiff_t>(top + y) * stride);
    for (int x = 0; x < picture.width; ++x, from += 3) {
      const int white = picture.alpha.empty() ? 0 : 255 - *alpha++;
      to[left + x] = static_cast<uint32_t>((from[0] + white) << 16 | (from[1] + white) << 8 |
                                           (from[2] + white));
    }
  }
  cairo_surface_mark_dirty(sheet);
}

Picture FromCairo(cairo_surface_t* surface) {
  cairo_surface_flush(surface);
  Picture out;
  out.width = cairo_image_surface_get_width(surface);
  out.height = cairo_image_surface_get_height(surface);
  out.rgb.resize(static_cast<size_t>(out.width) * static_cast<size_t>(out.height) * 3);
  const unsigned char* data = cairo_image_surface_get_data(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  uint8_t* to = out.rgb.data();
  for (int y = 0; y < out.height; ++y) {
    const auto* from =
        reinterpret_cast<const uint32_t*>(data + static_cast<std::ptrdiff_t>(y) * stride);
    for (int x = 0; x < out.width; ++x, to += 3) {
      to[0] = static_cast<uint8_t>(from[x] >> 16);
      to[1] = static_cast<uint8_t>(from[x] >> 8);
      to[2] = static_cast<uint8_t>(from[x]);
    }
  }
  return out;
}

void DrawCaption(cairo_t* cr, const std::string& text, double x, double y, double width) {
  cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  double size = std::clamp(width / 18, 9.0, 16.0);
  cairo_text_extents_t extents;
  cairo_set_font_size(cr, size);
  cairo_text_extents(cr, text.c_str(), &extents);
  if (extents.width > width - 10) size *= (width - 10) / extents.width;
  cairo_set_font_size(cr, size);
  cairo_set_source_rgb(cr, 0.15, 0.17, 0.2);
  cairo_move_to(cr, x + 5, y - 6);
  cairo_show_text(cr, text.c_str());
}

}  // namespace

absl::StatusOr<std::string> EncodePng(const Picture& picture) {
  if (picture.alpha.empty()) return image::EncodePng(picture.width, picture.height, picture.rgb);
  // PNG stores colours without premultiplied alpha.
  std::vector<uint8_t> rgba;
  rgba.reserve(picture.alpha.size() * 4);
  for (size_t i = 0; i < picture.alpha.size(); ++i) {
    const int alpha = picture.alpha[i];
    for (size_t c = 3 * i; c < 3 * i + 3; ++c) {
      const int color = alpha == 0 ? 0 : (picture.rgb[c] * 255 + alpha / 2) / alpha;
      rgba.push_back(static_cast<uint8_t>(std::min(color, 255)));
    }
    rgba.push_back(picture.alpha[i]);
  }
  return image::EncodePng(picture.width, picture.height, rgba);
}

absl::StatusOr<Picture> ContactSheet(absl::Span<const Picture> pictures,
                                     absl::Span<const std::string> captions, int columns) {
  if (pictures.empty() || columns < 1) {
    return absl::InvalidArgumentError("a sheet needs a picture and a column at least");
  }
  if (!captions.empty() && captions.size() != pictures.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(captions.size(), " captions for ", pictures.size(), " pictures"));
  }
  const int w = pictures[0].width, h = pictures[0].height;
  columns = std::min(columns, static_cast<int>(pictures.size()));
  const int rows = (static_cast<int>(pictures.size()) + columns - 1) / columns;
  if (int64_t{w} * columns > kMostPixels || int64_t{h} * rows > kMostPixels) {
    return absl::InvalidArgumentError(absl::StrCat("the sheet of ", columns, " x ", rows,
                                                   " pictures of ", w, " x ", h, " pixels is over ",
                                                   kMostPixels, " pixels a side"));
  }
  const Surface sheet(cairo_image_surface_create(CAIRO_FORMAT_RGB24, w * columns, h * rows));
  cairo_t* cr = cairo_create(sheet.get());
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_paint(cr);
  for (size_t i = 0; i < pictures.size(); ++i) {
    if (pictures[i].width != w || pictures[i].height != h) {
      cairo_destroy(cr);
      return absl::InvalidArgumentError(absl::StrCat("picture ", i, " is ", pictures[i].width,
                                                     " x ", pictures[i].height,
                                                     " pixels, expected ", w, " x ", h));
    }
    const int x = static_cast<int>(i) % columns * w, y = static_cast<int>(i) / columns * h;
    Place(pictures[i], x, y, sheet.get());
    if (!captions.empty()) DrawCaption(cr, captions[i], x, y + h, w);
  }
  cairo_destroy(cr);
  return FromCairo(sheet.get());
}

}  // namespace posewire::render
