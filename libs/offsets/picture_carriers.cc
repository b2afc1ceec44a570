#include <turbojpeg.h>
#include <webp/decode.h>
#include <webp/encode.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/offsets/bytes.h"
#include "libs/offsets/carriers.h"

namespace posewire::offsets {
namespace {

constexpr size_t kMostRows = 8192;  // WebP has at most 16383, JPEG 65535

// Grey, row after row.
struct Picture {
  size_t width = 0, height = 0;
  std::vector<uint8_t> grey;
};

absl::Status OtherSize(int width, int height, const Picture& expected) {
  return absl::InvalidArgumentError(absl::StrCat("picture of codes is ", width, " by ", height,
                                                 ", expected ", expected.width, " by ",
                                                 expected.height, ", grey and not moving"));
}

absl::StatusOr<std::string> EncodeJpeg(const Picture& picture, int quality) {
  const std::unique_ptr<void, decltype(&tjDestroy)> writer(tjInitCompress(), tjDestroy);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): turbojpeg's
  const bool done = writer != nullptr &&
                    tjCompress2(writer.get(), picture.grey.data(), static_cast<int>(picture.width),
                                0, static_cast<int>(picture.height), TJPF_GRAY, &bytes, &size,
                                TJSAMP_GRAY, quality, TJFLAG_ACCURATEDCT | TJFLAG_PROGRESSIVE) == 0;
  const std::unique_ptr<unsigned char, decltype(&tjFree)> owner(bytes, tjFree);
  if (!done) {
    return absl::InternalError(absl::StrCat("JPEG: ", tjGetErrorStr2(writer.get())));
  }
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

// `picture` has its size.
absl::Status DecodeJpeg(absl::string_view bytes, Picture& picture) {
  const std::unique_ptr<void, decltype(&tjDestroy)> reader(tjInitDecompress(), tjDestroy);
  const auto broken = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat("JPEG of codes: ", tjGetErrorStr2(reader.get())));
  };
  int width = 0, height = 0, sampling = 0, space = 0;
  if (reader == nullptr || tjDecompressHeader3(reader.get(), UnsignedBytes(bytes), bytes.size(),
                                               &width, &height, &sampling, &space) != 0) {
    return broken();
  }
  if (static_cast<size_t>(width) != picture.width ||
      static_cast<size_t>(height) != picture.height || space != TJCS_GRAY) {
    return OtherSize(width, height, picture);
  }
  picture.grey.resize(picture.width * picture.height);
  if (tjDecompress2(reader.get(), UnsignedBytes(bytes), bytes.size(), picture.grey.data(), width, 0,
                    height, TJPF_GRAY,
                    TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS) != 0) {
    return broken();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> EncodeWebp(const Picture& picture, int quality) {
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
  std::vector<uint8_t> rgb(picture.grey.size() * 3);
  for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = picture.grey[i / 3];
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

absl::Status DecodeWebp(absl::string_view bytes, Picture& picture) {
  WebPBitstreamFeatures is;
  if (WebPGetFeatures(UnsignedBytes(bytes), bytes.size(), &is) != VP8_STATUS_OK) {
    return absl::InvalidArgumentError("WebP of codes: it has no header");
  }
  if (static_cast<size_t>(is.width) != picture.width ||
      static_cast<size_t>(is.height) != picture.height || is.has_animation != 0) {
    return OtherSize(is.width, is.height, picture);
  }
  std::vector<uint8_t> rgb(picture.width * picture.height * 3);
  if (WebPDecodeRGBInto(UnsignedBytes(bytes), bytes.size(), rgb.data(), rgb.size(), is.width * 3) ==
      nullptr) {
    return absl::InvalidArgumentError("WebP of codes: it is broken");
  }
  picture.grey.resize(picture.width * picture.height);
  for (size_t i = 0; i < picture.grey.size(); ++i) picture.grey[i] = rgb[3 * i + 1];
  return absl::OkStatus();
}

template <auto encode>
absl::StatusOr<std::string> EncodePictures(const CodeSheets<uint8_t>& sheets, const PixelMap& map,
                                           const Settings& settings) {
  const std::vector<uint32_t> order = map.Order();
  const size_t rows = 3 * sheets.points;
  ByteWriter out;
  for (size_t first = 0; first < rows; first += kMostRows) {
    Picture picture = {sheets.frames, std::min(kMostRows, rows - first), {}};
    for (size_t row = first; row < first + picture.height; ++row) {
      const auto series = sheets.series(row / sheets.points, order[row % sheets.points]);
      picture.grey.insert(picture.grey.end(), series.begin(), series.end());
    }
    const absl::StatusOr<std::string> bytes = encode(picture, settings.quality);
    if (!bytes.ok()) return bytes.status();
    out.Varint(bytes->size());
    out.Bytes(*bytes);
  }
  return out.Take();
}

template <auto decode>
absl::Status DecodePictures(absl::string_view bytes, const PixelMap& map,
                            CodeSheets<uint8_t>& out) {
  const std::vector<uint32_t> order = map.Order();
  const size_t rows = 3 * out.points;
  ByteReader in(bytes);
  for (size_t first = 0; first < rows; first += kMostRows) {
    const uint64_t size = in.Varint();
    if (!in.ok() || size > in.left()) {
      return absl::InvalidArgumentError(absl::StrCat("picture ", first / kMostRows,
                                                     " of codes has ", size, " bytes, and ",
                                                     in.left(), " are left"));
    }
    Picture picture = {out.frames, std::min(kMostRows, rows - first), {}};
    if (absl::Status s = decode(in.Bytes(size), picture); !s.ok()) return s;
    for (size_t row = first; row < first + picture.height; ++row) {
      std::copy_n(picture.grey.begin() + static_cast<int64_t>((row - first) * out.frames),
                  out.frames, out.series(row / out.points, order[row % out.points]).begin());
    }
  }
  if (in.Done()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(in.left(), " bytes behind the pictures of codes, expected none"));
}

}  // namespace

const Carrier<uint8_t> kJpegCarrier = {EncodePictures<EncodeJpeg>, DecodePictures<DecodeJpeg>};
const Carrier<uint8_t> kWebpCarrier = {EncodePictures<EncodeWebp>, DecodePictures<DecodeWebp>};

}  // namespace posewire::offsets
