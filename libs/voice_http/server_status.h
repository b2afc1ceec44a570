// Converts HTTP statuses other than 200 to errors of a voice.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_SERVER_STATUS_H_
#define POSEWIRE_LIBS_VOICE_HTTP_SERVER_STATUS_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/http_client/http_client.h"

namespace posewire::voice_http {

// Returns the first 200 bytes of a server's message, C-escaped, in quotes, with the key replaced by
// "***".
std::string QuoteServer(absl::string_view words, absl::string_view key);

// Returns how long to wait before the retry: for 429 and 503, up to 1 s. None: do not retry.
std::optional<double> RetryAfter_s(const http_client::HttpHead& head);

// Reads the body of an error response and returns the server's own message as a status:
// INVALID_ARGUMENT for 4xx, except UNAUTHENTICATED (401), PERMISSION_DENIED (403), NOT_FOUND (404),
// RESOURCE_EXHAUSTED (429); UNAVAILABLE for 5xx. CANCELLED if the call was cancelled.
absl::Status ReadRejection(http_client::HttpCall& call, const http_client::HttpHead& head,
                           absl::string_view key);

// Returns up to 64 KiB of the rest of the body; if there is an error, the bytes before it.
std::string ReadSome(http_client::HttpCall& call);

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_SERVER_STATUS_H_
