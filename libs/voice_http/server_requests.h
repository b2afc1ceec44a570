// Builds the requests for the three kinds of servers.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_SERVER_REQUESTS_H_
#define POSEWIRE_LIBS_VOICE_HTTP_SERVER_REQUESTS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/http_client/http_client.h"
#include "libs/speech/voice.h"
#include "libs/voice_http/voice_server.h"

namespace posewire::voice_http {

enum class Api { kOpenAi, kKokoroFastApi, kElevenLabs };

// Validated settings, with their defaults filled in.
struct CheckedServer {
  VoiceServer settings;
  Api api = Api::kOpenAi;
  std::string base;  // the URL without "/v1" and without a slash at its end
};

// INVALID_ARGUMENT names the setting, its value (never that of the key) and what is valid: an
// unknown api or format, a URL that is not http or https or has a query, a key with a line break,
// and a key for a server that is neither https nor on a loopback address.
absl::StatusOr<CheckedServer> CheckServer(VoiceServer server);

// INVALID_ARGUMENT for text that is empty or not UTF-8, and for a speed outside of 0.5 to 2.
absl::Status CheckSpeech(const speech::SpeechRequest& request);

// Returns the request for a checked text. `events`: request server-sent events, which have marks
// (OpenAI's API only).
http_client::HttpRequest MakeSpeechRequest(const CheckedServer& server, absl::string_view voice,
                                           const speech::SpeechRequest& request, bool events);

// Returns a GET of a path ("/v1/models"), with a timeout of 5 s.
http_client::HttpRequest MakeGet(const CheckedServer& server, absl::string_view path);

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_SERVER_REQUESTS_H_
