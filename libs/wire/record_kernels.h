// SIMD kernels that convert full records to flat floats and back, and check flat floats. Each
// kernel is compiled for several instruction sets. Internal to libs/wire. Nothing here allocates.
// The scalar twins are in tests/unit/wire.
#ifndef POSEWIRE_LIBS_WIRE_RECORD_KERNELS_H_
#define POSEWIRE_LIBS_WIRE_RECORD_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace posewire::wire {

struct RecordKernels {
  // Reads consecutive records in full form, until `n` are read or one has another form. Returns how
  // many were certainly read; this may exclude a few before the first record of another form.
  // `from` has at least n * RecordForm<>::kBytes bytes; the bytes after them, up to `end`, may be
  // read too. Writes at most the floats of `n` records; floats after those of the returned records
  // are undefined.
  using ReadFull = size_t (*)(const uint8_t* from, const uint8_t* end, size_t n, float* out);
  ReadFull read_full_vectors, read_full_rotations;

  // The same for records of the given `shapes` (RecordShape). Advances `from` past the returned
  // records. Also stops before `end`, because it reads 32 bytes per record.
  using ReadShaped = size_t (*)(const uint8_t** from, const uint8_t* end, const uint8_t* shapes,
                                size_t n, float* out);
  ReadShaped read_shaped_vectors, read_shaped_rotations;

  // Writes n * RecordForm<>::kBytes bytes: record i from rows[0][i], rows[1][i] and so on.
  void (*write_vectors)(const float* const (&rows)[3], size_t n, uint8_t* to);
  void (*write_rotations)(const float* const (&rows)[4], size_t n, uint8_t* to);

  // Returns true if each of `n` numbers is within `bound` of zero; false for NaN.
  bool (*all_within)(const float* values, size_t n, float bound);

  // Returns true if each of `n` quaternions has a squared length within 2e-6 of 1, computed in
  // doubles. May be false if one is off by more than 1e-6.
  bool (*all_unit_length)(const float* quaternions, size_t n);
};

// Returns the kernels for the best instruction set of this CPU. Queries the CPU only once per
// program.
RecordKernels ChooseKernels();

// The parts of ChooseKernels, one per source file.
void ChooseReadKernels(RecordKernels* kernels);
void ChooseWriteKernels(RecordKernels* kernels);
void ChooseCheckKernels(RecordKernels* kernels);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_RECORD_KERNELS_H_
