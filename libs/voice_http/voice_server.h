// Settings of a server that speaks texts.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_VOICE_SERVER_H_
#define POSEWIRE_LIBS_VOICE_HTTP_VOICE_SERVER_H_

#include <string>

namespace posewire::voice_http {

// In seconds, per clause; see http_client::HttpLimits.
struct VoiceTimeouts {
  double connect_s = 2;
  double first_byte_s = 10;  // of audio: a cold model takes a few seconds
  double stall_s = 5;
  double clause_s = 30;
};

enum class AskForMarks {
  kIfListed,  // if GET /v1/models has "posewire":{"marks":[...]}, which is requested once
  kAlways,
  kNever,
};

struct VoiceServer {
  std::string url = {};        // http or https; with or without /v1 at its end
  std::string api = "openai";  // or "kokoro-fastapi", "elevenlabs"
  // The caller reads it from a file. Sent only over https or to a loopback address, and never
  // included in a message.
  std::string key = {};
  std::string model = {};      // empty: "tts-1", "kokoro" or "eleven_flash_v2_5"
  std::string format = "wav";  // or "pcm": 16 bit, little-endian, mono
  int pcm_rate_hz = 24000;     // of "pcm", unless the server's content type has rate=
  AskForMarks marks = AskForMarks::kIfListed;  // for "openai"; the other two always send them
  VoiceTimeouts timeouts = {};
  std::string ca_file = {};  // PEM; empty: the system's certificate authorities
};

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_VOICE_SERVER_H_
