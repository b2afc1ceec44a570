// What a glTF file of others may make us keep.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_LIMITS_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace posewire::gltf {

struct Limits {
  uint64_t bytes = 256ull << 20;  // of the file, what lies beside it, and what it unpacks to
  uint64_t json_bytes = 32ull << 20;
  uint64_t numbers = 64ull << 20;  // of all accessors that are read
  size_t nodes = 16384;
};

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_LIMITS_H_
