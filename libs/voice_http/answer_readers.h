// Readers of the four response formats. They take bytes divided anywhere, and return samples and
// raw marks.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_ANSWER_READERS_H_
#define POSEWIRE_LIBS_VOICE_HTTP_ANSWER_READERS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/voice_http/heard.h"
#include "libs/voice_http/sound_decoder.h"

namespace posewire::voice_http {

// One thread. No calls may follow an error.
//   DATA_LOSS    the bytes do not match the format; the message follows "the answer: "
//   UNAVAILABLE  the server reports an error of its own within the response
class AnswerReader {
 public:
  virtual ~AnswerReader() = default;
  // Appends everything that the bytes complete.
  virtual absl::Status Add(absl::string_view bytes, Heard& heard) = 0;
  // Ends the response. A response without audio is DATA_LOSS.
  virtual absl::Status Finish(Heard& heard) = 0;
  virtual int rate_hz() const = 0;  // 0 while unknown
  // Returns true if the response is marked as complete; the end of the connection no longer
  // matters.
  virtual bool done() const { return false; }
};

// Occurrences of `key` in a server's message are replaced by "***".

// WAV or PCM as the body.
std::unique_ptr<AnswerReader> MakeSoundReader(SoundForm form);
// Server-sent events: OpenAI's stream_format "sse", with speech.audio.marks.
std::unique_ptr<AnswerReader> MakeEventReader(SoundForm form, std::string key);
// Kokoro-FastAPI's captioned speech.
std::unique_ptr<AnswerReader> MakeCaptionedReader(SoundForm form, std::string key);
// ElevenLabs' characters with times, which become words.
std::unique_ptr<AnswerReader> MakeAlignedReader(SoundForm form, std::string key);

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_ANSWER_READERS_H_
