#include <png.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/image/codes.h"
#include "libs/image/image.h"

namespace posewire::image {
namespace {

// The linear format makes libpng leave the codes unchanged.
constexpr png_uint_32 kCodeFormat = PNG_FORMAT_LINEAR_RGB;
// The highest compression ratio of Deflate.
constexpr size_t kMostDeflateGain = 1032;

absl::StatusOr<std::string> WritePng(size_t width, size_t height, png_uint_32 format,
                                     const void* pixels) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(width);
  png.height = static_cast<png_uint_32>(height);
  png.format = format;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::string out(size, '\0');
  if (png_image_write_to_memory(&png, out.data(), &size, 0, pixels, 0, nullptr) == 0) {
    return absl::InternalError(absl::StrCat("the picture cannot be encoded: ", png.message));
  }
  out.resize(size);
  return out;
}

}  // namespace

absl::StatusOr<std::string> EncodePng(int width, int height, absl::Span<const uint8_t> pixels) {
  const auto w = static_cast<size_t>(width), h = static_cast<size_t>(height);
  if (pixels.size() == w * h * 3) return WritePng(w, h, PNG_FORMAT_RGB, pixels.data());
  std::vector<uint8_t> rgb;
  rgb.reserve(w * h * 3);
  for (size_t i = 0; i < pixels.size(); i += 4) {
    if (pixels[i + 3] != 255) return WritePng(w, h, PNG_FORMAT_RGBA, pixels.data());
    rgb.insert(rgb.end(), &pixels[i], &pixels[i] + 3);
  }
  return WritePng(w, h, PNG_FORMAT_RGB, rgb.data());
}

absl::StatusOr<std::string> EncodeCodePng(size_t width, size_t height,
                                          absl::Span<const uint16_t> rgb) {
  return WritePng(width, height, kCodeFormat, rgb.data());
}

absl::StatusOr<std::vector<uint16_t>> DecodeCodePng(absl::string_view bytes, size_t width,
                                                    size_t height) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("picture of codes: ", png.message));
  }
  if (png.width != width || png.height != height || png.format != kCodeFormat ||
      width * height * 6 / kMostDeflateGain > bytes.size()) {
    const auto is_wide = png.width, is_high = png.height;
    png_image_free(&png);
    return absl::InvalidArgumentError(absl::StrCat("picture of codes is ", is_wide, " by ", is_high,
                                                   ", expected ", width, " by ", height,
                                                   " of 16 bits of red, green and blue"));
  }
  std::vector<uint16_t> rgb(width * height * 3);
  if (png_image_finish_read(&png, nullptr, rgb.data(), 0, nullptr) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("picture of codes: ", png.message));
  }
  return rgb;
}

}  // namespace posewire::image
