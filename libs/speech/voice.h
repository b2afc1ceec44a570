// The seam behind which voices stand: text in; samples, and what is said when, out.
//
// All that moves with speech is made from the times given here. A voice that tells its phonemes'
// times needs nothing else to drive the face.
#ifndef POSEWIRE_LIBS_SPEECH_VOICE_H_
#define POSEWIRE_LIBS_SPEECH_VOICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::speech {

// One phoneme, in seconds from the first sample of its piece. Successive phonemes touch.
struct Phoneme {
  std::string phone;  // ARPAbet in lower case ("aa", "m"), "pau" for silence
  double start_s = 0;
  double end_s = 0;
  bool stressed = false;  // the vowel or consonant of a stressed syllable
};

struct Word {
  std::string text;  // lower case, as spoken
  double start_s = 0;
  double end_s = 0;
  double beat_s = 0;      // the middle of its strongest vowel
  bool accented = false;  // carries a pitch accent
};

// Samples are mono, 16 bit. Segments cover all of them.
struct SpeechPiece {
  int rate_hz = 0;
  std::vector<int16_t> samples;
  std::vector<Phoneme> phonemes;
  std::vector<Word> words;

  double duration_s() const {
    return rate_hz > 0 ? static_cast<double>(samples.size()) / rate_hz : 0;
  }
};

// Makes the voice of a piece of text (a sentence or a part of one). The same text gives the same
// piece. One call at a time, on any thread.
class Voice {
 public:
  virtual ~Voice() = default;

  // `text` is printable ASCII. A text without a spoken word gives a piece that may be empty.
  // INTERNAL when the voice fails.
  virtual absl::StatusOr<SpeechPiece> Speak(absl::string_view text) = 0;
};

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_VOICE_H_
