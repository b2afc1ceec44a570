// Slows down whoever tries tokens.
#ifndef POSEWIRE_LIBS_SERVICE_ACCESS_FAILED_LOGINS_H_
#define POSEWIRE_LIBS_SERVICE_ACCESS_FAILED_LOGINS_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace posewire::service {

// An address may fail kMostAtOnce times at once and once every kOneEach after that; until then its
// attempts are refused unread, right tokens included. Other addresses are not affected. Remembers
// kMostAddresses; one more replaces the one that failed the longest time ago. Not thread-safe; time
// is an argument.
class FailedLogins {
 public:
  static constexpr int kMostAtOnce = 10;
  static constexpr absl::Duration kOneEach = absl::Seconds(6);
  static constexpr size_t kMostAddresses = 4096;

  // RESOURCE_EXHAUSTED, with the seconds to wait, when the address may not try now. `address` is an
  // IP address without a port; of IPv6 the first 64 bits count, which is what one client is given.
  absl::Status MayTry(absl::string_view address, absl::Time now) const;
  void Count(absl::string_view address, absl::Time now);
  size_t size() const { return addresses_.size(); }

 private:
  // When the address has all its attempts again: in the past, or at most kMostAtOnce * kOneEach
  // from now.
  std::map<std::string, absl::Time> addresses_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_ACCESS_FAILED_LOGINS_H_
