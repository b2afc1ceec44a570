// Trace Context, https://www.w3.org/TR/trace-context/: what a caller sends along so that one
// request is known by one id in the logs of every program that it goes through.
//
// We begin no traces and report no spans: what comes with a call is written to logs and events, and
// is passed on as it came, as the standard asks of those in between.
#ifndef POSEWIRE_LIBS_STREAM_TRACE_H_
#define POSEWIRE_LIBS_STREAM_TRACE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/stream/call_options.h"

namespace posewire::stream {

// Of call metadata, of HTTP headers, and of the metadata of the frame in which a request begins.
inline constexpr char kTraceparent[] = "traceparent";

// "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01": version, trace, the caller's span,
// flags; all in lower case, neither id of zeros alone. Later versions may have more behind, and are
// taken up to 256 bytes. INVALID_ARGUMENT says so.
absl::Status CheckTraceparent(absl::string_view text);

// As it was sent; empty when there is none, or one to be ignored for breaking the rules.
std::string TraceparentOf(const MetadataLookup& metadata);

// The 32 digits of the trace. Of one that was checked, or of none.
absl::string_view TraceIdOf(absl::string_view traceparent);

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_TRACE_H_
