// The voices that a server offers.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_LIST_VOICES_H_
#define POSEWIRE_LIBS_VOICE_HTTP_LIST_VOICES_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/http_client/http_client.h"
#include "libs/voice_http/server_json.h"
#include "libs/voice_http/voice_server.h"

namespace posewire::voice_http {

// Asks GET /v1/audio/voices, and if that is missing GET /v1/models; of ElevenLabs GET /v1/voices.
// Blocks for at most 10 s and the time to connect. Marks that /v1/models lists for the model count
// for its voices that list none. At most 10,000 voices of at most 4 MiB.
//
// INVALID_ARGUMENT as of OpenAiVoice::Create; NOT_FOUND if the server lists no voices, which need
// not mean that it has none; else as of OpenAiVoice. Any thread.
// `client` is as of OpenAiVoice::Create.
absl::StatusOr<std::vector<ListedVoice>> ListVoices(
    const VoiceServer& server, std::shared_ptr<http_client::HttpClient> client = nullptr);

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_LIST_VOICES_H_
