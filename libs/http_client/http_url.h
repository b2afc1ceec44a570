// The URL of an HTTP request, checked before anything is sent.
#ifndef POSEWIRE_LIBS_HTTP_CLIENT_HTTP_URL_H_
#define POSEWIRE_LIBS_HTTP_CLIENT_HTTP_URL_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::http_client {

struct HttpUrl {
  std::string text;   // normalized: scheme, host, port, path and query
  std::string shown;  // for messages and logs: `text` without its query, which may contain a secret
  std::string host;   // a name or an address; IPv6 without brackets
  bool is_https = false;
  // The host is "localhost", 127.0.0.0/8 or ::1. libcurl resolves "localhost" itself to these.
  bool is_loopback = false;
};

// Parses http://HOST[:PORT][/PATH][?QUERY] and https://. INVALID_ARGUMENT for anything else, and
// for a URL with a user or password, which the message does not repeat.
absl::StatusOr<HttpUrl> ParseHttpUrl(absl::string_view url);

// Escapes `text` as one path segment: everything except letters, digits and "-._~" becomes %XX.
std::string EscapeSegment(absl::string_view text);

}  // namespace posewire::http_client

#endif  // POSEWIRE_LIBS_HTTP_CLIENT_HTTP_URL_H_
