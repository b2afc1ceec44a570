// A voice of an HTTP server: OpenAI's POST /v1/audio/speech and compatible servers,
// Kokoro-FastAPI's captioned speech, and ElevenLabs.
//
// Sends one request per text. Audio is passed on as it arrives, with marks if the server has them.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_OPEN_AI_VOICE_H_
#define POSEWIRE_LIBS_VOICE_HTTP_OPEN_AI_VOICE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/http_client/http_client.h"
#include "libs/speech/voice.h"
#include "libs/voice_http/voice_server.h"

namespace posewire::voice_http {

// Errors of Read begin with the URL and do not contain the key:
//   as in http_client::HttpCall; and for the server's responses
//   INVALID_ARGUMENT, UNAUTHENTICATED, PERMISSION_DENIED, NOT_FOUND, RESOURCE_EXHAUSTED
//                4xx, with the first 200 bytes of the server's own message
//   UNAVAILABLE  5xx, and an error that the server reports within its response
//   DATA_LOSS    a response that is not the requested audio, has none, or has more than
//                30 s + 4 times the estimate
// A request whose connection was refused or reset, or that got 429 or 503 (with a Retry-After of up
// to 1 s, which Cancel does not wait for), is sent once more, unless audio of it was passed on
// already.
class OpenAiVoice : public speech::Voice {
 public:
  // `voice` is the server's name of it. Reads ca_file; does not use the network. INVALID_ARGUMENT
  // names the invalid setting, including a key for a server that is neither https nor on a loopback
  // address. Voices may share a client, and so its connections; null: a client of its own.
  static absl::StatusOr<std::unique_ptr<OpenAiVoice>> Create(
      VoiceServer server, std::string voice,
      std::shared_ptr<http_client::HttpClient> client = nullptr);
  ~OpenAiVoice() override;

  // Thread-safe. Runs may outlive the voice. INVALID_ARGUMENT for a text that is empty or not
  // UTF-8, and for a speed outside of 0.5 to 2.
  absl::StatusOr<std::unique_ptr<speech::SpeechRun>> Begin(
      const speech::SpeechRequest& request) override;

 private:
  struct State;
  explicit OpenAiVoice(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_OPEN_AI_VOICE_H_
