// A file on an HTTP server, read in pieces by ranges (RFC 9110, section 14), as a byte source for
// offsets that stream.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_RANGE_SOURCE_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_RANGE_SOURCE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/offsets/byte_source.h"

namespace posewire::service {

struct RangeSourceOptions {
  // For one read, connecting and trying again included. Looking up a name takes what the system's
  // resolver is set to.
  double deadline_s = 5;
};

// `url` is http://HOST[:PORT]/PATH. INVALID_ARGUMENT for any other; nothing is asked yet.
//
// Connections are kept and used again; one that the server has closed meanwhile is replaced once a
// read. Errors of Read name the URL: UNAVAILABLE for a server that cannot be reached, breaks off or
// answers 5xx; DEADLINE_EXCEEDED; NOT_FOUND (404, 410); PERMISSION_DENIED (401, 403);
// FAILED_PRECONDITION for a server without ranges, and other answers; DATA_LOSS for one whose range
// is not the one that was asked for. Redirections are not followed.
absl::StatusOr<std::shared_ptr<offsets::ByteSource>> MakeRangeSource(
    const std::string& url, const RangeSourceOptions& options = {});

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_RANGE_SOURCE_H_
