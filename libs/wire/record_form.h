// The wire encoding of a Float3 or QuatF in a repeated field when no number is omitted: tag and
// length, then each float after its own tag, in field order. Internal to libs/wire.
//
//   12 0f 0d xxxx 15 yyyy 1d zzzz           17 bytes
//   12 14 0d rrrr 15 iiii 1d jjjj 25 kkkk   22 bytes
#ifndef POSEWIRE_LIBS_WIRE_RECORD_FORM_H_
#define POSEWIRE_LIBS_WIRE_RECORD_FORM_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace posewire::wire {

template <size_t kFloats>
struct RecordForm {
  static_assert(kFloats == 3 || kFloats == 4);
  static constexpr size_t kBytes = 2 + 5 * kFloats;

  static constexpr bool IsTag(size_t at) { return at < 2 || (at - 2) % 5 == 0; }
  // Returns the required byte at offset `at`; 0 within a number.
  static constexpr uint8_t TagAt(size_t at) {
    if (at == 0) return 0x12;
    if (at == 1) return 5 * kFloats;
    return IsTag(at) ? static_cast<uint8_t>(((at - 2) / 5 + 1) << 3 | 5) : uint8_t{0};
  }
  // Returns the offset of byte `byte` of number `number`.
  static constexpr size_t PlaceOf(size_t number, size_t byte) { return 3 + 5 * number + byte; }
};

// Bytes [kFrom, kFrom + kSpan) of consecutive records: their required values (`tags`), and a mask
// (`held`), 0xff where they must match, 0 for bytes of numbers and after `kRecords`.
template <size_t kFloats, size_t kRecords, size_t kFrom, size_t kSpan>
struct RecordWindow {
  alignas(64) std::array<uint8_t, kSpan> tags = {};
  alignas(64) std::array<uint8_t, kSpan> held = {};
  uint64_t numbers = 0;  // one bit for each byte of a number

  constexpr RecordWindow() {
    using Form = RecordForm<kFloats>;
    for (size_t i = 0; i < kSpan; ++i) {
      const size_t at = (kFrom + i) % Form::kBytes;
      if ((kFrom + i) / Form::kBytes >= kRecords) continue;
      tags[i] = Form::TagAt(at);
      held[i] = Form::IsTag(at) ? 0xff : 0;
      if (!Form::IsTag(at)) numbers |= uint64_t{1} << i;
    }
  }
};

// The form of a record that omits numbers, as proto3 does with zeros. Bit k of its shape is set if
// number k is present. The present numbers keep their order.
template <size_t kFloats>
struct RecordShape {
  static constexpr size_t kShapes = size_t{1} << kFloats;
  static constexpr uint8_t kFull = kShapes - 1;

  static constexpr size_t Numbers(size_t shape) {
    size_t n = 0;
    for (; shape != 0; shape &= shape - 1) ++n;
    return n;
  }
  static constexpr size_t Bytes(size_t shape) { return 2 + 5 * Numbers(shape); }
  // Returns which number is in slot `slot`.
  static constexpr size_t NumberAt(size_t shape, size_t slot) {
    for (size_t k = 0; k < kFloats; ++k) {
      if ((shape >> k & 1) != 0 && slot-- == 0) return k;
    }
    return kFloats;
  }
  static constexpr uint8_t TagAt(size_t shape, size_t at) {
    if (at == 1) return static_cast<uint8_t>(5 * Numbers(shape));
    return at == 0 ? uint8_t{0x12}
                   : static_cast<uint8_t>((NumberAt(shape, (at - 2) / 5) + 1) << 3 | 5);
  }
};

// For each shape, tables for the `kSpan` bytes of a record that start at offset `kFrom`. `tags` and
// `held` are as in RecordWindow.
template <size_t kFloats, size_t kFrom, size_t kSpan>
struct ShapeWindows {
  using Shape = RecordShape<kFloats>;
  using Table = std::array<std::array<uint8_t, kSpan>, Shape::kShapes>;
  alignas(64) Table tags = {};
  alignas(64) Table held = {};
  // For each byte of the floats, its offset in the window; 0x80 if the float is not present or not
  // completely in the window.
  alignas(64) Table places = {};

  constexpr ShapeWindows() {
    for (size_t shape = 0; shape < Shape::kShapes; ++shape) {
      for (uint8_t& place : places[shape]) place = 0x80;
      for (size_t i = 0; i < kSpan && kFrom + i < Shape::Bytes(shape); ++i) {
        const size_t at = kFrom + i;
        if (RecordForm<kFloats>::IsTag(at)) {
          tags[shape][i] = Shape::TagAt(shape, at);
          held[shape][i] = 0xff;
        } else if (at - (at - 3) % 5 >= kFrom && at - (at - 3) % 5 + 3 < kFrom + kSpan) {
          const size_t number = Shape::NumberAt(shape, (at - 3) / 5);
          places[shape][4 * number + (at - 3) % 5] = static_cast<uint8_t>(i);
        }
      }
    }
  }
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_RECORD_FORM_H_
