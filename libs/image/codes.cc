#include "libs/image/codes.h"

#include <turbojpeg.h>
#include <webp/decode.h>
#include <webp/encode.h>

#include <memory>

#include "absl/strings/str_cat.h"

namespace posewire::image {
namespace {

const uint8_t* Unsigned(absl::string_view bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

absl::Status OtherSize(int width, int height, const Grey& expected) {
  return absl::InvalidArgumentError(absl::StrCat("picture of codes is ", width, " by ", height,
                                                 ", expected ", expected.width, " by ",
                                                 expected.height, ", grey and not moving"));
}

}  // namespace

absl::StatusOr<std::string> EncodeJpeg(const Grey& picture, int quality) {
  const std::unique_ptr<void, decltype(&tjDestroy)> writer(tjInitCompress(), tjDestroy);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): turbojpeg's type
  const bool done = writer != nullptr &&
                    tjCompress2(writer.get(), picture.codes.data(), static_cast<int>(picture.width),
                                0, static_cast<int>(picture.height), TJPF_GRAY, &bytes, &size,
                                TJSAMP_GRAY, quality, TJFLAG_ACCURATEDCT | TJFLAG_PROGRESSIVE) == 0;
  const std::unique_ptr<unsigned char, decltype(&tjFree)> owner(bytes, tjFree);
  if (!done) {
    return absl::InternalError(absl::StrCat("JPEG: ", tjGetErrorStr2(writer.get())));
  }
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

absl::Status DecodeJpeg(absl::string_view bytes, Grey& picture) {
  const std::unique_ptr<void, decltype(&tjDestroy)> reader(tjInitDecompress(), tjDestroy);
  const auto broken = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat("JPEG of codes: ", tjGetErrorStr2(reader.get())));
  };
  int width = 0, height = 0, sampling = 0, space = 0;
  if (reader == nullptr || tjDecompressHeader3(reader.get(), Unsigned(bytes), bytes.size(), &width,
                                               &height, &sampling, &space) != 0) {
    return broken();
  }
  if (static_cast<size_t>(width) != picture.width ||
      static_cast<size_t>(height) != picture.height || space != TJCS_GRAY) {
    return OtherSize(width, height, picture);
  }
  picture.codes.resize(picture.width * picture.height);
  if (tjDecompress2(reader.get(), Unsigned(bytes), bytes.size(), picture.codes.data(), width, 0,
                    height, TJPF_GRAY,
                    TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS) != 0) {
    return broken();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> EncodeWebp(const Grey& picture, int quality) {
  WebPConfig config;
  WebPPicture image;
  WebPMemoryWriter writer;
  if (WebPConfigInit(&config) == 0 || WebPPictureInit(&image) == 0) {
    return absl::InternalError("WebP: another version than this was built with");
  }
  config.method = 6;
  config.quality = static_cast<float>(quality);
  if (quality == 100) WebPConfigLosslessPreset(&config, 6);
  image.use_argb = config.lossless;
  image.width = static_cast<int>(picture.width);
  image.height = static_cast<int>(picture.height);
  std::vector<uint8_t> rgb(picture.codes.size() * 3);
  for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = picture.codes[i / 3];
  WebPMemoryWriterInit(&writer);
  image.writer = WebPMemoryWrite;
  image.custom_ptr = &writer;
  const bool done = WebPPictureImportRGB(&image, rgb.data(), image.width * 3) != 0 &&
                    WebPEncode(&config, &image) != 0;
  std::string out(reinterpret_cast<const char*>(writer.mem), done ? writer.size : 0);
  WebPPictureFree(&image);
  WebPMemoryWriterClear(&writer);
  if (!done) return absl::InternalError(absl::StrCat("WebP: error ", image.error_code));
  return out;
}

absl::Status DecodeWebp(absl::string_view bytes, Grey& picture) {
  WebPBitstreamFeatures is;
  if (WebPGetFeatures(Unsigned(bytes), bytes.size(), &is) != VP8_STATUS_OK) {
    return absl::InvalidArgumentError("WebP of codes: it has no header");
  }
  if (static_cast<size_t>(is.width) != picture.width ||
      static_cast<size_t>(is.height) != picture.height || is.has_animation != 0) {
    return OtherSize(is.width, is.height, picture);
  }
  std::vector<uint8_t> rgb(picture.width * picture.height * 3);
  if (WebPDecodeRGBInto(Unsigned(bytes), bytes.size(), rgb.data(), rgb.size(), is.width * 3) ==
      nullptr) {
    return absl::InvalidArgumentError("WebP of codes: it is broken");
  }
  picture.codes.resize(picture.width * picture.height);
  for (size_t i = 0; i < picture.codes.size(); ++i) picture.codes[i] = rgb[3 * i + 1];
  return absl::OkStatus();
}

}  // namespace posewire::image
