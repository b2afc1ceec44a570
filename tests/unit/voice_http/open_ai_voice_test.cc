#include "libs/voice_http/open_ai_voice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libs/voice_http/server_requests.h"
#include "libs/voice_http/server_status.h"

namespace posewire::voice_http {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(OpenAiVoiceCreate, SendsAKeyOnlyOverTlsOrToLoopback) {
  for (const char* url : {"https://api.example", "http://localhost:8880", "http://127.0.0.1:1/v1",
                          "http://[::1]:80"}) {
    EXPECT_TRUE(OpenAiVoice::Create({.url = url, .key = "sk-secret\n"}, "alloy").ok()) << url;
  }
  for (const char* url : {"http://api.example", "http://10.0.0.1/v1", "http://localhost.example"}) {
    const auto voice = OpenAiVoice::Create({.url = url, .key = "sk-secret"}, "alloy");
    EXPECT_EQ(voice.status().code(), absl::StatusCode::kInvalidArgument) << url;
    EXPECT_THAT(voice.status().message(),
                AllOf(HasSubstr("sent in the clear"), Not(HasSubstr("secret"))));
    EXPECT_TRUE(OpenAiVoice::Create({.url = url}, "alloy").ok()) << url;
  }
}

TEST(OpenAiVoiceCreate, NamesTheSettingThatIsWrong) {
  const auto rejection = [](VoiceServer server, const char* voice = "alloy") {
    const auto made = OpenAiVoice::Create(std::move(server), voice);
    EXPECT_EQ(made.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(made.status().message());
  };
  EXPECT_THAT(rejection({.url = "http://a", .api = "azure"}),
              HasSubstr("api is \"azure\", expected"));
  EXPECT_THAT(rejection({.url = "http://a", .format = "mp3"}), HasSubstr("format is \"mp3\""));
  EXPECT_THAT(rejection({.url = "http://a", .pcm_rate_hz = 1}), HasSubstr("pcm_rate_hz is 1"));
  EXPECT_THAT(rejection({.url = "a"}), HasSubstr("expected http://HOST"));
  EXPECT_THAT(rejection({.url = "http://a/?key=secret"}),
              AllOf(HasSubstr("has a query"), Not(HasSubstr("secret"))));
  EXPECT_THAT(rejection({.url = "https://a", .key = "one\ntwo"}),
              AllOf(HasSubstr("the key has"), Not(HasSubstr("two"))));
  EXPECT_THAT(rejection({.url = "http://a"}, ""), HasSubstr("the voice has no name"));
}

TEST(OpenAiVoiceBegin, RejectsTextsThatCannotBeSpoken) {
  const auto voice = *OpenAiVoice::Create({.url = "http://a"}, "alloy");
  EXPECT_THAT(voice->Begin({.text = ""}).status().message(), HasSubstr("text is empty"));
  EXPECT_THAT(voice->Begin({.text = "\xFF"}).status().message(), HasSubstr("not valid UTF-8"));
  EXPECT_THAT(voice->Begin({.text = "a", .speed = 3}).status().message(),
              HasSubstr("speed is 3, expected 0.5 to 2"));
  EXPECT_TRUE(voice->Begin({.text = "año"}).ok());
}

TEST(MakeSpeechRequest, HasOnlyTheFieldsThatAreSet) {
  const auto body = [](VoiceServer settings, speech::SpeechRequest request, bool events) {
    return MakeSpeechRequest(*CheckServer(std::move(settings)), "a/b", request, events);
  };
  const auto plain = body({.url = "http://h:1/base/v1/"}, {.text = "Hi \"you\""}, false);
  EXPECT_EQ(plain.url, "http://h:1/base/v1/audio/speech");
  EXPECT_EQ(plain.body, R"({"model":"tts-1","voice":"a/b","input":"Hi \"you\"","speed":1.0,)"
                        R"("response_format":"wav"})");
  const auto all = body({.url = "http://h", .model = "m", .format = "pcm"},
                        {.text = "x", .language = "fr-FR", .speed = 1.5}, true);
  EXPECT_EQ(all.url, "http://h/v1/audio/speech");
  EXPECT_EQ(all.body,
            R"({"model":"m","voice":"a/b","input":"x","speed":1.5,"response_format":"pcm",)"
            R"("language":"fr-FR","stream_format":"sse"})");
  const auto kokoro = body({.url = "http://h/v1", .api = "kokoro-fastapi"},
                           {.text = "x", .language = "en-GB"}, false);
  EXPECT_EQ(kokoro.url, "http://h/dev/captioned_speech");
  EXPECT_THAT(kokoro.body, HasSubstr(R"("lang_code":"b","stream":true,"return_timestamps":true)"));
  const auto eleven = body({.url = "https://h", .api = "elevenlabs", .key = "k"},
                           {.text = "x", .language = "pt-BR", .speed = 1.1}, false);
  EXPECT_EQ(eleven.url,
            "https://h/v1/text-to-speech/a%2Fb/stream/with-timestamps?output_format=pcm_24000");
  EXPECT_EQ(eleven.body, R"({"text":"x","model_id":"eleven_flash_v2_5","language_code":"pt",)"
                         R"("voice_settings":{"speed":1.1}})");
  EXPECT_EQ(eleven.headers[0], std::pair(std::string("xi-api-key"), std::string("k")));
}

TEST(RetryAfter, IsUpToASecond) {
  const auto wait_s = [](int status, std::string after) {
    return RetryAfter_s({status, "", {{"retry-after", std::move(after)}}}).value_or(-1);
  };
  EXPECT_EQ(wait_s(429, "0"), 0);
  EXPECT_EQ(wait_s(503, "1"), 1);
  EXPECT_EQ(wait_s(503, "2"), -1);
  EXPECT_EQ(wait_s(503, "-1"), -1);
  EXPECT_EQ(wait_s(503, "nan"), -1);
  EXPECT_EQ(wait_s(503, "Fri, 31 Dec 1999 23:59:59 GMT"), -1);
  EXPECT_EQ(wait_s(500, "0"), -1);
  EXPECT_EQ(RetryAfter_s({429, "", {}}), 0.25);
}

TEST(QuoteServer, EscapesCutsAndHidesTheKey) {
  EXPECT_EQ(QuoteServer(" a\x1b[31m\n", ""), "\"a\\033[31m\"");
  EXPECT_EQ(QuoteServer(std::string(300, 'x'), "").size(), 202u);
  EXPECT_EQ(QuoteServer(std::string(196, 'x') + "secret", "secret"),
            "\"" + std::string(196, 'x') + "***\"");
}

}  // namespace
}  // namespace posewire::voice_http
