// Reads numpy's array files: .npz, a zip of .npy files, each a header and a sequence of numbers.
//
// Source: numpy.lib.format, versions 1.0 to 3.0. Pickled objects are never loaded.
#ifndef POSEWIRE_LIBS_FORMATS_NPZ_NPZ_H_
#define POSEWIRE_LIBS_FORMATS_NPZ_NPZ_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::npz {

// Numbers in row-major order, whatever the file's order is.
struct NpyArray {
  std::vector<size_t> shape;  // empty: one number
  std::vector<float> numbers;
  // The value of an array of one number, with the file's precision.
  double scalar = 0;
};

// Parses the bytes of a .npy. INVALID_ARGUMENT: a type other than little-endian f4, f8 or integers
// of 1 to 8 bytes, or fewer bytes than its shape requires.
absl::StatusOr<NpyArray> ReadNpy(absl::string_view bytes);

// Returns the arrays of an archive named in `wanted`, without ".npy"; missing ones are omitted, and
// no others are unpacked. INVALID_ARGUMENT names the array: what ReadNpy rejects, damage,
// encryption; or a file that is not an archive. RESOURCE_EXHAUSTED: over 4096 arrays, or an
// unpacked size over `most` bytes, or over both 16 MiB and 64 times the archive's size.
absl::StatusOr<std::map<std::string, NpyArray>> ReadNpz(absl::string_view archive,
                                                        const std::vector<std::string>& wanted,
                                                        size_t most);

}  // namespace posewire::npz

#endif  // POSEWIRE_LIBS_FORMATS_NPZ_NPZ_H_
