// Readers of the four forms of an answer. Bytes in any split; samples and raw marks out.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_ANSWER_READERS_H_
#define POSEWIRE_LIBS_VOICE_HTTP_ANSWER_READERS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/voice_http/heard.h"
#include "libs/voice_http/sound_decoder.h"

namespace posewire::voice_http {

// One thread. Nothing may follow an error.
//   DATA_LOSS    the bytes are not what the form says; the message follows "the answer: "
//   UNAVAILABLE  the server reports an error of its own within the answer
class AnswerReader {
 public:
  virtual ~AnswerReader() = default;
  // Appends what the bytes complete.
  virtual absl::Status Add(absl::string_view bytes, Heard& heard) = 0;
  // At the end of the answer. An answer without sound is DATA_LOSS.
  virtual absl::Status Finish(Heard& heard) = 0;
  virtual int rate_hz() const = 0;  // 0 until it is known
  // The answer says that it is complete; how the connection ends does not matter any more.
  virtual bool done() const { return false; }
};

// `key` is replaced by "***" where a server repeats it in a message.

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
