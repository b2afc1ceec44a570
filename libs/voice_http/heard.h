// Data that this library's readers extract from a response.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_HEARD_H_
#define POSEWIRE_LIBS_VOICE_HTTP_HEARD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libs/speech/voice.h"

namespace posewire::voice_http {

// Maximum size of a line of server-sent events, and of the data of one event.
inline constexpr size_t kMostLineBytes = 1 << 20;
// Maximum size of a JSON object in a stream, which has the audio of a sentence in base64.
inline constexpr size_t kMostObjectBytes = 8 << 20;

// A time as received: not checked, NaN if it is missing or not a number.
struct RawPhoneme {
  std::string phone;
  double start_s = 0;
  double end_s = 0;
  bool stressed = false;
};
struct RawWord {
  std::string text;
  double start_s = 0;
  double end_s = 0;
};

// Marks that arrived together, in seconds from the first sample of the response.
struct MarkBatch {
  std::vector<RawPhoneme> phonemes = {};
  std::vector<RawWord> words = {};
  std::optional<double> end_s = {};  // of the part that they describe
};

struct Heard {
  std::vector<int16_t> samples;  // mono
  std::vector<MarkBatch> marks;
  std::vector<std::string> notes;
};

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_HEARD_H_
