// Writes rows of floats as records in full form. This file is compiled once for each instruction
// set.
#include <algorithm>
#include <cstring>

#include "libs/wire/record_form.h"
#include "libs/wire/record_kernels.h"

// clang-format off
#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "libs/wire/write_records.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace posewire::wire::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL

// A quarter of one vector has four numbers of each row. 64 bytes of records from byte `kFrom` on
// are a permutation of its bytes, combined with the tags.
template <size_t kFloats, size_t kRecords, size_t kFrom>
struct Group {
  alignas(64) std::array<uint8_t, 64> from = {};
  RecordWindow<kFloats, kRecords, kFrom, 64> window;

  constexpr Group() {
    constexpr size_t kBytes = RecordForm<kFloats>::kBytes;
    for (size_t i = 0; i < 64; ++i) {
      const size_t record = (kFrom + i) / kBytes, at = (kFrom + i) % kBytes;
      if (record >= kRecords || RecordForm<kFloats>::IsTag(at)) continue;
      from[i] = static_cast<uint8_t>((at - 3) / 5 * 16 + 4 * record + (at - 3) % 5);
    }
  }
};

struct Scatter {
  template <typename G>
  HWY_INLINE explicit Scatter(const G& group)
      : tags(_mm512_load_si512(group.window.tags.data())),
        from(_mm512_load_si512(group.from.data())),
        numbers(group.window.numbers) {}
  HWY_INLINE __m512i operator()(__m512 rows) const {
    return _mm512_mask_permutexvar_epi8(tags, numbers, from, _mm512_castps_si512(rows));
  }
  __m512i tags, from;
  __mmask64 numbers;
};

template <size_t kFloats>
HWY_INLINE __m512 Rows(const float* const (&rows)[kFloats], size_t at, __mmask8 lanes) {
  __m512 v = _mm512_castps128_ps512(_mm_maskz_loadu_ps(lanes, rows[0] + at));
  v = _mm512_insertf32x4(v, _mm_maskz_loadu_ps(lanes, rows[1] + at), 1);
  v = _mm512_insertf32x4(v, _mm_maskz_loadu_ps(lanes, rows[2] + at), 2);
  if constexpr (kFloats == 4) {
    v = _mm512_insertf32x4(v, _mm_maskz_loadu_ps(lanes, rows[3] + at), 3);
  }
  return v;
}

template <size_t kFloats>
HWY_INLINE __m512 Rows(const float* const (&rows)[kFloats], size_t at) {
  __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(rows[0] + at));
  v = _mm512_insertf32x4(v, _mm_loadu_ps(rows[1] + at), 1);
  v = _mm512_insertf32x4(v, _mm_loadu_ps(rows[2] + at), 2);
  if constexpr (kFloats == 4) v = _mm512_insertf32x4(v, _mm_loadu_ps(rows[3] + at), 3);
  return v;
}

HWY_INLINE __mmask64 Below(size_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

template <size_t kFloats>
HWY_INLINE void WriteRecords(const float* const (&rows)[kFloats], size_t n, uint8_t* to) {
  constexpr size_t kBytes = RecordForm<kFloats>::kBytes;
  constexpr size_t kRecords = kFloats == 3 ? 3 : 4;
  static constexpr Group<kFloats, kRecords, 0> kFirst;
  static constexpr Group<kFloats, kRecords, 64> kSecond;  // of rotations, which take 88 bytes
  const Scatter first(kFirst), second(kSecond);
  size_t i = 0;
  // Loads read four of each row, and stores may go beyond the group; the next group overwrites
  // that.
  for (; n - i > kRecords; i += kRecords, to += kRecords * kBytes) {
    const __m512 v = Rows(rows, i);
    _mm512_storeu_si512(to, first(v));
    if constexpr (kFloats == 4) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 64), _mm512_castsi512_si256(second(v)));
    }
  }
  if (i == n) return;
  const size_t bytes = (n - i) * kBytes;
  const __m512 v = Rows(rows, i, static_cast<__mmask8>((1u << (n - i)) - 1));
  _mm512_mask_storeu_epi8(to, Below(bytes), first(v));
  if (bytes > 64) _mm512_mask_storeu_epi8(to + 64, Below(bytes - 64), second(v));
}

#else

template <size_t kFloats>
HWY_INLINE void WriteSingly(const float* const (&rows)[kFloats], size_t from, size_t n,
                            uint8_t* to) {
  using Form = RecordForm<kFloats>;
  for (size_t i = from; i < n; ++i, to += Form::kBytes) {
    to[0] = Form::TagAt(0), to[1] = Form::TagAt(1);
    for (size_t k = 0; k < kFloats; ++k) {
      to[2 + 5 * k] = Form::TagAt(2 + 5 * k);
      std::memcpy(to + Form::PlaceOf(k, 0), rows[k] + i, 4);
    }
  }
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

template <size_t kFloats>
HWY_INLINE void WriteRecords(const float* const (&rows)[kFloats], size_t n, uint8_t* to) {
  WriteSingly(rows, 0, n, to);
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using D8 = hn::FixedTag<uint8_t, 16>;
using DF = hn::FixedTag<float, 4>;
using V8 = hn::Vec<D8>;

// Index of the float byte at each byte of a record from `kFrom` on; 0x80 for tags.
template <size_t kFloats, size_t kFrom>
struct Places {
  alignas(16) std::array<uint8_t, 16> at = {};
  constexpr Places() {
    for (size_t i = 0; i < 16; ++i) {
      const size_t b = kFrom + i;
      at[i] = RecordForm<kFloats>::IsTag(b) ? uint8_t{0x80}
                                            : static_cast<uint8_t>((b - 3) / 5 * 4 + (b - 3) % 5);
    }
  }
};

// A vector is its first byte and 16 more; a rotation is two overlapping windows of 16.
template <size_t kFloats>
class OneRecord {
 public:
  HWY_INLINE OneRecord()
      : head_tags_(hn::Load(d_, kHead.tags.data())),
        tail_tags_(hn::Load(d_, kTail.tags.data())),
        head_places_(hn::Load(d_, kHeadPlaces.at.data())),
        tail_places_(hn::Load(d_, kTailPlaces.at.data())) {}

  HWY_INLINE void Write(hn::Vec<DF> floats, uint8_t* to) const {
    const V8 v = hn::BitCast(d_, floats);
    if constexpr (kFloats == 3) {
      to[0] = RecordForm<kFloats>::TagAt(0);
    } else {
      hn::StoreU(hn::Or(hn::TableLookupBytesOr0(v, head_places_), head_tags_), d_, to);
    }
    hn::StoreU(hn::Or(hn::TableLookupBytesOr0(v, tail_places_), tail_tags_), d_, to + kTailAt);
  }

 private:
  static constexpr size_t kTailAt = RecordForm<kFloats>::kBytes - 16;
  static constexpr RecordWindow<kFloats, 1, 0, 16> kHead = {};
  static constexpr RecordWindow<kFloats, 1, kTailAt, 16> kTail = {};
  static constexpr Places<kFloats, 0> kHeadPlaces = {};
  static constexpr Places<kFloats, kTailAt> kTailPlaces = {};

  D8 d_;
  V8 head_tags_, tail_tags_, head_places_, tail_places_;
};

template <size_t kFloats>
HWY_INLINE void WriteRecords(const float* const (&rows)[kFloats], size_t n, uint8_t* to) {
  constexpr size_t kBytes = RecordForm<kFloats>::kBytes;
  const DF d;
  const hn::Repartition<uint64_t, DF> pairs;
  const OneRecord<kFloats> record;
  const auto low = [&](auto a, auto b) HWY_ATTR {
    return hn::BitCast(d, hn::InterleaveLower(pairs, hn::BitCast(pairs, a), hn::BitCast(pairs, b)));
  };
  const auto high = [&](auto a, auto b) HWY_ATTR {
    return hn::BitCast(d, hn::InterleaveUpper(pairs, hn::BitCast(pairs, a), hn::BitCast(pairs, b)));
  };
  size_t i = 0;
  for (; i + 4 <= n; i += 4, to += 4 * kBytes) {
    const auto r0 = hn::LoadU(d, rows[0] + i), r1 = hn::LoadU(d, rows[1] + i);
    const auto r2 = hn::LoadU(d, rows[2] + i), r3 = hn::LoadU(d, rows[kFloats - 1] + i);
    const auto a = hn::InterleaveLower(d, r0, r1), b = hn::InterleaveUpper(d, r0, r1);
    const auto e = hn::InterleaveLower(d, r2, r3), f = hn::InterleaveUpper(d, r2, r3);
    record.Write(low(a, e), to);
    record.Write(high(a, e), to + kBytes);
    record.Write(low(b, f), to + 2 * kBytes);
    record.Write(high(b, f), to + 3 * kBytes);
  }
  WriteSingly(rows, i, n, to);
}

#endif
#endif

void WriteVectors(const float* const (&rows)[3], size_t n, uint8_t* to) {
  WriteRecords(rows, n, to);
}

void WriteRotations(const float* const (&rows)[4], size_t n, uint8_t* to) {
  WriteRecords(rows, n, to);
}

}  // namespace posewire::wire::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posewire::wire {

HWY_EXPORT(WriteVectors);
HWY_EXPORT(WriteRotations);

void ChooseWriteKernels(RecordKernels* kernels) {
  const size_t target = hwy::GetChosenTarget().GetIndex();
  kernels->write_vectors = HWY_DISPATCH_TABLE(WriteVectors)[target];
  kernels->write_rotations = HWY_DISPATCH_TABLE(WriteRotations)[target];
}

}  // namespace posewire::wire
#endif
