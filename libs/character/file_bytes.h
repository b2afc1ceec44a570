// A file as a whole. Internal to libs/character.
#ifndef POSEWIRE_LIBS_CHARACTER_FILE_BYTES_H_
#define POSEWIRE_LIBS_CHARACTER_FILE_BYTES_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace posewire::character {

// NOT_FOUND, PERMISSION_DENIED, INVALID_ARGUMENT for what is no file, RESOURCE_EXHAUSTED over
// `most` bytes; all begin with the path.
absl::StatusOr<std::string> ReadFileBytes(const std::string& path, uint64_t most);

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_FILE_BYTES_H_
