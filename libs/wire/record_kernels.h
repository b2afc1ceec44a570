// Full records to flat floats and back, and checks on flat floats, as fast as the CPU can: each
// kernel is built for several instruction sets. Internal to libs/wire. Nothing here allocates. The
// scalar twins are in tests/unit/wire.
#ifndef POSEWIRE_LIBS_WIRE_RECORD_KERNELS_H_
#define POSEWIRE_LIBS_WIRE_RECORD_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace posewire::wire {

struct RecordKernels {
  // Reads records that stand in full form, one behind the other, until `n` are read or one has
  // another form. Returns how many are certain: a few before the first other one may be left out.
  // `from` holds at least n * RecordForm<>::kBytes bytes; bytes up to `end`, behind them, may be
  // touched too. Writes nothing beyond the floats of `n` records, but what lies there behind the
  // records that it returns is spoilt.
  using ReadFull = size_t (*)(const uint8_t* from, const uint8_t* end, size_t n, float* out);
  ReadFull read_full_vectors, read_full_rotations;

  // The same for records of which each has the shape (RecordShape) that `shapes` says. Moves `from`
  // behind those that it returns. Stops short of `end` too, since it touches 32 bytes a record.
  using ReadShaped = size_t (*)(const uint8_t** from, const uint8_t* end, const uint8_t* shapes,
                                size_t n, float* out);
  ReadShaped read_shaped_vectors, read_shaped_rotations;

  // Writes n * RecordForm<>::kBytes bytes: record i of rows[0][i], rows[1][i] and so on.
  void (*write_vectors)(const float* const (&rows)[3], size_t n, uint8_t* to);
  void (*write_rotations)(const float* const (&rows)[4], size_t n, uint8_t* to);

  // True when every one of `n` numbers lies within `bound` of zero; NaN does not.
  bool (*all_within)(const float* values, size_t n, float bound);

  // True when each of `n` quaternions has a squared length within 2e-6 of 1, as doubles have it.
  // May be false for one that misses 1 by more than 1e-6.
  bool (*all_unit_length)(const float* quaternions, size_t n);
};

// Those for the best instruction set that this CPU has. Asks the CPU just once a program.
RecordKernels ChooseKernels();

// The parts of ChooseKernels, by source file.
void ChooseReadKernels(RecordKernels* kernels);
void ChooseWriteKernels(RecordKernels* kernels);
void ChooseCheckKernels(RecordKernels* kernels);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_RECORD_KERNELS_H_
