#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/image/codes.h"
#include "libs/offsets/bytes.h"
#include "libs/offsets/carriers.h"

namespace posewire::offsets {
namespace {

constexpr size_t kMostRows = 8192;  // WebP allows 16383, JPEG 65535

template <auto encode>
absl::StatusOr<std::string> EncodePictures(const CodeSheets<uint8_t>& sheets, const PixelMap& map,
                                           const Settings& settings) {
  const std::vector<uint32_t> order = map.Order();
  const size_t rows = 3 * sheets.points;
  ByteWriter out;
  for (size_t first = 0; first < rows; first += kMostRows) {
    image::Grey picture = {sheets.frames, std::min(kMostRows, rows - first), {}};
    for (size_t row = first; row < first + picture.height; ++row) {
      const auto series = sheets.series(row / sheets.points, order[row % sheets.points]);
      picture.codes.insert(picture.codes.end(), series.begin(), series.end());
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
    image::Grey picture = {out.frames, std::min(kMostRows, rows - first), {}};
    if (absl::Status s = decode(in.Bytes(size), picture); !s.ok()) return s;
    for (size_t row = first; row < first + picture.height; ++row) {
      std::copy_n(picture.codes.begin() + static_cast<int64_t>((row - first) * out.frames),
                  out.frames, out.series(row / out.points, order[row % out.points]).begin());
    }
  }
  if (in.Done()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(in.left(), " bytes behind the pictures of codes, expected none"));
}

}  // namespace

const Carrier<uint8_t> kJpegCarrier = {EncodePictures<image::EncodeJpeg>,
                                       DecodePictures<image::DecodeJpeg>};
const Carrier<uint8_t> kWebpCarrier = {EncodePictures<image::EncodeWebp>,
                                       DecodePictures<image::DecodeWebp>};

}  // namespace posewire::offsets
