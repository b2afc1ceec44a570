// The checksum of recordings: CRC-32C (Castagnoli), as in iSCSI, ext4 and LevelDB.
#ifndef POSEWIRE_LIBS_RECORDING_CRC32C_H_
#define POSEWIRE_LIBS_RECORDING_CRC32C_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace posewire::recording {

// Returns the checksum of `bytes` appended to data with the checksum `before`. Empty data has 0.
uint32_t Crc32c(absl::string_view bytes, uint32_t before = 0);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_CRC32C_H_
