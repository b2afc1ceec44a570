// Images in memory and in files: reads PNG, JPEG and WebP, and writes PNG.
#ifndef POSEWIRE_LIBS_IMAGE_IMAGE_H_
#define POSEWIRE_LIBS_IMAGE_IMAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::image {

// Rows from the top, four bytes per pixel, sRGB colours (except normal maps), not multiplied by
// alpha.
struct Image {
  int width = 0, height = 0;
  std::vector<uint8_t> rgba;
};

// Limits of width and height in pixels.
struct Limits {
  int read_side = 8192;  // of the file
  int kept_side = 2048;  // larger images are halved
};

// Decodes an image file, and halves it until no side is over limits.kept_side. Checks its size
// before memory is allocated. INVALID_ARGUMENT for broken files, UNIMPLEMENTED for other formats
// (KTX2 by name), RESOURCE_EXHAUSTED for a side over limits.read_side.
absl::StatusOr<Image> Decode(absl::string_view bytes, const Limits& limits = {});

// `pixels` are as in Image, or RGB, three bytes per pixel. The file has alpha unless all pixels are
// opaque. INTERNAL, with libpng's message, if encoding fails.
absl::StatusOr<std::string> EncodePng(int width, int height, absl::Span<const uint8_t> pixels);

}  // namespace posewire::image

#endif  // POSEWIRE_LIBS_IMAGE_IMAGE_H_
