#include "libs/service/access/failed_logins.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"

namespace posewire::service {
namespace {

// Returns the part of an address that counts as one address.
std::string KeyOf(absl::string_view address) {
  std::string text(address);
  in6_addr bytes;
  if (inet_pton(AF_INET6, text.c_str(), &bytes) != 1) return text;
  if (IN6_IS_ADDR_V4MAPPED(&bytes)) return text.substr(text.rfind(':') + 1);
  return std::string(reinterpret_cast<const char*>(bytes.s6_addr), 8);
}

}  // namespace

absl::Status FailedLogins::MayTry(absl::string_view address, absl::Time now) const {
  const auto found = addresses_.find(KeyOf(address));
  if (found == addresses_.end()) return absl::OkStatus();
  const absl::Duration wait = found->second - now - (kMostAtOnce - 1) * kOneEach;
  if (wait <= absl::ZeroDuration()) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("too many wrong tokens came from ", address, "; try again in ",
                   absl::ToInt64Seconds(absl::Ceil(wait, absl::Seconds(1))), " s"));
}

void FailedLogins::Count(absl::string_view address, absl::Time now) {
  const std::string key = KeyOf(address);
  if (addresses_.size() >= kMostAddresses && addresses_.count(key) == 0) {
    addresses_.erase(
        std::min_element(addresses_.begin(), addresses_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; }));
  }
  absl::Time& full = addresses_[key];
  full = std::max(full, now) + kOneEach;
}

}  // namespace posewire::service
