// Full records to flat floats and back, and checks on flat floats, as fast as the CPU can: each
// kernel is built for several instruction sets and chosen when it is first called. Internal to
// libs/wire. Nothing here allocates. The scalar twins are in tests/unit/wire.
#ifndef POSEWIRE_LIBS_WIRE_RECORD_KERNELS_H_
#define POSEWIRE_LIBS_WIRE_RECORD_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace posewire::wire {

// Reads records that stand in full form, one behind the other, until `n` are read or one has
// another form. Returns how many are certain: a few before the first other one may be left out.
// `from` holds at least n * RecordForm<kFloats>::kBytes bytes; bytes up to `end`, behind them, may
// be touched too. Writes nothing beyond out[n * kFloats], but what lies there behind the records
// that it returns is spoilt.
template <size_t kFloats>
size_t ReadFullRecords(const uint8_t* from, const uint8_t* end, size_t n, float* out);

// Writes n * RecordForm<kFloats>::kBytes bytes: record i of rows[0][i], rows[1][i] and so on.
template <size_t kFloats>
void WriteFullRecords(const float* const (&rows)[kFloats], size_t n, uint8_t* to);

// True when every one of `n` numbers lies within `bound` of zero; NaN does not.
bool AllWithin(const float* values, size_t n, float bound);

// True when each of `n` quaternions has a squared length within 2e-6 of 1, as doubles have it. May
// be false for one that misses 1 by more than 1e-6.
bool AllUnitLength(const float* quaternions, size_t n);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_RECORD_KERNELS_H_
