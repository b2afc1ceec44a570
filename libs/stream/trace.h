// Trace Context, https://www.w3.org/TR/trace-context/: callers send an id, so that one request has
// the same id in the logs of every program that it passes through.
//
// Posewire starts no traces and reports no spans. It writes the received context to logs and
// events, and passes it on unchanged, as the standard requires.
#ifndef POSEWIRE_LIBS_STREAM_TRACE_H_
#define POSEWIRE_LIBS_STREAM_TRACE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/stream/call_options.h"

namespace posewire::stream {

// Key in call metadata, in HTTP headers, and in the metadata of a request's first frame.
inline constexpr char kTraceparent[] = "traceparent";

// Checks a value such as "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01": version, trace
// id, the caller's span id, flags; all lower case, and neither id all zeros. Later versions may
// append more, and are accepted up to 256 bytes. INVALID_ARGUMENT if the value is invalid.
absl::Status CheckTraceparent(absl::string_view text);

// Returns the value as sent; empty if there is none or it is invalid.
std::string TraceparentOf(const MetadataLookup& metadata);

// Returns the 32 digits of the trace id. `traceparent` must be valid or empty.
absl::string_view TraceIdOf(absl::string_view traceparent);

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_TRACE_H_
