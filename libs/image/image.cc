#include "libs/image/image.h"

#include <png.h>
#include <turbojpeg.h>
#include <webp/decode.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace posewire::image {
namespace {

absl::Status Start(int64_t width, int64_t height, const Limits& limits, Image& out) {
  if (width < 1 || height < 1) return absl::InvalidArgumentError("the picture has no pixels");
  if (width > limits.read_side || height > limits.read_side) {
    return absl::ResourceExhaustedError(absl::StrCat("the picture is ", width, " x ", height,
                                                     " pixels, and at most ", limits.read_side,
                                                     " each way are read"));
  }
  out.width = static_cast<int>(width);
  out.height = static_cast<int>(height);
  out.rgba.resize(static_cast<size_t>(width) * static_cast<size_t>(height) * 4);
  return absl::OkStatus();
}

absl::Status Png(absl::string_view bytes, const Limits& limits, Image& out) {
  png_image image;
  std::memset(&image, 0, sizeof(image));
  image.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, decltype(&png_image_free)> guard(&image, png_image_free);
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("the PNG is broken: ", image.message));
  }
  image.format = PNG_FORMAT_RGBA;
  if (absl::Status s = Start(image.width, image.height, limits, out); !s.ok()) return s;
  if (png_image_finish_read(&image, nullptr, out.rgba.data(), 0, nullptr) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("the PNG is broken: ", image.message));
  }
  return absl::OkStatus();
}

absl::Status Jpeg(absl::string_view bytes, const Limits& limits, Image& out) {
  const std::unique_ptr<void, decltype(&tjDestroy)> reader(tjInitDecompress(), tjDestroy);
  if (reader == nullptr) return absl::InternalError("turbojpeg does not start");
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0, height = 0, sampling = 0, space = 0;
  if (tjDecompressHeader3(reader.get(), data, bytes.size(), &width, &height, &sampling, &space) !=
      0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the JPEG is broken: ", tjGetErrorStr2(reader.get())));
  }
  if (absl::Status s = Start(width, height, limits, out); !s.ok()) return s;
  // A truncated JPEG is shown as far as it goes.
  if (tjDecompress2(reader.get(), data, bytes.size(), out.rgba.data(), width, 0, height, TJPF_RGBA,
                    TJFLAG_FASTDCT) != 0 &&
      tjGetErrorCode(reader.get()) != TJERR_WARNING) {
    return absl::InvalidArgumentError(
        absl::StrCat("the JPEG is broken: ", tjGetErrorStr2(reader.get())));
  }
  return absl::OkStatus();
}

absl::Status WebP(absl::string_view bytes, const Limits& limits, Image& out) {
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  int width = 0, height = 0;
  if (WebPGetInfo(data, bytes.size(), &width, &height) == 0) {
    return absl::InvalidArgumentError("the WebP is broken");
  }
  if (absl::Status s = Start(width, height, limits, out); !s.ok()) return s;
  if (WebPDecodeRGBAInto(data, bytes.size(), out.rgba.data(), out.rgba.size(), width * 4) ==
      nullptr) {
    return absl::InvalidArgumentError("the WebP is broken");
  }
  return absl::OkStatus();
}

void Halve(Image& picture) {
  Image half;
  half.width = std::max(picture.width / 2, 1);
  half.height = std::max(picture.height / 2, 1);
  half.rgba.resize(static_cast<size_t>(half.width) * static_cast<size_t>(half.height) * 4);
  const auto w = static_cast<size_t>(picture.width);
  const size_t right = picture.width > 1 ? 4 : 0, down = picture.height > 1 ? w * 4 : 0;
  for (size_t y = 0; y < static_cast<size_t>(half.height); ++y) {
    for (size_t x = 0; x < static_cast<size_t>(half.width); ++x) {
      const uint8_t* from = picture.rgba.data() + (y * 2 * w + x * 2) * 4;
      uint8_t* to = half.rgba.data() + (y * static_cast<size_t>(half.width) + x) * 4;
      for (size_t c = 0; c < 4; ++c) {
        to[c] = static_cast<uint8_t>(
            (from[c] + from[c + right] + from[c + down] + from[c + right + down] + 2) / 4);
      }
    }
  }
  picture = std::move(half);
}

}  // namespace

absl::StatusOr<Image> Decode(absl::string_view bytes, const Limits& limits) {
  Image out;
  absl::Status read;
  if (absl::StartsWith(bytes, "\x89PNG")) {
    read = Png(bytes, limits, out);
  } else if (absl::StartsWith(bytes, "\xFF\xD8")) {
    read = Jpeg(bytes, limits, out);
  } else if (bytes.size() > 12 && absl::StartsWith(bytes, "RIFF") && bytes.substr(8, 4) == "WEBP") {
    read = WebP(bytes, limits, out);
  } else if (absl::StartsWith(bytes, "\xABKTX")) {
    read = absl::UnimplementedError("the picture is KTX2; write it as PNG, JPEG or WebP");
  } else {
    read = absl::InvalidArgumentError("the picture is no PNG, JPEG or WebP");
  }
  if (!read.ok()) return read;
  while (out.width > limits.kept_side || out.height > limits.kept_side) Halve(out);
  return out;
}

}  // namespace posewire::image
