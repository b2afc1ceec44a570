#include "libs/rpc/bearer_token.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/files/read.h"

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

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  auto text = files::ReadWhole(path, 2 * kMost);
  if (!text.ok()) return text.status();
  absl::StripAsciiWhitespace(&*text);
  if (absl::Status s = CheckToken(*text); !s.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", s.message()));
  }
  return text;
}

}  // namespace posewire::rpc
