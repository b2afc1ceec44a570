#include "libs/offsets/box_methods.h"

#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/image/codes.h"
#include "libs/offsets/box_chunk.h"
#include "libs/offsets/boxes.h"

namespace posewire::offsets {
namespace {

// libpng's own memory.
constexpr size_t kPngBytes = size_t{128} << 10;

template <Method method>
struct BoxForm {
  static constexpr bool kWide =
      method == Method::kBox16 || method == Method::kDelta16 || method == Method::kPng16;
  static constexpr bool kDeltas = method == Method::kDelta8 || method == Method::kDelta16;
  static constexpr bool kPicture = method == Method::kPng16;
  using Code = std::conditional_t<kWide, uint16_t, uint8_t>;
  using Places = std::conditional_t<method == Method::kMinifloat, Minifloat, EvenCodes>;
  static Places MakePlaces() {
    if constexpr (method == Method::kMinifloat) {
      return Minifloat();
    } else {
      return EvenCodes{kWide ? 65535.0f : 255.0f};
    }
  }
};

template <typename Code>
void PutPlanes(absl::Span<const Code> codes, ByteWriter& out) {
  for (size_t byte = 0; byte < sizeof(Code); ++byte) {
    for (const Code code : codes) out.Put(static_cast<uint8_t>(code >> (8 * byte)));
  }
}

template <typename Code>
std::vector<Code> GetPlanes(absl::string_view bytes) {
  const size_t n = bytes.size() / sizeof(Code);
  std::vector<Code> out(n);
  for (size_t byte = 0; byte < sizeof(Code); ++byte) {
    for (size_t i = 0; i < n; ++i) {
      const auto part = static_cast<uint8_t>(bytes[byte * n + i]);
      out[i] = static_cast<Code>(out[i] | (part << (8 * byte)));
    }
  }
  return out;
}

size_t PictureRows(size_t series) { return (series + 2) / 3; }

// `codes` holds series of `columns` codes each, one after the other. The picture has one column per
// frame, and one row per three series: red, green and blue. Returns an empty string for no codes.
std::string EncodeCodePicture(const std::vector<uint16_t>& codes, size_t columns) {
  if (codes.empty()) return {};
  const size_t series = codes.size() / columns, rows = PictureRows(series);
  std::vector<uint16_t> pixels(rows * columns * 3, 0);
  for (size_t s = 0; s < series; ++s) {
    for (size_t c = 0; c < columns; ++c) {
      pixels[(s / 3 * columns + c) * 3 + s % 3] = codes[s * columns + c];
    }
  }
  return image::EncodeCodePng(columns, rows, pixels).value_or("");
}

absl::StatusOr<std::vector<uint16_t>> DecodeCodePicture(absl::string_view bytes, size_t series,
                                                        size_t columns) {
  if (series == 0 && bytes.empty()) return std::vector<uint16_t>();
  const auto pixels = image::DecodeCodePng(bytes, columns, PictureRows(series));
  if (!pixels.ok()) return pixels.status();
  std::vector<uint16_t> out(series * columns);
  for (size_t s = 0; s < series; ++s) {
    for (size_t c = 0; c < columns; ++c) {
      out[s * columns + c] = (*pixels)[(s / 3 * columns + c) * 3 + s % 3];
    }
  }
  return out;
}

template <Method method>
using ChunkOf = BoxChunk<typename BoxForm<method>::Code, typename BoxForm<method>::Places>;

}  // namespace

template <Method method>
std::string EncodeBoxes(const Offsets& offsets, const Settings&) {
  using Code = typename BoxForm<method>::Code;
  const Boxes boxes = Boxes::Round(offsets);
  ByteWriter out;
  boxes.Write(out);
  std::vector<Code> codes = CodesOf<Code>(offsets, boxes, BoxForm<method>::MakePlaces());
  if constexpr (BoxForm<method>::kPicture) {
    out.Bytes(EncodeCodePicture(codes, offsets.frames()));
  } else {
    if constexpr (BoxForm<method>::kDeltas) {
      const size_t n = offsets.frames();
      for (size_t side = 0; side < boxes.flexible; ++side) {
        ToDeltas(absl::MakeSpan(codes).subspan(side * n, n));
      }
    }
    PutPlanes<Code>(codes, out);
  }
  return out.Take();
}

template <Method method>
absl::StatusOr<std::unique_ptr<Chunk>> OpenBoxes(absl::string_view bytes, size_t points,
                                                 size_t frames) {
  using Code = typename BoxForm<method>::Code;
  ByteReader in(bytes);
  Boxes boxes;
  if (!boxes.Read(in, points)) {
    return absl::InvalidArgumentError(absl::StrCat("no boxes of ", points, " points"));
  }
  const size_t n = boxes.flexible * frames;
  std::vector<Code> codes;
  if constexpr (BoxForm<method>::kPicture) {
    auto decoded = DecodeCodePicture(in.Bytes(in.left()), boxes.flexible, frames);
    if (!decoded.ok()) return decoded.status();
    codes = *std::move(decoded);
  } else {
    if (in.left() != n * sizeof(Code)) {
      return absl::InvalidArgumentError(absl::StrCat(in.left(), " bytes of codes, expected ",
                                                     n * sizeof(Code), " for ", boxes.flexible,
                                                     " sides of boxes and ", frames, " frames"));
    }
    codes = GetPlanes<Code>(in.Bytes(in.left()));
    if constexpr (BoxForm<method>::kDeltas) {
      for (size_t side = 0; side < boxes.flexible; ++side) {
        FromDeltas(absl::MakeSpan(codes).subspan(side * frames, frames));
      }
    }
  }
  return std::make_unique<ChunkOf<method>>(std::move(boxes), codes, frames,
                                           BoxForm<method>::MakePlaces());
}

// Counts the codes twice: once as series of points, once as frames. The pixels of a picture are
// freed before the frames are made.
template <Method method>
size_t OpenBoxesBytes(size_t bytes, size_t points, size_t frames) {
  const size_t codes = BoxForm<method>::kPicture ? 6 * (points + 1) * frames + kPngBytes : bytes;
  return sizeof(ChunkOf<method>) + 12 * points + 2 * codes;
}

#define POSEWIRE_BOX_METHOD(method)                                                            \
  template std::string EncodeBoxes<method>(const Offsets&, const Settings&);                   \
  template absl::StatusOr<std::unique_ptr<Chunk>> OpenBoxes<method>(absl::string_view, size_t, \
                                                                    size_t);                   \
  template size_t OpenBoxesBytes<method>(size_t, size_t, size_t)
POSEWIRE_BOX_METHOD(Method::kBox8);
POSEWIRE_BOX_METHOD(Method::kBox16);
POSEWIRE_BOX_METHOD(Method::kMinifloat);
POSEWIRE_BOX_METHOD(Method::kDelta8);
POSEWIRE_BOX_METHOD(Method::kDelta16);
POSEWIRE_BOX_METHOD(Method::kPng16);
#undef POSEWIRE_BOX_METHOD

}  // namespace posewire::offsets
