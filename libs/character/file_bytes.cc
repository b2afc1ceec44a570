#include "libs/character/file_bytes.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace posewire::character {

absl::StatusOr<std::string> ReadFileBytes(const std::string& path, uint64_t most) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return absl::NotFoundError(absl::StrCat(path, ": there is no such file"));
  }
  if (!std::filesystem::is_regular_file(path, error)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is no file"));
  }
  if (const auto size = std::filesystem::file_size(path, error); !error && size > most) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path, ": has ", size, " bytes, and at most ", most, " are read"));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::PermissionDeniedError(absl::StrCat(path, ": ", std::strerror(errno)));
  }
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) return absl::UnavailableError(absl::StrCat(path, ": cannot be read"));
  return bytes;
}

}  // namespace posewire::character
