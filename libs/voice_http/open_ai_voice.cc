#include "libs/voice_http/open_ai_voice.h"

#include <utility>

#include "absl/status/status.h"
#include "libs/voice_http/http_run.h"
#include "libs/voice_http/server_requests.h"

namespace posewire::voice_http {

struct OpenAiVoice::State : VoiceShared {};

OpenAiVoice::OpenAiVoice(std::shared_ptr<State> state) : state_(std::move(state)) {}
OpenAiVoice::~OpenAiVoice() = default;

absl::StatusOr<std::unique_ptr<OpenAiVoice>> OpenAiVoice::Create(
    VoiceServer server, std::string voice, std::shared_ptr<http_client::HttpClient> client) {
  if (voice.empty()) {
    return absl::InvalidArgumentError("the voice has no name, expected one that the server lists");
  }
  absl::StatusOr<CheckedServer> checked = CheckServer(std::move(server));
  if (!checked.ok()) return checked.status();
  if (client == nullptr) {
    auto own = http_client::HttpClient::Create({.ca_file = checked->settings.ca_file});
    if (!own.ok()) return own.status();
    client = *std::move(own);
  }
  auto state = std::make_shared<State>();
  state->server = *std::move(checked);
  state->voice = std::move(voice);
  state->client = std::move(client);
  return std::unique_ptr<OpenAiVoice>(new OpenAiVoice(std::move(state)));
}

absl::StatusOr<std::unique_ptr<speech::SpeechRun>> OpenAiVoice::Begin(
    const speech::SpeechRequest& request) {
  if (absl::Status s = CheckSpeech(request); !s.ok()) return s;
  return std::make_unique<HttpRun>(state_, request);
}

}  // namespace posewire::voice_http
