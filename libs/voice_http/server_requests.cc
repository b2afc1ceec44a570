#include "libs/voice_http/server_requests.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/http_client/http_url.h"

namespace posewire::voice_http {
namespace {

using speech::SpeechRequest;
using Json = rapidjson::Writer<rapidjson::StringBuffer>;

// Longer than a WAV header, which some servers send before they have any audio.
constexpr size_t kFirstBytes = 1024;

absl::Status BadSetting(absl::string_view name, absl::string_view value, absl::string_view valid) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is \"", absl::CEscape(value), "\", expected ", valid));
}

void Put(Json& json, absl::string_view name, absl::string_view value) {
  json.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  json.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void PutSpeed(Json& json, double speed) {
  json.Key("speed");
  json.Double(speed);
}

// Returns Kokoro's language letter, or nothing for a language that Kokoro lacks.
absl::string_view KokoroLanguage(absl::string_view language) {
  static constexpr std::array<std::pair<absl::string_view, absl::string_view>, 10> kLetters = {
      {{"en-gb", "b"},
       {"en", "a"},
       {"es", "e"},
       {"fr", "f"},
       {"hi", "h"},
       {"it", "i"},
       {"ja", "j"},
       {"pt", "p"},
       {"zh", "z"},
       {"cmn", "z"}}};
  const std::string lower = absl::AsciiStrToLower(language);
  for (const auto& [tag, letter] : kLetters) {
    if (lower == tag || absl::StartsWith(lower, absl::StrCat(tag, "-"))) return letter;
  }
  return "";
}

// Writes the fields that OpenAI's API and Kokoro-FastAPI share.
void PutSpeech(Json& json, const CheckedServer& server, absl::string_view voice,
               const SpeechRequest& request) {
  Put(json, "model", server.settings.model);
  Put(json, "voice", voice);
  Put(json, "input", request.text);
  PutSpeed(json, request.speed);
  Put(json, "response_format", server.settings.format);
}

void PutOpenAi(Json& json, const CheckedServer& server, absl::string_view voice,
               const SpeechRequest& request, bool events) {
  PutSpeech(json, server, voice, request);
  if (!request.language.empty()) Put(json, "language", request.language);
  if (events) Put(json, "stream_format", "sse");
}

void PutKokoro(Json& json, const CheckedServer& server, absl::string_view voice,
               const SpeechRequest& request) {
  PutSpeech(json, server, voice, request);
  if (const absl::string_view letter = KokoroLanguage(request.language); !letter.empty()) {
    Put(json, "lang_code", letter);
  }
  json.Key("stream");
  json.Bool(true);
  json.Key("return_timestamps");
  json.Bool(true);
}

void PutElevenLabs(Json& json, const CheckedServer& server, const SpeechRequest& request) {
  Put(json, "text", request.text);
  Put(json, "model_id", server.settings.model);
  if (!request.language.empty()) {
    Put(json, "language_code",
        absl::AsciiStrToLower(request.language.substr(0, request.language.find('-'))));
  }
  if (request.speed != 1) {
    json.Key("voice_settings");
    json.StartObject();
    PutSpeed(json, request.speed);
    json.EndObject();
  }
}

http_client::HttpHeaders Headers(const CheckedServer& server) {
  if (server.settings.key.empty()) return {};
  if (server.api == Api::kElevenLabs) return {{"xi-api-key", server.settings.key}};
  return {{"Authorization", absl::StrCat("Bearer ", server.settings.key)}};
}

bool IsUtf8(absl::string_view text) {
  rapidjson::StringBuffer out;
  rapidjson::Writer<rapidjson::StringBuffer, rapidjson::UTF8<>, rapidjson::UTF8<>,
                    rapidjson::CrtAllocator, rapidjson::kWriteValidateEncodingFlag>
      json(out);
  return json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

absl::Status CheckKey(const VoiceServer& settings, const http_client::HttpUrl& url) {
  if (std::any_of(settings.key.begin(), settings.key.end(),
                  [](unsigned char c) { return c <= ' ' || c == 0x7F; })) {
    return absl::InvalidArgumentError(
        "the key has a space, a line break or a control character within it, expected one word");
  }
  if (settings.key.empty() || url.is_https || url.is_loopback) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the key would be sent in the clear to ", url.shown,
                   "; use https://, or a server on a loopback address"));
}

}  // namespace

absl::StatusOr<CheckedServer> CheckServer(VoiceServer server) {
  CheckedServer out;
  if (server.api == "openai") {
    out.api = Api::kOpenAi;
  } else if (server.api == "kokoro-fastapi") {
    out.api = Api::kKokoroFastApi;
  } else if (server.api == "elevenlabs") {
    out.api = Api::kElevenLabs;
  } else {
    return BadSetting("api", server.api, "\"openai\", \"kokoro-fastapi\" or \"elevenlabs\"");
  }
  if (server.format != "wav" && server.format != "pcm") {
    return BadSetting("format", server.format, "\"wav\" or \"pcm\"");
  }
  if (server.pcm_rate_hz < 8000 || server.pcm_rate_hz > 192000) {
    return absl::InvalidArgumentError(
        absl::StrCat("pcm_rate_hz is ", server.pcm_rate_hz, ", expected 8000 to 192000"));
  }
  const absl::StatusOr<http_client::HttpUrl> url = http_client::ParseHttpUrl(server.url);
  if (!url.ok()) return url.status();
  if (url->text != url->shown) {
    return absl::InvalidArgumentError(
        absl::StrCat("the URL ", url->shown, " has a query (?...), expected none"));
  }
  absl::StripAsciiWhitespace(&server.key);
  if (absl::Status s = CheckKey(server, *url); !s.ok()) return s;
  if (server.model.empty()) {
    server.model = out.api == Api::kOpenAi          ? "tts-1"
                   : out.api == Api::kKokoroFastApi ? "kokoro"
                                                    : "eleven_flash_v2_5";
  }
  absl::string_view base = url->text;
  while (absl::ConsumeSuffix(&base, "/")) {
  }
  if (absl::ConsumeSuffix(&base, "/v1")) {
    while (absl::ConsumeSuffix(&base, "/")) {
    }
  }
  out.base = std::string(base);
  out.settings = std::move(server);
  return out;
}

absl::Status CheckSpeech(const SpeechRequest& request) {
  if (request.text.empty()) return absl::InvalidArgumentError("text is empty");
  if (!IsUtf8(request.text)) return absl::InvalidArgumentError("text is not valid UTF-8");
  if (!IsUtf8(request.language)) return absl::InvalidArgumentError("language is not valid UTF-8");
  if (request.speed >= 0.5 && request.speed <= 2) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("speed is ", request.speed, ", expected 0.5 to 2"));
}

http_client::HttpRequest MakeSpeechRequest(const CheckedServer& server, absl::string_view voice,
                                           const SpeechRequest& request, bool events) {
  const VoiceTimeouts& limits = server.settings.timeouts;
  http_client::HttpRequest out;
  out.method = http_client::HttpMethod::kPost;
  out.headers = Headers(server);
  out.headers.emplace_back("Content-Type", "application/json");
  out.limits = {limits.connect_s, limits.first_byte_s, limits.stall_s, limits.clause_s,
                kFirstBytes};
  rapidjson::StringBuffer body;
  Json json(body);
  json.StartObject();
  switch (server.api) {
    case Api::kOpenAi:
      out.url = absl::StrCat(server.base, "/v1/audio/speech");
      PutOpenAi(json, server, voice, request, events);
      break;
    case Api::kKokoroFastApi:
      out.url = absl::StrCat(server.base, "/dev/captioned_speech");
      PutKokoro(json, server, voice, request);
      break;
    case Api::kElevenLabs:
      out.url =
          absl::StrCat(server.base, "/v1/text-to-speech/", http_client::EscapeSegment(voice),
                       "/stream/with-timestamps?output_format=pcm_", server.settings.pcm_rate_hz);
      PutElevenLabs(json, server, request);
      break;
  }
  json.EndObject();
  out.body = {body.GetString(), body.GetSize()};
  return out;
}

http_client::HttpRequest MakeGet(const CheckedServer& server, absl::string_view path) {
  const VoiceTimeouts& limits = server.settings.timeouts;
  http_client::HttpRequest out;
  out.url = absl::StrCat(server.base, path);
  out.headers = Headers(server);
  out.limits = {limits.connect_s, std::min(limits.first_byte_s, 2.0), std::min(limits.stall_s, 2.0),
                5, 1};
  return out;
}

}  // namespace posewire::voice_http
