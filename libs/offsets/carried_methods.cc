#include "libs/offsets/carried_methods.h"

#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/offsets/box_chunk.h"
#include "libs/offsets/boxes.h"
#include "libs/offsets/carriers.h"
#include "libs/offsets/code_sheets.h"
#include "libs/offsets/pixel_map.h"

namespace posewire::offsets {
namespace {

// The most codes of a chunk. A chunk of a few bytes could claim more; this limits the memory.
constexpr size_t kMostCodes = size_t{1} << 28;
// A codec's own memory while it decodes a picture or sound.
constexpr size_t kCodecBytes = size_t{32} << 20;
constexpr uint8_t kByIndex = 0, kByUv = 1;

template <Method method>
struct CarriedForm {
  static constexpr bool kSound = method == Method::kFlac || method == Method::kMp3;
  using Code = std::conditional_t<kSound, uint16_t, uint8_t>;
  static constexpr EvenCodes kPlaces = {kSound ? 65535.0f : 255.0f};

  static const auto& carrier() {
    if constexpr (method == Method::kJpeg) return kJpegCarrier;
    if constexpr (method == Method::kWebp) return kWebpCarrier;
    if constexpr (method == Method::kFlac) return kFlacCarrier;
    if constexpr (method == Method::kMp3) return kMp3Carrier;
    if constexpr (method == Method::kH264) return kH264Carrier;
    if constexpr (method == Method::kH265) return kH265Carrier;
    if constexpr (method == Method::kVp9) return kVp9Carrier;
  }
};

absl::Status CheckSize(size_t moving, size_t frames) {
  if (3 * moving * frames <= kMostCodes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(moving, " points that move in ", frames,
                                                   " frames are too many for a picture, sound or "
                                                   "film, expected at most ",
                                                   kMostCodes / 3 / frames));
}

}  // namespace

template <Method method>
absl::StatusOr<std::string> EncodeCarried(const Offsets& offsets, const Settings& settings) {
  using Code = typename CarriedForm<method>::Code;
  const Boxes boxes = Boxes::OfOneSize(offsets, method == Method::kFlac ? 65536 : 256);
  const std::vector<uint32_t> moving = MovingPointsOf(boxes);
  if (absl::Status s = CheckSize(moving.size(), offsets.frames()); !s.ok()) return s;
  ByteWriter out;
  boxes.Write(out);
  if (moving.empty()) return out.Take();
  PixelMap map;
  if (settings.uv.empty()) {
    map = PixelMap::ByIndex(moving.size());
    out.Put(kByIndex);
  } else {
    std::vector<Uv> uv;
    uv.reserve(moving.size());
    for (const uint32_t point : moving) uv.push_back(settings.uv[point]);
    map = PixelMap::ByUv(uv);
    out.Put(kByUv);
    map.Write(out);
  }
  const std::vector<Code> codes = CodesOf<Code>(offsets, boxes, CarriedForm<method>::kPlaces);
  const auto carried = CarriedForm<method>::carrier().encode(
      ToSheets<Code>(boxes, moving, codes, offsets.frames()), map, settings);
  if (!carried.ok()) return carried.status();
  out.Bytes(*carried);
  return out.Take();
}

template <Method method>
absl::StatusOr<std::unique_ptr<Chunk>> OpenCarried(absl::string_view bytes, size_t points,
                                                   size_t frames) {
  using Code = typename CarriedForm<method>::Code;
  ByteReader in(bytes);
  Boxes boxes;
  if (!boxes.Read(in, points)) {
    return absl::InvalidArgumentError(absl::StrCat("no boxes of ", points, " points"));
  }
  const std::vector<uint32_t> moving = MovingPointsOf(boxes);
  if (absl::Status s = CheckSize(moving.size(), frames); !s.ok()) return s;
  std::vector<Code> codes;
  if (!moving.empty()) {
    const auto by = in.Get<uint8_t>();
    PixelMap map;
    if (by == kByIndex) {
      map = PixelMap::ByIndex(moving.size());
    } else if (by != kByUv || !map.Read(in, moving.size())) {
      return absl::InvalidArgumentError(absl::StrCat("way ", by, " from ", moving.size(),
                                                     " points to pixels, expected 0 for that by "
                                                     "index, or 1 and a map"));
    }
    if (!in.ok()) return absl::InvalidArgumentError("the chunk ends behind its boxes");
    CodeSheets<Code> sheets(moving.size(), frames);
    if (absl::Status s = CarriedForm<method>::carrier().decode(in.Bytes(in.left()), map, sheets);
        !s.ok()) {
      return s;
    }
    codes = FromSheets(boxes, moving, sheets);
  } else if (!in.Done()) {
    return absl::InvalidArgumentError(
        absl::StrCat(in.left(), " bytes behind boxes in which nothing moves, expected none"));
  }
  return std::make_unique<BoxChunk<Code, EvenCodes>>(std::move(boxes), codes, frames,
                                                     CarriedForm<method>::kPlaces);
}

// Counts the sheets, series and frames of codes, the pictures of a film with their empty pixels and
// the growth of the string that receives them, copies of decoded data, and maps.
template <Method method>
size_t OpenCarriedBytes(size_t bytes, size_t points, size_t frames) {
  const size_t codes =
      std::min(3 * points * frames, kMostCodes) * sizeof(typename CarriedForm<method>::Code);
  constexpr bool kFilm =
      method == Method::kH264 || method == Method::kH265 || method == Method::kVp9;
  const size_t pictures = kFilm ? 2 * (3 * codes + 8192 * frames) : codes;
  return kCodecBytes + 12 * points + 32 * points + 3 * codes + pictures + bytes;
}

#define POSEWIRE_CARRIED(method)                                                                 \
  template absl::StatusOr<std::string> EncodeCarried<method>(const Offsets&, const Settings&);   \
  template absl::StatusOr<std::unique_ptr<Chunk>> OpenCarried<method>(absl::string_view, size_t, \
                                                                      size_t);                   \
  template size_t OpenCarriedBytes<method>(size_t, size_t, size_t)
POSEWIRE_CARRIED(Method::kJpeg);
POSEWIRE_CARRIED(Method::kWebp);
POSEWIRE_CARRIED(Method::kFlac);
POSEWIRE_CARRIED(Method::kMp3);
POSEWIRE_CARRIED(Method::kH264);
POSEWIRE_CARRIED(Method::kH265);
POSEWIRE_CARRIED(Method::kVp9);
#undef POSEWIRE_CARRIED

}  // namespace posewire::offsets
