// Images whose pixels are numbers ("codes"). PNG and lossless WebP preserve them exactly, JPEG and
// lossy WebP approximately.
//
// An image is decoded only if it has the expected size, which is checked before memory is
// allocated. INVALID_ARGUMENT for another size or kind and for broken bytes; INTERNAL, with the
// library's message, if encoding fails.
#ifndef POSEWIRE_LIBS_IMAGE_CODES_H_
#define POSEWIRE_LIBS_IMAGE_CODES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::image {

// 8 bits per pixel, row by row.
struct Grey {
  size_t width = 0, height = 0;
  std::vector<uint8_t> codes;
};

// `quality` is 1 to 100; WebP is lossless at 100.
absl::StatusOr<std::string> EncodeJpeg(const Grey& picture, int quality);
absl::StatusOr<std::string> EncodeWebp(const Grey& picture, int quality);
// Fills `picture`, which must have the expected size.
absl::Status DecodeJpeg(absl::string_view bytes, Grey& picture);
absl::Status DecodeWebp(absl::string_view bytes, Grey& picture);

// Three codes of 16 bits per pixel, red, green and blue.
absl::StatusOr<std::string> EncodeCodePng(size_t width, size_t height,
                                          absl::Span<const uint16_t> rgb);
absl::StatusOr<std::vector<uint16_t>> DecodeCodePng(absl::string_view bytes, size_t width,
                                                    size_t height);

}  // namespace posewire::image

#endif  // POSEWIRE_LIBS_IMAGE_CODES_H_
