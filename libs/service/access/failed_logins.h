// Slows down clients that guess tokens.
#ifndef POSEWIRE_LIBS_SERVICE_ACCESS_FAILED_LOGINS_H_
#define POSEWIRE_LIBS_SERVICE_ACCESS_FAILED_LOGINS_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace posewire::service {

// An address may fail kMostAtOnce times in a row, and once every kOneEach after that. Until then
// its attempts are rejected unread, even with valid tokens. Other addresses are not affected.
// Remembers kMostAddresses; the next one replaces the one that failed the longest time ago. Not
// thread-safe; time is an argument.
class FailedLogins {
 public:
  static constexpr int kMostAtOnce = 10;
  static constexpr absl::Duration kOneEach = absl::Seconds(6);
  static constexpr size_t kMostAddresses = 4096;

  // RESOURCE_EXHAUSTED, with the seconds to wait, if the address must wait. `address` is an IP
  // address without a port. Of IPv6 only the first 64 bits count, because one client owns such a
  // range.
  absl::Status MayTry(absl::string_view address, absl::Time now) const;
  void Count(absl::string_view address, absl::Time now);
  size_t size() const { return addresses_.size(); }

 private:
  // Time at which the address has all its attempts again: in the past, or at most kMostAtOnce *
  // kOneEach from now.
  std::map<std::string, absl::Time> addresses_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_ACCESS_FAILED_LOGINS_H_
