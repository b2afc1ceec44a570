// Limits on the memory that reading an untrusted file may take, and access to files next to it.
#ifndef POSEWIRE_LIBS_ASSET_LIMITS_H_
#define POSEWIRE_LIBS_ASSET_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"

namespace posewire::asset {

// Returns the bytes of the file with this name, which another file refers to.
using ReadSidecar = std::function<absl::StatusOr<std::string>(const std::string& name)>;

struct Limits {
  uint64_t bytes = 256ull << 20;      // of the file, the files next to it, and what they unpack to
  uint64_t json_bytes = 32ull << 20;  // of its JSON
  uint64_t numbers = 64ull << 20;     // of all arrays that are read
  size_t nodes = 16384;
};

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_LIMITS_H_
