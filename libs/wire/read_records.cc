// Reads records in full form into flat floats. This file is compiled once for each instruction set.
#include <algorithm>
#include <cstring>

#include "libs/wire/record_form.h"
#include "libs/wire/record_kernels.h"

// clang-format off
#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "libs/wire/read_records.cc"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace posewire::wire::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX3_DL

// With byte permutes over 64 bytes, one load has three vectors or two rotations.
template <size_t kFloats>
struct Group {
  static constexpr size_t kRecords = kFloats == 3 ? 3 : 2;
  static constexpr size_t kIn = kRecords * RecordForm<kFloats>::kBytes;
  static constexpr size_t kOut = kRecords * kFloats;
  // Index in the group of byte i of its floats.
  alignas(64) std::array<uint8_t, 64> from = {};
  RecordWindow<kFloats, kRecords, 0, 64> window;

  constexpr Group() {
    for (size_t i = 0; i < 4 * kOut; ++i) {
      const size_t number = i / 4;
      from[i] = static_cast<uint8_t>(number / kFloats * RecordForm<kFloats>::kBytes +
                                     RecordForm<kFloats>::PlaceOf(number % kFloats, i % 4));
    }
  }
};

template <size_t kFloats>
class GroupReader {
 public:
  using G = Group<kFloats>;
  static constexpr size_t kBytes = RecordForm<kFloats>::kBytes;

  HWY_INLINE GroupReader()
      : tags_(_mm512_load_si512(kGroup.window.tags.data())),
        held_(_mm512_load_si512(kGroup.window.held.data())),
        places_(_mm512_load_si512(kGroup.from.data())) {}

  // Reads `kTurn` groups that are checked together. Reads 64 bytes of the last one, and overwrites
  // up to kSpoilt records after it.
  static constexpr size_t kSpoilt = kFloats == 3 ? 3 : 0;
  template <size_t kTurn>
  HWY_INLINE bool ReadWhole(const uint8_t* from, float* out) const {
    // Each group's tags must equal those of the one before: one operation per group.
    __m512i before = tags_, wrong = _mm512_setzero_si512();
    for (size_t g = 0; g < kTurn; ++g) {
      const __m512i v = _mm512_loadu_si512(from + g * G::kIn);
      wrong = _mm512_or_si512(wrong, _mm512_xor_si512(v, before));
      before = v;
      const __m512i floats = _mm512_permutexvar_epi8(places_, v);
      if constexpr (kFloats == 3) {
        _mm512_storeu_si512(out + g * G::kOut, floats);
      } else {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + g * G::kOut),
                            _mm512_castsi512_si256(floats));
      }
    }
    return _mm512_test_epi8_mask(wrong, held_) == 0;
  }

  // Reads up to one group, and touches nothing else.
  HWY_INLINE bool ReadPart(const uint8_t* from, size_t records, float* out) const {
    const __mmask64 mine = ~uint64_t{0} >> (64 - records * kBytes);
    const __m512i v = _mm512_maskz_loadu_epi8(mine, from);
    const __m512i wrong = _mm512_and_si512(_mm512_xor_si512(v, tags_), held_);
    const auto lanes = static_cast<__mmask16>((1u << (records * kFloats)) - 1);
    _mm512_mask_storeu_epi32(out, lanes, _mm512_permutexvar_epi8(places_, v));
    return _mm512_mask_test_epi8_mask(mine, wrong, wrong) == 0;
  }

 private:
  static constexpr G kGroup = {};
  __m512i tags_, held_, places_;
};

template <size_t kFloats>
HWY_INLINE size_t ReadRecords(const uint8_t* from, const uint8_t* end, size_t n, float* out) {
  using Reader = GroupReader<kFloats>;
  constexpr size_t kTurn = 4, kRecords = Group<kFloats>::kRecords;
  const Reader reader;
  size_t done = 0;
  const auto has = [&](size_t groups) HWY_ATTR {
    return n - done >= groups * kRecords + Reader::kSpoilt &&
           end - from >= static_cast<ptrdiff_t>((groups - 1) * Group<kFloats>::kIn + 64);
  };
  const auto step = [&](size_t records) HWY_ATTR {
    from += records * Reader::kBytes;
    out += records * kFloats;
    done += records;
  };
  for (; has(kTurn); step(kTurn * kRecords)) {
    if (!reader.template ReadWhole<kTurn>(from, out)) return done;
  }
  for (; has(1); step(kRecords)) {
    if (!reader.template ReadWhole<1>(from, out)) return done;
  }
  while (done < n) {
    const size_t records = std::min(n - done, kRecords);
    if (!reader.ReadPart(from, records, out)) return done;
    step(records);
  }
  return done;
}

// One permutation of a record's 32 bytes: first its floats, then its tags.
template <size_t kFloats>
struct Sorted {
  using Shape = RecordShape<kFloats>;
  alignas(64) std::array<std::array<uint8_t, 32>, Shape::kShapes> from = {};
  // For the floats' bytes, 0xff if they are present; for the tags, their required values.
  alignas(64) std::array<std::array<uint8_t, 32>, Shape::kShapes> to = {};

  constexpr Sorted() {
    for (size_t shape = 0; shape < Shape::kShapes; ++shape) {
      for (size_t i = 16; i < 32; ++i) to[shape][i] = Shape::TagAt(shape, 0);
      size_t tag = 16;
      for (size_t at = 0; at < Shape::Bytes(shape); ++at) {
        if (RecordForm<kFloats>::IsTag(at)) {
          from[shape][tag] = static_cast<uint8_t>(at);
          to[shape][tag++] = Shape::TagAt(shape, at);
        } else {
          const size_t i = 4 * Shape::NumberAt(shape, (at - 3) / 5) + (at - 3) % 5;
          from[shape][i] = static_cast<uint8_t>(at);
          to[shape][i] = 0xff;
        }
      }
    }
  }
};

template <size_t kFloats>
class ShapedRecord {
 public:
  static constexpr ptrdiff_t kTouched = 32;
  HWY_INLINE ShapedRecord() : wrong_(_mm256_setzero_si256()) {}
  HWY_INLINE __m128i Read(const uint8_t* from, size_t shape) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    const __m256i to = Table(kSorted.to[shape]);
    const __m256i sorted = _mm256_permutexvar_epi8(Table(kSorted.from[shape]), v);
    wrong_ = _mm256_or_si256(wrong_, _mm256_xor_si256(sorted, to));
    return _mm_and_si128(_mm256_castsi256_si128(sorted), _mm256_castsi256_si128(to));
  }
  HWY_INLINE bool AllRight() const {
    const __m128i tags = _mm256_extracti128_si256(wrong_, 1);
    return _mm_testz_si128(tags, tags) != 0;
  }
  static HWY_INLINE void Store(__m128i floats, float* out) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), floats);
  }

 private:
  static HWY_INLINE __m256i Table(const std::array<uint8_t, 32>& table) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(table.data()));
  }
  static constexpr Sorted<kFloats> kSorted = {};
  __m256i wrong_;
};

#elif HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

template <size_t kFloats>
size_t ReadShapedRecords(const uint8_t** from, const uint8_t* end, const uint8_t* shapes, size_t n,
                         float* out) {
  using Shape = RecordShape<kFloats>;
  size_t done = 0;
  for (; done < n && end - *from >= 32; ++done, out += kFloats) {
    const size_t shape = shapes[done], bytes = Shape::Bytes(shape);
    for (size_t at = 0; at < bytes; ++at) {
      if (RecordForm<kFloats>::IsTag(at) && (*from)[at] != Shape::TagAt(shape, at)) return done;
    }
    for (size_t k = 0; k < kFloats; ++k) out[k] = 0;
    for (size_t slot = 0; slot < Shape::Numbers(shape); ++slot) {
      std::memcpy(out + Shape::NumberAt(shape, slot), *from + 3 + 5 * slot, 4);
    }
    *from += bytes;
  }
  return done;
}

template <size_t kFloats>
size_t ReadRecords(const uint8_t* from, const uint8_t*, size_t n, float* out) {
  using Form = RecordForm<kFloats>;
  for (size_t i = 0; i < n; ++i, from += Form::kBytes, out += kFloats) {
    for (size_t at = 0; at < Form::kBytes; ++at) {
      if (Form::IsTag(at) && from[at] != Form::TagAt(at)) return i;
    }
    for (size_t k = 0; k < kFloats; ++k) std::memcpy(out + k, from + Form::PlaceOf(k, 0), 4);
  }
  return n;
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using D8 = hn::FixedTag<uint8_t, 16>;
using V8 = hn::Vec<D8>;

// Offsets of the 16 bytes of floats within the 16 bytes of a record from `kFrom` on; 0x80, which
// yields zero, for bytes that are elsewhere or in no float.
template <size_t kFloats, size_t kFrom, size_t kFirst, size_t kLast>
struct Places {
  alignas(16) std::array<uint8_t, 16> at = {};
  constexpr Places() {
    for (size_t i = 0; i < 16; ++i) {
      at[i] = i / 4 < kFirst || i / 4 > kLast
                  ? uint8_t{0x80}
                  : static_cast<uint8_t>(RecordForm<kFloats>::PlaceOf(i / 4, i % 4) - kFrom);
    }
  }
};

// Reads one record: a vector is 16 bytes after its first, a rotation two overlapping windows.
template <size_t kFloats>
class OneRecord {
 public:
  HWY_INLINE OneRecord()
      : tags_(hn::Load(d_, kHead.tags.data())),
        held_(hn::Load(d_, kHead.held.data())),
        tail_tags_(hn::Load(d_, kTail.tags.data())),
        tail_held_(hn::Load(d_, kTail.held.data())),
        head_places_(hn::Load(d_, kHeadPlaces.at.data())),
        tail_places_(hn::Load(d_, kTailPlaces.at.data())) {}

  // Adds mismatches to `wrong`, and returns the floats.
  HWY_INLINE V8 Read(const uint8_t* from, V8* wrong) const {
    const V8 head = hn::LoadU(d_, from);
    const V8 tail = hn::LoadU(d_, from + kTailAt);
    *wrong = hn::Or(*wrong, hn::And(hn::Xor(head, tags_), held_));
    if constexpr (kFloats == 3) return hn::TableLookupBytesOr0(tail, tail_places_);
    *wrong = hn::Or(*wrong, hn::And(hn::Xor(tail, tail_tags_), tail_held_));
    return hn::Or(hn::TableLookupBytesOr0(head, head_places_),
                  hn::TableLookupBytesOr0(tail, tail_places_));
  }

 private:
  static constexpr size_t kTailAt = RecordForm<kFloats>::kBytes - 16;
  static constexpr RecordWindow<kFloats, 1, 0, 16> kHead = {};
  static constexpr RecordWindow<kFloats, 1, kTailAt, 16> kTail = {};
  static constexpr Places<kFloats, 0, 0, 1> kHeadPlaces = {};
  static constexpr Places<kFloats, kTailAt, kFloats == 3 ? 0 : 2, kFloats - 1> kTailPlaces = {};

  D8 d_;
  V8 tags_, held_, tail_tags_, tail_held_, head_places_, tail_places_;
};

HWY_INLINE bool IsZero(V8 v) {
  const hn::Repartition<uint64_t, D8> d;
  return hn::AllTrue(d, hn::Eq(hn::BitCast(d, v), hn::Zero(d)));
}

template <size_t kFloats>
class ShapedRecord {
 public:
  static constexpr ptrdiff_t kTouched = RecordForm<kFloats>::kBytes;
  HWY_INLINE ShapedRecord() : wrong_(hn::Zero(D8())) {}
  HWY_INLINE V8 Read(const uint8_t* from, size_t shape) {
    const D8 d;
    const auto table = [d, shape](const auto& t) HWY_ATTR { return hn::Load(d, t[shape].data()); };
    const V8 head = hn::LoadU(d, from), tail = hn::LoadU(d, from + kTailAt);
    wrong_ = hn::Or(wrong_, hn::And(hn::Xor(head, table(kHead.tags)), table(kHead.held)));
    wrong_ = hn::Or(wrong_, hn::And(hn::Xor(tail, table(kTail.tags)), table(kTail.held)));
    if constexpr (kFloats == 3) return hn::TableLookupBytesOr0(tail, table(kTail.places));
    // A number in both windows is the same in both.
    return hn::Or(hn::TableLookupBytesOr0(head, table(kHead.places)),
                  hn::TableLookupBytesOr0(tail, table(kTail.places)));
  }
  HWY_INLINE bool AllRight() const { return IsZero(wrong_); }
  static HWY_INLINE void Store(V8 floats, float* out) {
    hn::StoreU(floats, D8(), reinterpret_cast<uint8_t*>(out));
  }

 private:
  static constexpr size_t kTailAt = RecordForm<kFloats>::kBytes - 16;
  static constexpr ShapeWindows<kFloats, 0, 16> kHead = {};
  static constexpr ShapeWindows<kFloats, kTailAt, 16> kTail = {};
  V8 wrong_;
};

template <size_t kFloats>
HWY_INLINE size_t ReadRecords(const uint8_t* from, const uint8_t*, size_t n, float* out) {
  constexpr size_t kBytes = RecordForm<kFloats>::kBytes;
  constexpr size_t kTurn = 8;  // records that are checked together
  const D8 d;
  const OneRecord<kFloats> record;
  size_t done = 0;
  // Storing 16 bytes for a vector overwrites one float after it.
  for (; n - done > kTurn; done += kTurn) {
    V8 wrong = hn::Zero(d);
    for (size_t i = done; i < done + kTurn; ++i) {
      hn::StoreU(record.Read(from + i * kBytes, &wrong), d,
                 reinterpret_cast<uint8_t*>(out + i * kFloats));
    }
    if (!IsZero(wrong)) return done;
  }
  for (; done < n; ++done) {
    V8 wrong = hn::Zero(d);
    alignas(16) uint8_t floats[16];
    hn::Store(record.Read(from + done * kBytes, &wrong), d, floats);
    if (!IsZero(wrong)) break;
    std::memcpy(out + done * kFloats, floats, 4 * kFloats);
  }
  return done;
}

#endif

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

template <size_t kFloats>
HWY_INLINE size_t ReadShapedRecords(const uint8_t** from, const uint8_t* end, const uint8_t* shapes,
                                    size_t n, float* out) {
  using Record = ShapedRecord<kFloats>;
  constexpr size_t kTurn = 8;  // records that are checked together
  // Number of floats in each shape, in four bits each.
  constexpr uint64_t kNumbers = 0x4332322132212110;
  const auto bytes_of = [](size_t shape) HWY_ATTR { return 2 + 5 * (kNumbers >> 4 * shape & 15); };
  constexpr ptrdiff_t kMostBytes = (kTurn - 1) * RecordForm<kFloats>::kBytes + Record::kTouched;
  size_t done = 0;
  // Storing 16 bytes for a vector overwrites one float after it.
  for (; n - done > kTurn && end - *from >= kMostBytes; done += kTurn) {
    const uint8_t* p = *from;
    Record record;
    for (size_t i = done; i < done + kTurn; ++i) {
      Record::Store(record.Read(p, shapes[i]), out + i * kFloats);
      p += bytes_of(shapes[i]);
    }
    if (!record.AllRight()) return done;
    *from = p;
  }
  for (; done < n && end - *from >= Record::kTouched; ++done) {
    Record record;
    float floats[4];
    Record::Store(record.Read(*from, shapes[done]), floats);
    if (!record.AllRight()) break;
    std::memcpy(out + done * kFloats, floats, 4 * kFloats);
    *from += bytes_of(shapes[done]);
  }
  return done;
}

#endif

size_t ReadShapedVectors(const uint8_t** from, const uint8_t* end, const uint8_t* shapes, size_t n,
                         float* out) {
  return ReadShapedRecords<3>(from, end, shapes, n, out);
}

size_t ReadShapedRotations(const uint8_t** from, const uint8_t* end, const uint8_t* shapes,
                           size_t n, float* out) {
  return ReadShapedRecords<4>(from, end, shapes, n, out);
}

size_t ReadVectors(const uint8_t* from, const uint8_t* end, size_t n, float* out) {
  return ReadRecords<3>(from, end, n, out);
}

size_t ReadRotations(const uint8_t* from, const uint8_t* end, size_t n, float* out) {
  return ReadRecords<4>(from, end, n, out);
}

}  // namespace posewire::wire::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posewire::wire {

HWY_EXPORT(ReadVectors);
HWY_EXPORT(ReadRotations);
HWY_EXPORT(ReadShapedVectors);
HWY_EXPORT(ReadShapedRotations);

void ChooseReadKernels(RecordKernels* kernels) {
  const size_t target = hwy::GetChosenTarget().GetIndex();
  kernels->read_full_vectors = HWY_DISPATCH_TABLE(ReadVectors)[target];
  kernels->read_full_rotations = HWY_DISPATCH_TABLE(ReadRotations)[target];
  kernels->read_shaped_vectors = HWY_DISPATCH_TABLE(ReadShapedVectors)[target];
  kernels->read_shaped_rotations = HWY_DISPATCH_TABLE(ReadShapedRotations)[target];
}

}  // namespace posewire::wire
#endif
