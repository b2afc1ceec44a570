// Keeps foreign web pages away from a server that a browser of its user can reach.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_GUARD_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_GUARD_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace posewire::service {

// "http://host[:port]", "https://..." or "*", as --http-allow-origin takes them.
bool IsOrigin(absl::string_view text);

struct HttpGuard {
  bool on_loopback = false;
  std::vector<std::string> allowed_origins = {};

  // False for a Host that a foreign name may have led here. `host` is the header, with its port;
  // an empty one is of a client that is no browser.
  bool HostIsOurs(absl::string_view host) const;
  // The page at `origin` is the server's own, by its Host.
  static bool IsSameOrigin(absl::string_view origin, absl::string_view host);
  // The page at `origin` is one of allowed_origins.
  bool IsAllowed(absl::string_view origin) const;
  // No page at all, our own or an allowed one.
  bool MayCall(absl::string_view origin, absl::string_view host) const {
    return origin.empty() || IsSameOrigin(origin, host) || IsAllowed(origin);
  }
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_GUARD_H_
