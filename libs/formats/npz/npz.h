// Arrays as numpy keeps them: .npz, a zip of .npy files, each a header and numbers in a row.
//
// Source: numpy.lib.format, versions 1.0 to 3.0. Pickled objects are never looked into.
#ifndef POSEWIRE_LIBS_FORMATS_NPZ_NPZ_H_
#define POSEWIRE_LIBS_FORMATS_NPZ_NPZ_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::npz {

// Numbers row by row, whatever the file's order is.
struct NpyArray {
  std::vector<size_t> shape;  // empty: one number
  std::vector<float> numbers;
  // Of an array of one number, as exact as the file has it.
  double scalar = 0;
};

// Of a .npy's bytes. INVALID_ARGUMENT: another form than little-endian f4, f8 or whole numbers of 1
// to 8 bytes, or fewer bytes than its shape says.
absl::StatusOr<NpyArray> ReadNpy(absl::string_view bytes);

// The arrays of an archive that `wanted` names, without ".npy"; those that are not there are left
// out, and no other is unpacked. INVALID_ARGUMENT names the array: what ReadNpy refuses, damage,
// encryption; or no archive at all. RESOURCE_EXHAUSTED: over 4096 arrays, or they would unpack to
// over `most` bytes, or over 16 MiB and 64 times the archive's.
absl::StatusOr<std::map<std::string, NpyArray>> ReadNpz(absl::string_view archive,
                                                        const std::vector<std::string>& wanted,
                                                        size_t most);

}  // namespace posewire::npz

#endif  // POSEWIRE_LIBS_FORMATS_NPZ_NPZ_H_
