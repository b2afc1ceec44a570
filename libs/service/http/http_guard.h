// Rejects requests from foreign web pages to a server that the user's browser can reach.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_HTTP_GUARD_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_HTTP_GUARD_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace posewire::service {

// Accepts "http://host[:port]", "https://..." or "*", the values of --http-allow-origin.
bool IsOrigin(absl::string_view text);
// Accepts "avatars.example.org", without a port, or "*", the values of --http-allow-host.
bool IsHostName(absl::string_view text);

// Any page on the web can make its own name resolve to this server (DNS rebinding). Its requests
// then have the same origin, and only their Host header reveals them. An address or "localhost" in
// Host cannot be such a name; every other name must be listed here.
struct HttpGuard {
  // Name of the address that the server listens on. Addresses are always accepted.
  std::string own_host = {};
  std::vector<std::string> allowed_hosts = {};
  std::vector<std::string> allowed_origins = {};

  // Returns false if a foreign name may have led here. `host` is the Host header with its port; if
  // empty, the client is not a browser.
  bool HostIsOurs(absl::string_view host) const;
  // Returns whether the page at `origin` was served by this server, according to Host.
  static bool IsSameOrigin(absl::string_view origin, absl::string_view host);
  // Returns whether `origin` is one of allowed_origins.
  bool IsAllowed(absl::string_view origin) const;
  // Returns whether the request comes from no page, from our own page, or from an allowed one.
  bool MayCall(absl::string_view origin, absl::string_view host) const {
    return origin.empty() || IsSameOrigin(origin, host) || IsAllowed(origin);
  }
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_HTTP_GUARD_H_
