// Rules of RFC 9112 for the head of a request that the parser does not check.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_HTTP_HEAD_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_HTTP_HEAD_H_

#include <optional>

#include "libs/service/http/http_message.h"

namespace posewire::service {

// Returns the reply that rejects the head, after which the connection is closed; nothing if the
// head is valid. A proxy in front of this server might interpret each of these as a different
// request. `minor_version` is that of HTTP/1.x.
//
// - 400: no Host in HTTP/1.1, several, or one that is not a host and port (section 3.2).
// - 400: several values of Content-Length (6.3).
// - 400: Transfer-Encoding in HTTP/1.0, or with Content-Length, or without chunked at its end
//   (6.1).
// - 501: a transfer coding other than chunked (6.1).
std::optional<HttpReply> RejectHead(int minor_version, const HttpFields& headers);

// Returns HOST:PORT of a target in absolute form, which overrides the Host header (3.2.2); empty
// for any other target.
absl::string_view TargetAuthority(absl::string_view target);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_HTTP_HEAD_H_
