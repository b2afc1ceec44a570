#include "libs/rpc/bearer_token.h"

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace posewire::rpc {
namespace {

constexpr size_t kLeast = 16, kMost = 4096;

bool IsTokenChar(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         absl::string_view("-._~+/=").find(c) != absl::string_view::npos;
}

}  // namespace

absl::Status CheckToken(absl::string_view token) {
  if (token.size() < kLeast || token.size() > kMost) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the token is ", token.size(), " characters long; it may be ", kLeast, " to ", kMost));
  }
  if (std::all_of(token.begin(), token.end(), IsTokenChar)) return absl::OkStatus();
  return absl::InvalidArgumentError("the token has characters besides A-Z a-z 0-9 - . _ ~ + / =");
}

absl::StatusOr<std::string> ReadSmallFile(const std::string& path, size_t most_bytes) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(most_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  // At the end of the file the stream has failed too, but has counted.
  if (!file.is_open() || file.bad()) return absl::ErrnoToStatus(errno != 0 ? errno : EIO, path);
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() <= most_bytes) return text;
  return absl::InvalidArgumentError(absl::StrCat(path, " is larger than ", most_bytes, " bytes"));
}

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  auto text = ReadSmallFile(path, 2 * kMost);
  if (!text.ok()) return text.status();
  absl::StripAsciiWhitespace(&*text);
  if (absl::Status s = CheckToken(*text); !s.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", s.message()));
  }
  return text;
}

}  // namespace posewire::rpc
