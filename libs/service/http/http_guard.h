// Keeps foreign web pages away from a server that a browser of its user can reach.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_HTTP_GUARD_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_HTTP_GUARD_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace posewire::service {

// "http://host[:port]", "https://..." or "*", as --http-allow-origin takes them.
bool IsOrigin(absl::string_view text);
// "avatars.example.org", without a port, or "*", as --http-allow-host takes them.
bool IsHostName(absl::string_view text);

// A page of any name on the web can have that name lead to this server (DNS rebinding): its
// requests are then of the same origin, and only their Host tells. An address in a Host cannot be
// such a name, nor can "localhost"; every other name has to be known here.
struct HttpGuard {
  // Of the address that is listened on; an address counts as one anyhow.
  std::string own_host = {};
  std::vector<std::string> allowed_hosts = {};
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

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_HTTP_GUARD_H_
