// Lists the voices of a server.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_LIST_VOICES_H_
#define POSEWIRE_LIBS_VOICE_HTTP_LIST_VOICES_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/http_client/http_client.h"
#include "libs/voice_http/server_json.h"
#include "libs/voice_http/voice_server.h"

namespace posewire::voice_http {

// Requests GET /v1/audio/voices, and if that is missing GET /v1/models; for ElevenLabs GET
// /v1/voices. Blocks for at most 10 s plus the time to connect. Marks that /v1/models lists for the
// model apply to voices that list none. At most 10,000 voices and 4 MiB.
//
// INVALID_ARGUMENT as in OpenAiVoice::Create; NOT_FOUND if the server lists no voices, although it
// may have some; otherwise errors as in OpenAiVoice. Any thread. `client` is as in
// OpenAiVoice::Create.
absl::StatusOr<std::vector<ListedVoice>> ListVoices(
    const VoiceServer& server, std::shared_ptr<http_client::HttpClient> client = nullptr);

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_LIST_VOICES_H_
