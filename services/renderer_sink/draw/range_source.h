// Byte source of a file on an HTTP server, read by ranges (RFC 9110, section 14).
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_RANGE_SOURCE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_RANGE_SOURCE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/files/byte_source.h"
#include "services/renderer_sink/draw/range_cache.h"

namespace posewire::renderer_sink {

struct RangeSourceOptions {
  double deadline_s = 5;  // per read, over 0; includes connecting and redirects
  std::shared_ptr<RangeCache> cache = nullptr;  // null: nothing is kept on disk
};

// `url` is http:// or https://. INVALID_ARGUMENT as in ParseHttpUrl. Sends no request yet.
//
// Sources with a cache read from disk what it has, by its rules; a read then may still wait for the
// server, or use what is on disk if the server is away.
//
// All sources of a program share HttpClient's few connections. At most three redirects are
// followed, never to another scheme. Errors of Read name the URL without its query: those of
// HttpCall, and UNAVAILABLE for a 5xx response; NOT_FOUND (404, 410); PERMISSION_DENIED (401, 403);
// FAILED_PRECONDITION for a server without ranges, and other responses; DATA_LOSS for a response
// with a different range than requested.
absl::StatusOr<std::shared_ptr<files::ByteSource>> MakeRangeSource(
    const std::string& url, const RangeSourceOptions& options = {});

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_RANGE_SOURCE_H_
