// The seam between voices and the face: text in; sound, and what is said when, out.
//
// A voice answers a text with a run, which is read part by part as the sound is made, and can be
// cancelled at any moment: a voice may be a server on another continent. Some voices know when they
// say which phoneme or word. Where phonemes are known the lips follow them; else they follow the
// sound (hearing.h).
#ifndef POSEWIRE_LIBS_SPEECH_VOICE_H_
#define POSEWIRE_LIBS_SPEECH_VOICE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/speech/viseme_table.h"

namespace posewire::speech {

// One phoneme, in seconds from the first sample of its piece.
struct Phoneme {
  std::string phone;  // in its piece's PhoneSet; "pau" for silence
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

// A piece of speech as a whole. Samples are mono, 16 bit. Successive phonemes touch, and together
// cover all samples; or there are none.
struct SpeechPiece {
  int rate_hz = 0;
  std::vector<int16_t> samples;
  std::vector<Phoneme> phonemes;
  std::vector<Word> words;
  PhoneSet phone_set = PhoneSet::kArpabet;  // of all phonemes

  double duration_s() const {
    return rate_hz > 0 ? static_cast<double>(samples.size()) / rate_hz : 0;
  }
};

// One clause or sentence to speak.
struct SpeechRequest {
  std::string text = {};      // UTF-8
  std::string language = {};  // BCP 47, such as "en-US"; empty: the voice's own
  double speed = 1;           // against the voice's own rate of speech, 0.5 to 2
};

// The times that a voice tells; phonemes come with words.
enum class Marks { kNone, kWords, kPhonemes };

// A stretch of a run's sound, contiguous with the part before it.
struct SpeechPart {
  int rate_hz = 0;               // the same in all parts of a run; 0 where there are no samples
  std::vector<int16_t> samples;  // mono
  // What is said when, in seconds from the run's first sample. Each is given once, in order, not
  // later than the samples that it lies in. Gaps between phonemes are silence.
  std::vector<Phoneme> phonemes;
  std::vector<Word> words;
  PhoneSet phone_set = PhoneSet::kArpabet;  // of all phonemes of the run
  // The marks given so far cover the sound up to here; 0: there are none. When it falls back to 0,
  // the marks given so far were wrong: discard those not used yet.
  double marks_until_s = 0;
  std::vector<std::string> notes;  // for people: what was ignored or assumed, a sentence each
};

// Speech in the making. Destroying it cancels it.
class SpeechRun {
 public:
  virtual ~SpeechRun() = default;

  // Waits for the next part. False: all was spoken. One thread at a time. CANCELLED soon after
  // Cancel; other errors are the voice's own.
  virtual absl::StatusOr<bool> Read(SpeechPart& part) = 0;

  // Ends a Read that waits within 20 ms, and those that follow at once. From any thread.
  virtual void Cancel() = 0;
};

// May be asked for one text while another is being read.
class Voice {
 public:
  virtual ~Voice() = default;

  // Starts to speak a text, and does not wait. The run must not outlive the voice.
  // INVALID_ARGUMENT for a speed out of range. A text of which the voice can say nothing gives a
  // run that fails or has no sound.
  virtual absl::StatusOr<std::unique_ptr<SpeechRun>> Begin(const SpeechRequest& request) = 0;
};

// Adds the marks of a part to those that came before it, which are discarded where they were wrong.
void AppendMarks(const SpeechPart& part, SpeechPiece& piece);

// Adds a part to what came before it, marks and sound.
void Append(const SpeechPart& part, SpeechPiece& piece);

// Fills the gaps between phonemes, and before and after them, with "pau", joins pauses that touch,
// and cuts what reaches beyond the sound. Does nothing without phonemes.
void FillPauses(SpeechPiece& piece);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_VOICE_H_
