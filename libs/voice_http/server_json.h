// Parses the JSON that servers send. The input is untrusted: fields of a wrong type count as
// missing, and times are not checked (NaN if missing).
//
// DATA_LOSS, with the byte, for text that is not a JSON object. Any thread.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_SERVER_JSON_H_
#define POSEWIRE_LIBS_VOICE_HTTP_SERVER_JSON_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/speech/voice.h"
#include "libs/voice_http/heard.h"

namespace posewire::voice_http {

// An event of POST /v1/audio/speech with stream_format "sse": OpenAI's speech.audio.delta,
// speech.audio.done and error, and speech.audio.marks (docs/voices.md).
struct SpeechEvent {
  enum class Kind { kSound, kMarks, kDone, kError, kOther };
  Kind kind = Kind::kOther;
  std::string base64;
  MarkBatch marks;
  std::string error;
};
absl::StatusOr<SpeechEvent> ReadSpeechEvent(absl::string_view text);

// An object of Kokoro-FastAPI's POST /dev/captioned_speech.
struct CaptionedChunk {
  std::string base64;
  MarkBatch marks;
  std::string error;
};
absl::StatusOr<CaptionedChunk> ReadCaptionedChunk(absl::string_view text);

// An object of ElevenLabs' stream/with-timestamps: a time for each character of the text.
struct AlignedChunk {
  struct Character {
    std::string text;
    double start_s = 0;
    double end_s = 0;
  };
  std::string base64;
  std::vector<Character> characters;
  std::string error;
};
absl::StatusOr<AlignedChunk> ReadAlignedChunk(absl::string_view text);

// Returns the message of an error response: "error" (a text, or an object with "message"), "detail"
// (a text, an object with "message", or a list of objects with "msg"), "message", or else the body
// itself.
std::string ReadErrorMessage(absl::string_view body);

struct ListedVoice {
  std::string name;                    // as used in requests
  std::vector<std::string> languages;  // BCP 47; empty: unknown
  speech::Marks marks = speech::Marks::kNone;
  std::string sex = {};  // "female", "male", or empty
};
// Parses GET /v1/audio/voices, ElevenLabs' GET /v1/voices, or the models in GET /v1/models that
// list their voices.
absl::StatusOr<std::vector<ListedVoice>> ReadVoiceList(absl::string_view text);

// Returns the best of "posewire":{"marks":["word","phoneme"]} in GET /v1/models, in its root or in
// the model of that name.
absl::StatusOr<speech::Marks> ReadModelMarks(absl::string_view text, absl::string_view model);

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_SERVER_JSON_H_
