#include "libs/offsets/code_picture.h"

#include <png.h>

#include "absl/strings/str_cat.h"
#include "libs/offsets/deflate.h"

namespace posewire::offsets {
namespace {

// Linear, so that libpng leaves the numbers as they are.
constexpr png_uint_32 kFormat = PNG_FORMAT_LINEAR_RGB;

size_t RowsFor(size_t series) { return (series + 2) / 3; }

}  // namespace

std::string EncodeCodePicture(const std::vector<uint16_t>& codes, size_t columns) {
  if (codes.empty()) return {};
  const size_t series = codes.size() / columns, rows = RowsFor(series);
  std::vector<uint16_t> pixels(rows * columns * 3, 0);
  for (size_t s = 0; s < series; ++s) {
    for (size_t c = 0; c < columns; ++c) {
      pixels[(s / 3 * columns + c) * 3 + s % 3] = codes[s * columns + c];
    }
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(columns);
  image.height = static_cast<png_uint_32>(rows);
  image.format = kFormat;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string out(size, '\0');
  if (png_image_write_to_memory(&image, out.data(), &size, 0, pixels.data(), 0, nullptr) == 0) {
    return {};
  }
  out.resize(size);
  return out;
}

absl::StatusOr<std::vector<uint16_t>> DecodeCodePicture(absl::string_view bytes, size_t series,
                                                        size_t columns) {
  if (series == 0 && bytes.empty()) return std::vector<uint16_t>();
  const size_t rows = RowsFor(series);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("picture of codes: ", image.message));
  }
  if (image.width != columns || image.height != rows || image.format != kFormat ||
      rows * columns * 6 / kMostDeflateGain > bytes.size()) {
    const auto width = image.width, height = image.height;
    png_image_free(&image);
    return absl::InvalidArgumentError(absl::StrCat("picture of codes is ", width, " by ", height,
                                                   ", expected ", columns, " by ", rows,
                                                   " of 16 bits of red, green and blue"));
  }
  std::vector<uint16_t> pixels(rows * columns * 3);
  if (png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("picture of codes: ", image.message));
  }
  std::vector<uint16_t> out(series * columns);
  for (size_t s = 0; s < series; ++s) {
    for (size_t c = 0; c < columns; ++c) {
      out[s * columns + c] = pixels[(s / 3 * columns + c) * 3 + s % 3];
    }
  }
  return out;
}

}  // namespace posewire::offsets
