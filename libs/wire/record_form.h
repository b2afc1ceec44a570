// The full form of a Float3 or QuatF in a list: tag and length, then every number behind its own
// tag, in order. Internal to libs/wire.
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
  // What the form holds at byte `at`; 0 within a number.
  static constexpr uint8_t TagAt(size_t at) {
    if (at == 0) return 0x12;
    if (at == 1) return 5 * kFloats;
    return IsTag(at) ? static_cast<uint8_t>(((at - 2) / 5 + 1) << 3 | 5) : uint8_t{0};
  }
  // Where byte `byte` of number `number` lies.
  static constexpr size_t PlaceOf(size_t number, size_t byte) { return 3 + 5 * number + byte; }
};

// Bytes [kFrom, kFrom + kSpan) of records that stand one behind the other: what they must hold
// (`tags`), and 0xff where they are held to it, 0 where numbers stand or `kRecords` are over.
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

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_RECORD_FORM_H_
